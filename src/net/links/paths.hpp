// SPDX-License-Identifier: BSD-3-Clause
// Which ways there are to a peer, and in which order they are taken.
#pragma once

#include <vector>

#include "host/links.hpp"
#include "net/carrier/carrier.hpp"
#include "net/protocol/name.hpp"

namespace suiro::net {

/// For each own rail the peer's rail on the same network; if no networks are shared, by number. -1:
/// none.
std::vector<int> matching_rails(const std::vector<host::Link>& own, const Name& peer);

struct Paths {
  std::vector<Route> routes;  // over TCP, the preferred one first
  bool same_host = false;     // shared memory is tried before any of them

  /// No rail is the only one of its end. Both ends come to the same.
  bool have_spares() const;
};

/// Both ends find the same order. Between two hosts, a process of the host with the smaller number
/// prefers the rail of its local rank, whoever it talks to: so the processes of a host, each
/// talking to one process of another, use every rail equally, however they are paired.
Paths paths_to(const std::vector<host::Link>& links, const Name& own, const Name& peer);

}  // namespace suiro::net
