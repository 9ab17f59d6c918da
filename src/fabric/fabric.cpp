// SPDX-License-Identifier: BSD-3-Clause
// fi_fabric: nothing but the place where domains come from.
#include "fabric/fabric.hpp"

#include <rdma/fi_eq.h>

#include <cstring>
#include <new>

#include "fabric/cq.hpp"
#include "fabric/domain.hpp"
#include "fabric/eq.hpp"
#include "fabric/object.hpp"

namespace suiro::fabric {
namespace {

int close_fabric(fid* handle) {
  auto& fabric = object_of<Fabric>(handle);
  if (fabric.users.load() != 0) return -FI_EBUSY;
  delete &fabric;
  return 0;
}

/// Whether the application may wait for what its queues' descriptors tell, or should read first.
int try_wait(fid_fabric*, fid** handles, int count) {
  for (int i = 0; i < count; ++i) {
    if (handles[i]->fclass == FI_CLASS_EQ) continue;
    if (handles[i]->fclass != FI_CLASS_CQ) return -FI_ENOSYS;
    if (!object_of<CompletionQueue>(handles[i]).may_wait()) return -FI_EAGAIN;
  }
  return 0;
}

int open_domain_with_flags(fid_fabric* fabric, fi_info* info, fid_domain** domain,
                           std::uint64_t flags, void* context) {
  return flags == 0 ? open_domain(fabric, info, domain, context) : -FI_ENOSYS;
}

fi_ops fabric_operations = operations(close_fabric);
fi_ops_fabric fabric_openers{.size = sizeof(fi_ops_fabric),
                             .domain = open_domain,
                             .passive_ep = not_supported,
                             .eq_open = open_event_queue,
                             .wait_open = not_supported,
                             .trywait = try_wait,
                             .domain2 = open_domain_with_flags};

}  // namespace

int open_fabric(fi_fabric_attr* attributes, fid_fabric** handle, void* context) {
  if (attributes->name != nullptr && std::strcmp(attributes->name, provider_name) != 0)
    return -FI_ENODATA;
  auto* fabric = new (std::nothrow) Fabric;
  if (fabric == nullptr) return -FI_ENOMEM;
  fabric->fid = {.fclass = FI_CLASS_FABRIC, .context = context, .ops = &fabric_operations};
  fabric->ops = &fabric_openers;
  *handle = fabric;
  return 0;
}

}  // namespace suiro::fabric
