// SPDX-License-Identifier: BSD-3-Clause
// How fast the links of this node are, as its network interfaces report it.
#pragma once

#include <cstdint>

namespace suiro::mpi {

/// Of the links over which a node reaches others. Several are of use together when they are as fast
/// as each other, so the fastest ones count.
struct NodeLinks {
  std::uint32_t megabits = 0;  // of one; 0: not known
  std::int32_t count = 1;
};

NodeLinks find_node_links();

}  // namespace suiro::mpi
