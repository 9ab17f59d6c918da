// SPDX-License-Identifier: BSD-3-Clause
// The seam between the protocol and the world. `Engine` implements Events and calls a Carrier: TCP,
// shared memory, or a simulated network with a virtual clock. Everything here is called by one
// thread at a time, the holder of the endpoint's lock. No call of a carrier raises Events itself.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "net/protocol/name.hpp"
#include "net/protocol/stream_kind.hpp"

namespace suiro::net {

/// Names a stream for as long as it is open; a carrier does not use a number again before 2^32
/// others.
using StreamId = std::uint32_t;
constexpr StreamId no_stream = 0;

/// Where a stream goes: the peer's rail `rail` over TCP, or its shared memory.
struct Route {
  bool shared_memory = false;
  std::uint8_t own_rail = 0;
  std::uint8_t peer_rail = 0;
};

class Carrier {
 public:
  virtual ~Carrier() = default;

  /// Nanoseconds on a clock that never goes back.
  virtual std::int64_t now_ns() const = 0;

  /// Begins to open a stream. Events::opened or Events::closed follows, exactly one of them.
  virtual StreamId open(const Name& peer, const Route& route) = 0;

  /// Tells what an open stream is for, once its opening exchange is over. From then on a bulk
  /// stream is read only into the memory that Events::wanted names, a control stream is read
  /// always.
  virtual void establish(StreamId stream, StreamKind kind) = 0;

  /// Takes as many bytes as the stream has room for now, in order, and says how many: whoever gave
  /// them may use their memory again. If it is less than all, Events::writable follows. Before
  /// Events::opened it may take some, where the other side has accepted already.
  virtual std::size_t write(StreamId stream, std::span<const iovec> bytes) = 0;

  /// Events::wanted has an answer now for this bulk stream.
  virtual void arm(StreamId stream) = 0;

  /// Closes at once; what was not written is lost, and no event follows. When it returns nothing
  /// more is written into memory that Events::wanted named.
  virtual void close(StreamId stream) = 0;

  /// Events::alarm is raised at this time or soon after. Each call replaces the one before.
  virtual void set_alarm(std::int64_t at_ns) = 0;
};

class Events {
 public:
  virtual ~Events() = default;

  /// Somebody unknown opened a stream, to this rail of ours or in shared memory.
  virtual void accepted(StreamId stream, const Route& route) = 0;
  virtual void opened(StreamId stream) = 0;
  /// The stream is gone; `reason` is for people. Nothing more of it comes.
  virtual void closed(StreamId stream, std::string_view reason) = 0;
  virtual void writable(StreamId stream) = 0;

  /// Where the next bytes of the stream go, if that is known: the rest of a payload. Valid until
  /// the stream's next event. Empty if there is nothing (control: bytes go to `received`; bulk: do
  /// not read).
  virtual std::span<std::byte> wanted(StreamId stream) = 0;
  /// So many bytes were written to where `wanted` said.
  virtual void placed(StreamId stream, std::size_t bytes) = 0;
  /// Bytes that arrived in the carrier's own memory, any number of them. A carrier may do so on a
  /// control stream even if there is something wanted.
  virtual void received(StreamId stream, std::span<const std::byte> bytes) = 0;
  /// The carrier has given all that had arrived on this stream for now: time to acknowledge.
  virtual void drained(StreamId stream) = 0;

  virtual void alarm() = 0;
};

}  // namespace suiro::net
