// SPDX-License-Identifier: BSD-3-Clause
#include "net/frames/core.hpp"

namespace suiro::net {

bool Core::suspects(std::size_t rail) const {
  if (!suspicions.hold(rail, statistics, carrier)) return false;
  for (std::size_t other = 0; other < links.size(); ++other)
    if (!suspicions.hold(other, statistics, carrier)) return true;
  return false;
}

}  // namespace suiro::net
