// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/alltoall/carriers.hpp"

namespace suiro::alltoall {

Gathering Carriers::gathering(int node, int round) const {
  Gathering result;
  if (round == 0) result.add(node);
  if (round < steps()) result.add(peers(node, round + 1).to);
  return result;
}

int Carriers::carrier(int node, int target) const {
  const int local = map_.local(target) + shift(node, map_.node(target));
  return map_.rank(node, local % map_.ppn(node));
}

int Carriers::first_target(int node, int carrier, int to) const {
  return modulo(carrier - shift(node, to), map_.ppn(node));
}

std::int64_t Carriers::carried(int node, int carrier, int to) const {
  const int ppn = map_.ppn(node);
  return (map_.ppn(to) - first_target(node, carrier, to) + ppn - 1) / ppn;
}

std::int64_t Carriers::carried(int node, int carrier, const Gathering& gathering) const {
  std::int64_t targets = 0;
  for (const int to : gathering) targets += carried(node, carrier, to);
  return targets;
}

}  // namespace suiro::alltoall
