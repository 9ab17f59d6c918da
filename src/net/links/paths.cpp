// SPDX-License-Identifier: BSD-3-Clause
#include "net/links/paths.hpp"

#include <algorithm>
#include <tuple>

namespace suiro::net {

Paths paths_to(const std::vector<Link>& links, const Name& own, const Name& peer) {
  Paths paths;
  paths.same_host = own.host == peer.host;
  const std::vector<int> matching = matching_rails(links, peer);
  for (std::size_t rail = 0; rail < matching.size(); ++rail)
    if (matching[rail] >= 0)
      paths.routes.push_back({.shared_memory = false,
                              .own_rail = static_cast<std::uint8_t>(rail),
                              .peer_rail = static_cast<std::uint8_t>(matching[rail])});
  if (paths.routes.empty()) return paths;

  // Rails in one order at both ends: the order of the process that decides.
  const bool own_decides = std::tie(own.host, own.nonce) < std::tie(peer.host, peer.nonce);
  std::ranges::sort(paths.routes, {}, [&](const Route& route) {
    return own_decides ? route.own_rail : route.peer_rail;
  });
  const std::size_t first = (own_decides ? own.local_rank : peer.local_rank) % paths.routes.size();
  const auto begin = paths.routes.begin();
  std::rotate(begin, begin + static_cast<std::ptrdiff_t>(first), paths.routes.end());
  return paths;
}

}  // namespace suiro::net
