// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rdma/fi_domain.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "fabric/domain.hpp"
#include "net/protocol/name.hpp"

namespace suiro::fabric {

class Endpoint;

/// Addresses are the names' indices, for maps and tables alike: the lowest that is not in use.
class AddressVector : public fid_av {
 public:
  using Handle = fid_av;
  explicit AddressVector(Domain& owner) : fid_av{}, domain(owner) {}

  fi_addr_t insert(const net::Name& name);
  bool remove(fi_addr_t address);
  std::optional<net::Name> lookup(fi_addr_t address);

  /// An endpoint that is told of all names, those that come later included.
  void add(Endpoint& endpoint);
  void remove(Endpoint& endpoint);

  Domain& domain;
  std::atomic<int> users{0};  // endpoints that it is bound to

 private:
  std::mutex mutex_;
  std::vector<std::optional<net::Name>> names_;
  std::set<fi_addr_t> removed_;  // addresses without a name
  std::vector<Endpoint*> endpoints_;
};

int open_address_vector(fid_domain* domain, fi_av_attr* attributes, fid_av** vector, void* context);

}  // namespace suiro::fabric
