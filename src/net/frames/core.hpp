// SPDX-License-Identifier: BSD-3-Clause
// What the sessions of an engine share, for this room and for `engine`: settings, carrier, pools,
// counters, and which links are suspected.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/pool.hpp"
#include "host/links.hpp"
#include "net/carrier/carrier.hpp"
#include "net/frames/frame_list.hpp"
#include "net/links/link_board.hpp"
#include "net/links/pace.hpp"
#include "net/links/suspicions.hpp"
#include "net/operations/credit.hpp"
#include "net/operations/fetched_message.hpp"
#include "net/operations/sends.hpp"
#include "net/protocol/message.hpp"
#include "net/protocol/name.hpp"
#include "net/protocol/settings.hpp"
#include "net/protocol/statistics.hpp"

namespace suiro::net {

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
