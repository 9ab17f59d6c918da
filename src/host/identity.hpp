// SPDX-License-Identifier: BSD-3-Clause
// On which host a process is, as its peers see it.
#pragma once

#include <cstdint>

namespace suiro::host {

/// The same for processes that can share memory: same boot of the same kernel, same network
/// namespace (containers and virtual hosts are hosts of their own).
std::uint64_t host_identity();

/// The same for processes of one node, on all of them: by boot, network namespace and the host's
/// name. Where /proc does not tell the first two, the name decides.
std::uint64_t node_identity();

/// The same for processes of a host that find each other's files under /proc: in one namespace of
/// processes and one of users (namespaces(7)). Where every rank is in a container of its own, it is
/// not.
std::uint64_t view_identity();

/// Of a host on which no other process is known to be.
std::uint64_t lone_identity();

}  // namespace suiro::host
