// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rdma/fabric.h>

#include <atomic>

namespace suiro::fabric {

struct Fabric : fid_fabric {
  using Handle = fid_fabric;
  std::atomic<int> users{0};  // domains and event queues that are open
};

int open_fabric(fi_fabric_attr* attributes, fid_fabric** fabric, void* context);

}  // namespace suiro::fabric
