// SPDX-License-Identifier: BSD-3-Clause
// What forwards frames between hosts, whatever it is made of: one switch (Fabric) or several with
// links between them (LinkedFabrics). All of it lives in virtual time. Every event is one MTU frame
// that finishes somewhere, and its time follows from the event before it, never from when somebody
// looked. So a caller that comes late loses no rate, and a test can run a minute of traffic in a
// blink.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "switch/frame.hpp"

namespace suiro {

using Time = std::int64_t;  // nanoseconds
inline constexpr Time never = std::numeric_limits<Time>::max();
inline constexpr Time second = 1'000'000'000;

/// A frame inside the network. `storage` belongs to whoever made it; the network looks only at
/// shape and ends.
struct Frame {
  FrameShape shape;
  int source = 0;      // port
  int target = 0;      // port
  int unresolved = 0;  // MTU frames neither delivered nor discarded yet
  std::span<std::byte> storage;
};

/// Consecutive MTU frames of one frame.
struct Run {
  Frame* frame = nullptr;
  int first = 0;
  int count = 0;
};

/// One MTU frame of a frame.
struct Segment {
  Frame* frame = nullptr;
  int index = 0;
  int source = 0;  // the port through which it came in

  int bytes() const { return frame->shape.segment_bytes(index); }
};

/// What is at the other ends of the links: hosts, and for a switch among several other switches.
class Hosts {
 public:
  virtual ~Hosts() = default;
  /// What a port has waiting next; without a frame if it has nothing.
  virtual Run pull(int port) = 0;
  /// An MTU frame has left towards this port.
  virtual void deliver(int port, const Segment& segment) = 0;
  /// An MTU frame found no room.
  virtual void discard(const Segment& segment) = 0;
  /// Whether another switch at this port can take a full frame; hosts always can.
  virtual bool room(int /*port*/) { return true; }
};

/// "Received" is what the port's host sent. Bytes are those of the wire, frames are MTU frames.
struct PortCounters {
  std::int64_t received_bytes = 0;
  std::int64_t received_frames = 0;
  std::int64_t sent_bytes = 0;
  std::int64_t sent_frames = 0;
  std::int64_t drops = 0;
  std::int64_t drop_bytes = 0;
  std::int64_t pauses = 0;
  Time paused = 0;
  Time blocked = 0;      // the next frame of the host could not enter
  Time hol_blocked = 0;  // ... while a frame behind it, or it itself under pause, had a free output
};

/// One way of a link between two switches. What it carried was counted where it was sent, how it
/// was held up where it arrived.
struct WayCounters {
  std::string name;
  std::int64_t rate_bps = 0;
  std::int64_t lost = 0;  // by the WAN itself, not for want of room
  PortCounters counters;
};

class Network {
 public:
  Network() = default;
  virtual ~Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// When the next MTU frame finishes; `never` if all is still.
  virtual Time next_event() const = 0;
  /// Handles everything that is due at next_event().
  virtual void step() = 0;
  /// A host that was out of frames has some again; nothing is due before `now`.
  virtual void wake(int port, Time now) = 0;
  /// Whether wake() should be called when this host has a frame.
  virtual bool wants(int port) const = 0;
  virtual const PortCounters& counters(int port) const = 0;
  virtual std::vector<WayCounters> ways() const { return {}; }
  virtual void reset_counters() = 0;
  /// Links carry so much of their rate from now on, above 0 and at most 1, as if others used them.
  virtual void throttle(double share) = 0;

  /// Handles everything that is due until `now`.
  void advance(Time now) {
    while (next_event() <= now) step();
  }
};

}  // namespace suiro
