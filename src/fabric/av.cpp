// SPDX-License-Identifier: BSD-3-Clause
// fi_av: names of other processes, as their endpoints gave them by fi_getname.
#include "fabric/av.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

#include "fabric/endpoint.hpp"
#include "fabric/object.hpp"
#include "net/endpoint/complaint.hpp"

namespace suiro::fabric {
namespace {

AddressVector& of(fid_av* handle) { return object_of<AddressVector>(&handle->fid); }

/// An event queue may be bound, and is never told anything: insertion is done when it returns.
int bind_vector(fid*, fid* other, std::uint64_t) {
  return other->fclass == FI_CLASS_EQ ? 0 : -FI_EINVAL;
}

int insert(fid_av* handle, const void* names, std::size_t count, fi_addr_t* addresses,
           std::uint64_t flags, void* context) {
  int inserted = 0;
  for (std::size_t i = 0; i < count; ++i) {
    net::Name name;
    std::memcpy(&name, static_cast<const std::byte*>(names) + i * sizeof name, sizeof name);
    const bool good = name.version == net::name_version && name.rails <= net::max_rails;
    if (!good) net::complain("another process of the job has another version of suiro");
    const fi_addr_t address = good ? of(handle).insert(name) : FI_ADDR_NOTAVAIL;
    if (addresses != nullptr) addresses[i] = address;
    if ((flags & FI_SYNC_ERR) != 0) static_cast<int*>(context)[i] = good ? 0 : FI_EINVAL;
    inserted += good ? 1 : 0;
  }
  return inserted;
}

int remove(fid_av* handle, fi_addr_t* addresses, std::size_t count, std::uint64_t) {
  int result = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (!of(handle).remove(addresses[i])) result = -FI_EINVAL;
  return result;
}

int lookup(fid_av* handle, fi_addr_t address, void* place, std::size_t* length) {
  const std::optional<net::Name> name = of(handle).lookup(address);
  if (!name) return -FI_EINVAL;
  std::memcpy(place, &*name, std::min(*length, sizeof *name));
  *length = sizeof *name;
  return 0;
}

const char* print(fid_av*, const void* address, char* buffer, std::size_t* length) {
  net::Name name;
  std::memcpy(&name, address, sizeof name);
  const auto* bytes = reinterpret_cast<const unsigned char*>(&name.addresses[0]);
  const int needed = std::snprintf(buffer, *length, "suiro://%u.%u.%u.%u:%u", bytes[0], bytes[1],
                                   bytes[2], bytes[3], unsigned{name.port});
  *length = static_cast<std::size_t>(needed) + 1;
  return buffer;
}

fi_ops vector_object_operations = operations(close_unused<AddressVector>, bind_vector);
fi_ops_av vector_operations{.size = sizeof(fi_ops_av),
                            .insert = insert,
                            .insertsvc = not_supported,
                            .insertsym = not_supported,
                            .remove = remove,
                            .lookup = lookup,
                            .straddr = print,
                            .av_set = not_supported};

}  // namespace

fi_addr_t AddressVector::insert(const net::Name& name) {
  const std::lock_guard lock(mutex_);
  fi_addr_t address = names_.size();
  if (removed_.empty()) {
    names_.emplace_back(name);
  } else {
    address = removed_.extract(removed_.begin()).value();
    names_[address] = name;
  }
  for (Endpoint* endpoint : endpoints_) endpoint->know(address, name);
  return address;
}

bool AddressVector::remove(fi_addr_t address) {
  const std::lock_guard lock(mutex_);
  if (address >= names_.size() || !names_[address]) return false;
  names_[address].reset();
  removed_.insert(address);
  for (Endpoint* endpoint : endpoints_) endpoint->forget(address);
  return true;
}

std::optional<net::Name> AddressVector::lookup(fi_addr_t address) {
  const std::lock_guard lock(mutex_);
  return address < names_.size() ? names_[address] : std::nullopt;
}

void AddressVector::add(Endpoint& endpoint) {
  const std::lock_guard lock(mutex_);
  endpoints_.push_back(&endpoint);
  for (fi_addr_t address = 0; address < names_.size(); ++address)
    if (names_[address]) endpoint.know(address, *names_[address]);
}

void AddressVector::remove(Endpoint& endpoint) {
  const std::lock_guard lock(mutex_);
  std::erase(endpoints_, &endpoint);
}

int open_address_vector(fid_domain* handle, fi_av_attr* attributes, fid_av** opened,
                        void* context) {
  // Not: vectors that processes share, and insertion that goes on after its call.
  if (attributes->name != nullptr || (attributes->flags & FI_EVENT) != 0) return -FI_ENOSYS;
  auto& domain = object_of<Domain>(&handle->fid);
  if (attributes->type == FI_AV_UNSPEC)
    attributes->type = domain.av_type == FI_AV_UNSPEC ? FI_AV_TABLE : domain.av_type;
  auto* vector = new (std::nothrow) AddressVector(domain);
  if (vector == nullptr) return -FI_ENOMEM;
  vector->fid = {.fclass = FI_CLASS_AV, .context = context, .ops = &vector_object_operations};
  vector->ops = &vector_operations;
  ++domain.users;
  *opened = vector;
  return 0;
}

}  // namespace suiro::fabric
