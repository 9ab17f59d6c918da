// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rdma/fi_domain.h>

#include <atomic>

#include "fabric/fabric.hpp"

namespace suiro::fabric {

struct Domain : fid_domain {
  using Handle = fid_domain;
  Domain(Fabric& owner, const fi_domain_attr& attributes)
      : fid_domain{}, fabric(owner), av_type(attributes.av_type) {}

  /// What version of libfabric the application was written for: how long the structures are that
  /// it hands over to be filled.
  std::uint32_t version() const { return fabric.api_version; }

  Fabric& fabric;
  fi_av_type av_type;
  std::atomic<int> users{0};  // what was opened of it
};

int open_domain(fid_fabric* fabric, fi_info* info, fid_domain** domain, void* context);

/// In mr.cpp: registering memory, which the engine does not need, always succeeds.
extern fi_ops_mr memory_operations;

}  // namespace suiro::fabric
