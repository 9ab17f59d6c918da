// SPDX-License-Identifier: BSD-3-Clause
#include "verify/properties.hpp"

namespace suiro {

std::optional<Violation> counterexample(Property property, const Schedule& schedule,
                                        const Topology& topology) {
  switch (property) {
    case Property::one_peer_per_node_per_round:
      return one_peer_per_node_per_round(schedule, topology);
    case Property::direct:
      return direct(schedule);
  }
  return std::nullopt;
}

}  // namespace suiro
