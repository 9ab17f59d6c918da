// SPDX-License-Identifier: BSD-3-Clause
// fi_domain: where everything else is opened.
#include "fabric/domain.hpp"

#include <new>

#include "fabric/av.hpp"
#include "fabric/cntr.hpp"
#include "fabric/cq.hpp"
#include "fabric/endpoint.hpp"
#include "fabric/object.hpp"

namespace suiro::fabric {
namespace {

int close_domain(fid* handle) {
  auto& domain = object_of<Domain>(handle);
  if (domain.users.load() != 0) return -FI_EBUSY;
  --domain.fabric.users;
  delete &domain;
  return 0;
}

/// An event queue may be bound; no operation here goes on after its call and would tell it.
int bind_domain(fid*, fid* other, std::uint64_t) {
  return other->fclass == FI_CLASS_EQ ? 0 : -FI_EINVAL;
}

int open_endpoint_with_flags(fid_domain* domain, fi_info* info, fid_ep** endpoint,
                             std::uint64_t flags, void* context) {
  return flags == 0 ? open_endpoint(domain, info, endpoint, context) : -FI_ENOSYS;
}

fi_ops domain_operations = operations(close_domain, bind_domain);
fi_ops_domain domain_openers{.size = sizeof(fi_ops_domain),
                             .av_open = open_address_vector,
                             .cq_open = open_completion_queue,
                             .endpoint = open_endpoint,
                             .scalable_ep = not_supported,
                             .cntr_open = open_counter,
                             .poll_open = not_supported,
                             .stx_ctx = not_supported,
                             .srx_ctx = not_supported,
                             .query_atomic = not_supported,
                             .query_collective = not_supported,
                             .endpoint2 = open_endpoint_with_flags};

}  // namespace

int open_domain(fid_fabric* handle, fi_info* info, fid_domain** opened, void* context) {
  auto& fabric = object_of<Fabric>(&handle->fid);
  auto* domain = new (std::nothrow) Domain(fabric, *info->domain_attr);
  if (domain == nullptr) return -FI_ENOMEM;
  domain->fid = {.fclass = FI_CLASS_DOMAIN, .context = context, .ops = &domain_operations};
  domain->ops = &domain_openers;
  domain->mr = &memory_operations;
  ++fabric.users;
  *opened = domain;
  return 0;
}

}  // namespace suiro::fabric
