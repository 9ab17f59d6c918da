// SPDX-License-Identifier: BSD-3-Clause
// Every rank of a node sends one block to every rank of every other node.
#include "model/bound.hpp"

#include <algorithm>

namespace suiro {

double alltoall_bound_s(const Topology& topology, std::int64_t block_bytes,
                        double link_goodput_Bps) {
  double seconds = 0;
  for (int node = 0; node < topology.nodes(); ++node) {
    const double ppn = topology.ppn(node);
    const double leaving_bytes = ppn * (topology.ranks() - ppn) * static_cast<double>(block_bytes);
    seconds = std::max(seconds, leaving_bytes / (topology.links(node) * link_goodput_Bps));
  }
  return seconds;
}

}  // namespace suiro
