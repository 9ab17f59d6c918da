// SPDX-License-Identifier: BSD-3-Clause
// fi_mr_reg: any memory may be sent from and received into without being registered, so that every
// registration succeeds and does nothing. Remote access, once there is any, will look regions up by
// their keys.
#include <new>

#include "fabric/domain.hpp"
#include "fabric/object.hpp"

namespace suiro::fabric {
namespace {

struct Region : fid_mr {
  using Handle = fid_mr;
  explicit Region(Domain& owner) : fid_mr{}, domain(owner) {}
  Domain& domain;
};

int close_region(fid* handle) {
  auto& region = object_of<Region>(handle);
  --region.domain.users;
  delete &region;
  return 0;
}

int bind_region(fid*, fid*, std::uint64_t) { return 0; }

int control_region(fid*, int command, void*) {
  return command == FI_ENABLE || command == FI_REFRESH ? 0 : -FI_ENOSYS;
}

fi_ops region_operations = operations(close_region, bind_region, control_region);

int register_region(fid* handle, std::uint64_t requested_key, void* context, fid_mr** opened) {
  if (handle->fclass != FI_CLASS_DOMAIN) return -FI_EINVAL;
  auto& domain = object_of<Domain>(handle);
  auto* region = new (std::nothrow) Region(domain);
  if (region == nullptr) return -FI_ENOMEM;
  region->fid = {.fclass = FI_CLASS_MR, .context = context, .ops = &region_operations};
  region->mem_desc = region;
  region->key = requested_key;
  ++domain.users;
  *opened = region;
  return 0;
}

int register_buffer(fid* domain, const void*, std::size_t, std::uint64_t, std::uint64_t,
                    std::uint64_t key, std::uint64_t, fid_mr** region, void* context) {
  return register_region(domain, key, context, region);
}

int register_buffers(fid* domain, const iovec*, std::size_t, std::uint64_t, std::uint64_t,
                     std::uint64_t key, std::uint64_t, fid_mr** region, void* context) {
  return register_region(domain, key, context, region);
}

/// Only what the structure has had since libfabric 1.5 is read. (FI_HMEM is never offered.)
int register_with_attributes(fid* domain, const fi_mr_attr* attributes, std::uint64_t,
                             fid_mr** region) {
  return register_region(domain, attributes->requested_key, attributes->context, region);
}

}  // namespace

fi_ops_mr memory_operations{.size = sizeof(fi_ops_mr),
                            .reg = register_buffer,
                            .regv = register_buffers,
                            .regattr = register_with_attributes};

}  // namespace suiro::fabric
