// SPDX-License-Identifier: BSD-3-Clause
// One stream in shared memory: its two rings, and how bytes go through them, or past them. Who
// opens and closes it, and when it is looked at, is the carrier's part (carrier.hpp).
#pragma once

#include <string>

#include "net/carrier/carrier.hpp"
#include "net/shared/greeting.hpp"
#include "net/shared/pull.hpp"

namespace suiro::net {

struct SharedStream {
  enum class Phase : std::uint8_t {
    greeting,  // the opener waits for the acceptor's greeting
    greeted,   // the acceptor waits for the opener's
    new_here,  // the engine is to be told that it is open
    open,
    closed  // by the engine
  };

  SharedStream(StreamId id, Descriptor socket, bool opener)
      : id(id), socket(std::move(socket)), opener(opener) {}

  /// From now on bytes can be written and read.
  void connect(ReceivedGreeting received, bool may_pull);
  void become_bulk();

  /// As Carrier::write, but the peer is not told yet. Ask has_room() after it: what became free
  /// before the peer could see that we wait is told by nobody.
  std::size_t write(std::span<const iovec> bytes);
  /// The engine waits for room, and there is some.
  bool has_room();

  /// Bytes that have arrived.
  std::size_t arrived();
  /// Gives at most `count` of them, which must have arrived, to the engine, and says how many.
  std::size_t give(Events& events, std::size_t count);
  /// The peer waits for room, and there is some.
  bool should_wake_peer();

  bool ring_peer() { return bell->ring(peer_slot); }
  bool pulls() const { return bulk && pull_in; }
  void fail(std::string reason);

  const StreamId id;
  Descriptor socket;
  const bool opener;
  Phase phase = Phase::greeting;
  bool control = false;     // its opening is over, as
  bool bulk = false;        // this one's
  bool wants_room = false;  // a write did not take everything
  bool ended = false;       // the peer has closed, or is dead
  bool queued = false;      // to be looked at by the next poll
  std::string failure;      // why the stream must end

  std::optional<SharedMemory> memory;
  std::optional<Bell> bell;
  Slot peer_slot = 0;
  std::optional<RingWriter> out;
  std::optional<RingReader> in;
  std::optional<PullWriter> pull_out;  // bulk that the peer takes out of our memory
  std::optional<PullReader> pull_in;   // bulk that we take out of the peer's

 private:
  std::size_t write_ring(std::span<const iovec> bytes);
  std::size_t give_opening(Events& events, std::size_t count);
  std::size_t give_frames(Events& events, std::size_t count);
  std::size_t give_bulk(Events& events, std::size_t count);
  std::size_t give_pulled(Events& events, std::size_t count);
  bool peer_is_gone() const;
};

}  // namespace suiro::net
