// SPDX-License-Identifier: BSD-3-Clause
// Who a process is to others: the fields of its name that the system knows.
#pragma once

#include <cstdint>
#include <vector>

#include "host/links.hpp"
#include "net/protocol/name.hpp"
#include "net/protocol/settings.hpp"

namespace suiro::net {

/// The same for processes that can share memory: same boot of the same kernel, same network
/// namespace (containers and virtual hosts are hosts of their own).
std::uint64_t host_identity();

/// Of a host on which no other process is known to be.
std::uint64_t lone_identity();

/// A new name, but for the port. Without shared memory it tells of a host of its own.
Name new_name(const Settings& settings, const std::vector<Link>& links);

}  // namespace suiro::net
