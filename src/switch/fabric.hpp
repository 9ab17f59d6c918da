// SPDX-License-Identifier: BSD-3-Clause
// The switch as an idea: ports, links and queues in virtual time, without devices or clocks. Every
// event is one MTU frame that finishes on a link, and its time follows from the event before it,
// never from when somebody looked. So a caller that comes late loses no rate, and a test can run a
// minute of traffic in a blink.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "switch/frame.hpp"

namespace suiro {

using Time = std::int64_t;  // nanoseconds
inline constexpr Time never = std::numeric_limits<Time>::max();
inline constexpr Time second = 1'000'000'000;

/// A frame inside the switch. `storage` belongs to whoever made it; the fabric looks only at shape
/// and target.
struct Frame {
  FrameShape shape;
  int target = 0;      // port
  int unresolved = 0;  // MTU frames neither delivered nor discarded yet
  std::span<std::byte> storage;
};

/// One MTU frame of a frame.
struct Segment {
  Frame* frame = nullptr;
  int index = 0;
  int source = 0;  // port

  int bytes() const { return frame->shape.segment_bytes(index); }
};

/// The hosts at the ends of the links.
class Hosts {
 public:
  virtual ~Hosts() = default;
  /// The next frame that a host has waiting; null if it has none.
  virtual Frame* pull(int port) = 0;
  /// An MTU frame has left the switch towards this port's host.
  virtual void deliver(int port, const Segment& segment) = 0;
  /// An MTU frame found no room.
  virtual void discard(const Segment& segment) = 0;
};

enum class Model : std::uint8_t { hol, voq, shared, pause };

struct PortConfig {
  std::string name;
  std::string tap;
  std::uint64_t address = 0;
  std::int64_t rate_bps = 0;
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

class Fabric {
 public:
  Fabric(const std::vector<PortConfig>& ports, Hosts& hosts);
  virtual ~Fabric() = default;
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  /// When the next MTU frame finishes; `never` if all is still.
  Time next_event() const { return next_event_; }
  /// Handles everything that is due at next_event().
  void step();
  /// Handles everything that is due until `now`.
  void advance(Time now);
  /// A host that was out of frames has some again; nothing is due before `now`.
  void wake(int port, Time now);
  /// Whether wake() should be called when this host has a frame.
  virtual bool wants(int port) const = 0;

  const PortCounters& counters(int port) const { return counters_[index(port)]; }
  void reset_counters();

 protected:
  static std::size_t index(int port) { return static_cast<std::size_t>(port); }
  int ports() const { return static_cast<int>(rates_bps_.size()); }
  /// The time that a frame of these bytes takes on a port's link.
  Time wire_time(int port, int frame_bytes) const;
  Time now() const { return now_; }
  PortCounters& count(int port) { return counters_[index(port)]; }
  Hosts& hosts() { return hosts_; }
  void count_received(const Segment& segment);
  void deliver(int port, const Segment& segment);

  virtual void finish_due() = 0;          // what ends at now()
  virtual void refill(int port) = 0;      // take what the host has, as far as it is needed
  virtual void start() = 0;               // what can begin at now()
  virtual Time find_next() const = 0;     // the next event after start()
  virtual void account(Time passed) = 0;  // nothing changed for so long

 private:
  void move_clock(Time now);

  std::vector<std::int64_t> rates_bps_;
  std::vector<PortCounters> counters_;
  Hosts& hosts_;
  Time now_ = 0;
  Time next_event_ = never;
};

std::unique_ptr<Fabric> make_fabric(Model model, std::int64_t buffer_bytes,
                                    const std::vector<PortConfig>& ports, Hosts& hosts);

}  // namespace suiro
