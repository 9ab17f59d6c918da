// SPDX-License-Identifier: BSD-3-Clause
// On which host a process is, as its peers see it.
#pragma once

#include <cstdint>

namespace suiro::host {

/// The same for processes that can share memory: same boot of the same kernel, same network
/// namespace (containers and virtual hosts are hosts of their own).
std::uint64_t host_identity();

/// Of a host on which no other process is known to be.
std::uint64_t lone_identity();

}  // namespace suiro::host
