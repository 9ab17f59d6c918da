// SPDX-License-Identifier: BSD-3-Clause
// What all parts of an engine share, and the beginnings and ends of sends.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/pool.hpp"
#include "host/links.hpp"
#include "net/carrier/carrier.hpp"
#include "net/engine/credit.hpp"
#include "net/engine/suspicions.hpp"
#include "net/links/link_board.hpp"
#include "net/operations/operations.hpp"
#include "net/protocol/message.hpp"
#include "net/protocol/name.hpp"
#include "net/protocol/settings.hpp"
#include "net/protocol/statistics.hpp"

namespace suiro::net {

/// What a message costs its receiver in memory, at most, while nobody has asked for it. Headers
/// count, so that empty messages cannot fill the memory either.
constexpr std::uint64_t cost(std::uint64_t message_bytes) { return message_bytes + 64; }

/// And its sender, while it waits though its user has the memory back: what describes it, too.
constexpr std::uint64_t injected_cost(std::uint64_t message_bytes) { return message_bytes + 512; }

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

/// Whether what comes with this frame costs the sender credit.
inline bool charges(const Header& header) {
  return header.kind == FrameKind::eager || header.payload_bytes > 0;
}

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
  Pool<Send> sends{};
  Pool<Receive> receives{};
  Pool<Unexpected> messages{};
  Pool<Frame> frames{};
  Pool<Transfer> transfers{};
  std::uint64_t injected_bytes = 0;  // by sends whose memory the user has back
  std::uint64_t unreachable = 0;     // operations that ended so
  CreditPool credit{settings};
  Suspicions suspicions{};
  LinkLoads loads;      // of what comes
  LinkLoads departing;  // of what goes

  /// Whether that much more may be injected.
  bool may_inject(std::uint64_t bytes) const {
    return injected_bytes + injected_cost(bytes) <= settings.inject_budget;
  }

  /// Somebody was silent on this rail of ours.
  void suspect(std::size_t rail) { suspicions.raise(rail, statistics, carrier.now_ns()); }
  /// And nothing has come on it since, while one of our rails is not suspected: if all are, the
  /// network is slow, or the peers are.
  bool suspects(std::size_t rail) const;

  /// Remembers a send; copies what is injected, and what `copy` says.
  Send& remember(const SendRequest& request, bool copy);
  /// Tells the user, once, and forgets the send.
  void finish(Send& send, Status status);
  /// Tells the user, and keeps the copy.
  void tell(Send& send, Status status);
  /// Tells the user of a send that was never remembered.
  static void tell(const SendRequest& request, std::uint64_t length);
};

/// The bytes of a list.
std::uint64_t total_bytes(std::span<const iovec> pieces);

}  // namespace suiro::net
