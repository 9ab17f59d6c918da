// SPDX-License-Identifier: BSD-3-Clause
// A network as the model sees it: one value, from a cluster.toml, a lab's specification, or what
// every node knows without measuring. Rates are of user bytes per second, times in seconds.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

namespace suiro {

/// What a switch's port does when several nodes send to it at once.
enum class SwitchKind : std::uint8_t {
  voq,     // lossless, one queue per output: a port is shared fairly and nothing else is held up
  hol,     // lossless, one queue per input: what waits for a busy port holds up what is behind it
  pause,   // lossless by pause frames: a full output stops whole senders, as `hol` does
  shared,  // one buffer for all ports, and what does not fit is lost and sent again
};
inline constexpr std::array<std::string_view, 4> switch_kind_names = {"voq", "hol", "pause",
                                                                      "shared"};
inline std::string_view name(SwitchKind kind) {
  return switch_kind_names[static_cast<std::size_t>(kind)];
}
/// Nothing when there is no such kind.
std::optional<SwitchKind> switch_kind_of(std::string_view name);

/// What a port out of the switch has had to do with at once, at most: messages of one node, of
/// several, or of several and more than a shared buffer takes.
enum class Ports : std::uint8_t { single, several, flooded };

/// What took its time on one kind of switch, with no more than this at a port, takes the same on
/// the other.
inline bool same_time(SwitchKind one, SwitchKind other, Ports ports) {
  const auto shares_fairly = [&](SwitchKind kind) {
    return kind == SwitchKind::voq || (kind == SwitchKind::shared && ports == Ports::several);
  };
  return one == other || ports == Ports::single || (shares_fairly(one) && shares_fairly(other));
}

/// Between any two sites.
struct Wan {
  double Bps = 0;        // of all streams from one site to another
  double latency_s = 0;  // one way
  double window = 1e18;  // bytes that one stream may have on the way
  friend bool operator==(const Wan&, const Wan&) = default;
};

struct Network {
  SwitchKind kind = SwitchKind::voq;
  double link_Bps = 117e6;        // of one link, one way: 1 Gbit/s with frames' headers
  double stream_Bps = 0;          // of one TCP stream, less than that in clouds; 0: all of a link
  double message_s = 10e-6;       // processor time that a message takes of its sender and receiver
  double latency_s = 40e-6;       // between nodes of a site, one way, above that
  double local_message_s = 1e-6;  // the same two between ranks of a node
  double local_latency_s = 0.5e-6;
  double signal_s = 0.2e-6;   // to set a counter in shared memory, or to see that it was set
  double copy_Bps = 8e9;      // of a copy
  double local_Bps = 4e9;     // of a long message inside a node, which its receiver copies
  double reduce_Bps = 5e9;    // of an operation on two operands
  double kernel_Bps = 2.5e9;  // at which a processor hands bytes to the network, or takes them
  double processors = 0;      // of a node, which its ranks share; 0: each has its own
  double eager = 65536;       // a longer message asks first whether it may come
  double buffer = 256 << 10;  // of a `shared` switch, bytes in the queue of one port
  double retransmit_s = 0.2;  // until TCP repeats what was lost last
  Wan wan = {};
  friend bool operator==(const Network&, const Network&) = default;
};

/// Of a message between nodes: of frame, IP, TCP and MPI.
inline constexpr double message_header_bytes = 96;

/// TCP streams that it takes to fill a link.
inline int streams_of(const Network& network) {
  constexpr double most = 64;
  if (network.stream_Bps <= 0) return 1;
  return static_cast<int>(std::clamp(std::round(network.link_Bps / network.stream_Bps), 1.0, most));
}

}  // namespace suiro
