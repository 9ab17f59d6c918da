// SPDX-License-Identifier: BSD-3-Clause
// What all parts of an engine share.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/pool.hpp"
#include "host/links.hpp"
#include "net/carrier/carrier.hpp"
#include "net/engine/credit.hpp"
#include "net/engine/fetched_message.hpp"
#include "net/engine/frame_list.hpp"
#include "net/engine/suspicions.hpp"
#include "net/links/link_board.hpp"
#include "net/operations/sends.hpp"
#include "net/protocol/message.hpp"
#include "net/protocol/name.hpp"
#include "net/protocol/settings.hpp"
#include "net/protocol/statistics.hpp"

namespace suiro::net {

/// Less of a long message is not worth to go ahead of the rest.
constexpr std::uint64_t least_ahead = 4 << 10;

/// Between peers that take turns hardly a message is behind another, so longer ones may go whole.
constexpr std::uint64_t longer_in_turns = 8;

/// What may go to a peer before it asks for it: a message that is no longer than this, and, unless
/// `only_whole`, as much of a longer one.
struct Ahead {
  std::uint64_t bytes = 0;
  bool only_whole = false;
  bool fits(std::uint64_t length) const { return length <= bytes; }
  bool fits_in_turns(std::uint64_t length) const {
    return only_whole && length <= longer_in_turns * bytes;
  }
  std::uint64_t of_longer() const { return only_whole ? 0 : bytes; }
};

/// On a rail that is suspected, timeouts are so many times shorter.
constexpr int suspicious = 4;

class Timers;

/// Hears that operations fail, since no way is left to this peer; `reason` is for people.
using PeerLost = std::function<void(const Name& peer, std::string_view reason)>;

struct Core {
  const Settings settings;
  const Name own;
  const std::vector<host::Link> links;
  Carrier& carrier;
  Timers& timers;
  const PeerLost peer_lost;
  Statistics statistics{};
  Sends sends{settings, statistics};
  Pool<Frame> frames{};
  Pool<Transfer> transfers{};
  CreditPool credit{settings};
  Suspicions suspicions{};
  LinkLoads loads;      // of what comes
  LinkLoads departing;  // of what goes

  /// Somebody was silent on this rail of ours.
  void suspect(std::size_t rail) { suspicions.raise(rail, statistics, carrier.now_ns()); }
  /// And nothing has come on it since, while one of our rails is not suspected: if all are, the
  /// network is slow, or the peers are.
  bool suspects(std::size_t rail) const;
};

}  // namespace suiro::net
