// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/endpoint.hpp"

#include <rdma/fi_cm.h>

#include <algorithm>
#include <cstring>
#include <exception>

#include "fabric/info.hpp"
#include "fabric/object.hpp"
#include "net/endpoint/complaint.hpp"

namespace suiro::fabric {
namespace {

constexpr std::uint64_t counted_sends = FI_SEND;
constexpr std::uint64_t counted_receives = FI_RECV;

int close_endpoint(fid* handle) {
  delete &object_of<Endpoint>(handle);
  return 0;
}

int bind_endpoint(fid* handle, fid* other, std::uint64_t flags) {
  return object_of<Endpoint>(handle).bind(other, flags);
}

int control_endpoint(fid* handle, int command, void*) {
  return command == FI_ENABLE ? object_of<Endpoint>(handle).enable() : -FI_ENOSYS;
}

ssize_t cancel_operation(fid* handle, void* context) noexcept {
  return object_of<Endpoint>(handle).cancel(context);
}

int get_option(fid* handle, int level, int name, void* value, std::size_t* length) {
  if (level != FI_OPT_ENDPOINT) return -FI_ENOPROTOOPT;
  return object_of<Endpoint>(handle).get_option(name, value, length);
}

int set_option(fid* handle, int level, int name, const void* value, std::size_t length) {
  if (level != FI_OPT_ENDPOINT) return -FI_ENOPROTOOPT;
  return object_of<Endpoint>(handle).set_option(name, value, length);
}

int get_name(fid* handle, void* place, std::size_t* length) {
  return object_of<Endpoint>(handle).get_name(place, length);
}

fi_ops endpoint_object_operations = operations(close_endpoint, bind_endpoint, control_endpoint);
fi_ops_ep endpoint_operations{.size = sizeof(fi_ops_ep),
                              .cancel = cancel_operation,
                              .getopt = get_option,
                              .setopt = set_option,
                              .tx_ctx = not_supported,
                              .rx_ctx = not_supported,
                              .rx_size_left = not_supported,
                              .tx_size_left = not_supported};
fi_ops_cm name_operations{.size = sizeof(fi_ops_cm),
                          .setname = not_supported,
                          .getname = get_name,
                          .getpeer = not_supported,
                          .connect = not_supported,
                          .listen = not_supported,
                          .accept = not_supported,
                          .reject = not_supported,
                          .shutdown = not_supported,
                          .join = not_supported};

int error_number(net::Status status) {
  switch (status) {
    case net::Status::ok:
      return 0;
    case net::Status::truncated:
      return FI_ETRUNC;
    case net::Status::cancelled:
      return FI_ECANCELED;
    case net::Status::no_message:
      return FI_ENOMSG;
    case net::Status::unreachable:
      return FI_EHOSTUNREACH;
    case net::Status::try_again:
      return FI_EAGAIN;
    case net::Status::invalid:
      break;
  }
  return FI_EINVAL;
}

fi_cq_tagged_entry entry_of(const net::Completion& completion) {
  const bool sent = completion.kind == net::Completion::Kind::send;
  std::uint64_t flags =
      (sent ? FI_SEND : FI_RECV) | (completion.space == net::Space::tagged ? FI_TAGGED : FI_MSG);
  if (!sent && completion.envelope.has_data) flags |= FI_REMOTE_CQ_DATA;
  if (completion.buffer_released) flags |= FI_MULTI_RECV;
  return {.op_context = completion.context,
          .flags = flags,
          .len = completion.length,
          .buf = completion.buffer,
          .data = completion.envelope.data,
          .tag = completion.envelope.tag};
}

fi_cq_err_entry error_entry_of(const net::Completion& completion) {
  const fi_cq_tagged_entry entry = entry_of(completion);
  const int error = error_number(completion.status);
  return {.op_context = entry.op_context,
          .flags = entry.flags,
          .len = entry.len,
          .buf = entry.buf,
          .data = entry.data,
          .tag = entry.tag,
          .olen = completion.excess,
          .err = error,
          .prov_errno = -error,
          .err_data = nullptr,
          .err_data_size = 0};
}

/// Takes another object in place of the one that is bound, if any. Bound objects cannot be closed.
template <class Object>
void bind_once(Object*& place, Object& object) {
  if (place != nullptr) --place->users;
  place = &object;
  ++object.users;
}

}  // namespace

Endpoint::Endpoint(Domain& domain, const fi_info& info)
    : fid_ep{}, domain_(domain), capabilities_(info.caps) {
  ops = &endpoint_operations;
  cm = &name_operations;
  msg = &message_operations;
  tagged = &tagged_operations;
  // rma and atomic stay empty: info.cpp does not offer them.
  if (info.tx_attr != nullptr) sends_.flags = info.tx_attr->op_flags;
  if (info.rx_attr != nullptr) receives_.flags = info.rx_attr->op_flags;
  ++domain_.users;
}

Endpoint::~Endpoint() {
  if (engine_ != nullptr) {
    addresses_->remove(*this);
    for_each_bound([this](auto& object) { object.endpoints.remove(*engine_); });
    engine_->forget(this);
    engine_.reset();
  }
  for_each_bound([](auto& object) { --object.users; });
  if (addresses_ != nullptr) --addresses_->users;
  --domain_.users;
}

template <typename Act>
void Endpoint::for_each_bound(Act act) {
  for (const Side* side : {&sends_, &receives_}) {
    if (side->queue != nullptr) act(*side->queue);
    if (side->counter != nullptr) act(*side->counter);
  }
}

int Endpoint::bind(struct ::fid* other, std::uint64_t flags) {
  if (engine_ != nullptr) return -FI_EOPBADSTATE;
  switch (other->fclass) {
    case FI_CLASS_AV:
      bind_once(addresses_, object_of<AddressVector>(other));
      return 0;
    case FI_CLASS_CQ:
      return bind_queue(object_of<CompletionQueue>(other), flags);
    case FI_CLASS_CNTR:
      return bind_counter(object_of<Counter>(other), flags);
    case FI_CLASS_EQ:
      return 0;
    default:
      return -FI_EINVAL;
  }
}

int Endpoint::bind_queue(CompletionQueue& queue, std::uint64_t flags) {
  if ((flags & ~(FI_TRANSMIT | FI_RECV | FI_SELECTIVE_COMPLETION)) != 0) return -FI_EINVAL;
  const auto bind_side = [&](Side& side) {
    bind_once(side.queue, queue);
    if ((flags & FI_SELECTIVE_COMPLETION) != 0) return;
    side.flags |= FI_COMPLETION;
    side.message_flags = FI_COMPLETION;
  };
  if ((flags & FI_TRANSMIT) != 0) bind_side(sends_);
  if ((flags & FI_RECV) != 0) bind_side(receives_);
  return 0;
}

/// Counters of operations that are not offered are accepted, and stay at zero.
int Endpoint::bind_counter(Counter& counter, std::uint64_t flags) {
  if ((flags & counted_sends) != 0) bind_once(sends_.counter, counter);
  if ((flags & counted_receives) != 0) bind_once(receives_.counter, counter);
  return 0;
}

int Endpoint::enable() try {
  if (engine_ != nullptr) return 0;
  if (addresses_ == nullptr) return -FI_ENOAV;
  engine_ = std::make_unique<net::Endpoint>(net::settings_from_environment());
  addresses_->add(*this);
  for_each_bound([this](auto& object) { object.endpoints.add(*engine_); });
  return 0;
} catch (const std::bad_alloc&) {
  return -FI_ENOMEM;
} catch (const std::exception& error) {
  net::complain(error.what());
  return -FI_EADDRNOTAVAIL;
}

int Endpoint::get_name(void* place, std::size_t* length) const {
  if (engine_ == nullptr) return -FI_EOPBADSTATE;
  const std::size_t room = *length;
  *length = sizeof(net::Name);
  std::memcpy(place, &engine_->name(), std::min(room, sizeof(net::Name)));
  return room < sizeof(net::Name) ? -FI_ETOOSMALL : 0;
}

int Endpoint::get_option(int name, void* value, std::size_t* length) const {
  if (name != FI_OPT_MIN_MULTI_RECV) return -FI_ENOPROTOOPT;
  if (*length < sizeof multi_receive_minimum_) return -FI_ETOOSMALL;
  std::memcpy(value, &multi_receive_minimum_, sizeof multi_receive_minimum_);
  *length = sizeof multi_receive_minimum_;
  return 0;
}

int Endpoint::set_option(int name, const void* value, std::size_t length) {
  if (name != FI_OPT_MIN_MULTI_RECV) return -FI_ENOPROTOOPT;
  if (length != sizeof multi_receive_minimum_) return -FI_EINVAL;
  std::memcpy(&multi_receive_minimum_, value, length);
  return 0;
}

void Endpoint::know(fi_addr_t address, const net::Name& name) {
  const net::Peer peer = engine_->peer(name);
  peers_.set(address, peer);
  address_by_.set(peer, static_cast<std::uint32_t>(address));
}

/// Messages of that process still come, from nobody that is known.
void Endpoint::forget(fi_addr_t address) {
  const net::Peer peer = peers_.at(address);
  peers_.set(address, NumberTable::none);
  if (peer != NumberTable::none && address_by_.at(peer) == address)
    address_by_.set(peer, NumberTable::none);
}

fi_addr_t Endpoint::address_of(net::Peer peer) const {
  const std::uint32_t address = address_by_.at(peer);
  return address == NumberTable::none ? FI_ADDR_NOTAVAIL : address;
}

bool Endpoint::directed(net::Space space) const {
  const std::uint64_t wanted =
      space == net::Space::tagged ? FI_DIRECTED_RECV | tagged_directed_receive : FI_DIRECTED_RECV;
  return (capabilities_ & wanted) != 0;
}

ssize_t Endpoint::send(const Transfer& transfer) {
  if (engine_ == nullptr) return -FI_EOPBADSTATE;
  const net::Peer peer = peers_.at(transfer.address);
  if (peer == NumberTable::none || transfer.buffers.size() > net::max_segments) return -FI_EINVAL;
  const bool told = (transfer.flags & FI_COMPLETION) != 0 && sends_.queue != nullptr;
  const net::Status status =
      engine_->send({.peer = peer,
                     .space = transfer.space,
                     .tag = transfer.tag,
                     .data = transfer.data,
                     .has_data = (transfer.flags & FI_REMOTE_CQ_DATA) != 0,
                     .inject = (transfer.flags & FI_INJECT) != 0,
                     .delivery_complete = (transfer.flags & FI_DELIVERY_COMPLETE) != 0,
                     .silent = !told && sends_.counter == nullptr,
                     .buffers = transfer.buffers,
                     .sink = this,
                     .context = transfer.context,
                     .flags = transfer.flags});
  return -error_number(status);
}

/// False: the address is not in the vector, or there are too many buffers.
bool Endpoint::understand(const Transfer& transfer, net::Pattern& pattern) const {
  pattern = {.space = transfer.space, .tag = transfer.tag, .ignore = transfer.ignore};
  if (transfer.address != FI_ADDR_UNSPEC && directed(transfer.space)) {
    pattern.source = peers_.at(transfer.address);
    if (pattern.source == NumberTable::none) return false;
  }
  return transfer.buffers.size() <= net::max_segments;
}

ssize_t Endpoint::receive(const Transfer& transfer) {
  if (engine_ == nullptr) return -FI_EOPBADSTATE;
  net::Pattern pattern;
  if (!understand(transfer, pattern)) return -FI_EINVAL;
  if ((transfer.flags & FI_PEEK) != 0) return peek(transfer, pattern);
  if ((transfer.flags & FI_DISCARD) != 0)
    return -error_number(engine_->discard_claimed(transfer.context, this, transfer.flags));
  const bool told = (transfer.flags & FI_COMPLETION) != 0 && receives_.queue != nullptr;
  const net::ReceiveRequest request{.pattern = pattern,
                                    .silent = !told && receives_.counter == nullptr,
                                    .multi = (transfer.flags & FI_MULTI_RECV) != 0,
                                    .multi_minimum = multi_receive_minimum_,
                                    .buffers = transfer.buffers,
                                    .sink = this,
                                    .context = transfer.context,
                                    .flags = transfer.flags};
  const bool claimed = (transfer.flags & FI_CLAIM) != 0;
  return -error_number(claimed ? engine_->receive_claimed(request) : engine_->receive(request));
}

/// What is not there is told by an error entry, never by the call: Open MPI takes the call's for a
/// failure.
ssize_t Endpoint::peek(const Transfer& transfer, const net::Pattern& pattern) {
  engine_->peek({.pattern = pattern,
                 .claim = (transfer.flags & FI_CLAIM) != 0,
                 .discard = (transfer.flags & FI_DISCARD) != 0,
                 .sink = this,
                 .context = transfer.context,
                 .flags = transfer.flags | FI_COMPLETION});
  return 0;
}

ssize_t Endpoint::cancel(void* context) {
  return engine_ != nullptr && engine_->cancel(context) ? 0 : -FI_ENOENT;
}

void Endpoint::complete(const net::Completion& completion) {
  const bool sent = completion.kind == net::Completion::Kind::send;
  const Side& side = sent ? sends_ : receives_;
  const bool failed = completion.status != net::Status::ok;
  if (side.counter != nullptr && completion.kind != net::Completion::Kind::peek)
    side.counter->count(failed);
  if (side.queue == nullptr) return;
  const fi_addr_t source = sent ? FI_ADDR_NOTAVAIL : address_of(completion.envelope.source);
  if (!failed) {
    if ((completion.flags & FI_COMPLETION) != 0) side.queue->push(entry_of(completion), source);
  } else if ((completion.flags & FI_INJECT) == 0 || completion.context != nullptr) {
    // MPIs look at the context of every error, and an injected message has none.
    side.queue->push_error(error_entry_of(completion), source);
  }
}

int open_endpoint(fid_domain* handle, fi_info* info, fid_ep** opened, void* context) try {
  if (info->ep_attr != nullptr && info->ep_attr->type != FI_EP_RDM) return -FI_EINVAL;
  auto* endpoint = new Endpoint(object_of<Domain>(&handle->fid), *info);
  endpoint->fid = {.fclass = FI_CLASS_EP, .context = context, .ops = &endpoint_object_operations};
  *opened = endpoint;
  return 0;
} catch (const std::exception&) {
  return -FI_ENOMEM;
}

}  // namespace suiro::fabric
