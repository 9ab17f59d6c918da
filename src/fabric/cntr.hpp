// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rdma/fi_domain.h>

#include <atomic>

#include "fabric/domain.hpp"
#include "fabric/endpoint_set.hpp"

namespace suiro::fabric {

struct Counter : fid_cntr {
  using Handle = fid_cntr;
  explicit Counter(Domain& owner) : fid_cntr{}, domain(owner) {}

  void count(bool failed) { ++(failed ? errors : successes); }

  Domain& domain;
  std::atomic<int> users{0};  // endpoints that it is bound to
  EndpointSet endpoints;
  std::atomic<std::uint64_t> successes{0};
  std::atomic<std::uint64_t> errors{0};
};

int open_counter(fid_domain* domain, fi_cntr_attr* attributes, fid_cntr** counter, void* context);

}  // namespace suiro::fabric
