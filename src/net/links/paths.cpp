// SPDX-License-Identifier: BSD-3-Clause
#include "net/links/paths.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace suiro::net {

std::vector<int> matching_rails(const std::vector<host::Link>& own, const Name& peer) {
  const int peer_rails = std::min<int>(peer.rails, max_rails);
  std::vector<int> rails;
  std::array<bool, max_rails> taken{};
  for (const host::Link& link : own) {
    int match = -1;
    for (int rail = 0; rail < peer_rails; ++rail) {
      const bool fits = host::same_network(link.address, peer.addresses[rail], link.prefix);
      if (fits && (match < 0 || (taken[match] && !taken[rail]))) match = rail;
    }
    if (match >= 0) taken[match] = true;
    rails.push_back(match);
  }
  const bool shared = std::ranges::any_of(rails, [](int rail) { return rail >= 0; });
  for (int i = 0; !shared && i < peer_rails && i < std::ssize(rails); ++i) rails[i] = i;
  return rails;
}

bool Paths::have_spares() const {
  const auto several = [&](std::uint8_t Route::*rail) {
    return std::ranges::any_of(
        routes, [&](const Route& route) { return route.*rail != routes.front().*rail; });
  };
  return several(&Route::own_rail) && several(&Route::peer_rail);
}

Paths paths_to(const std::vector<host::Link>& links, const Name& own, const Name& peer) {
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
