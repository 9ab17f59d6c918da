// SPDX-License-Identifier: BSD-3-Clause
// One direction of a shared stream: a ring of bytes with one writer and one reader. Each side keeps
// its own position in memory of its own and believes of the other's only what can be true; a
// position that cannot be is reported as damage when it matters.
#pragma once

#include <sys/uio.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace suiro::net {

/// What both see of one direction. Positions count bytes since the beginning.
struct Lane {
  // Written by the writer.
  alignas(64) std::atomic<std::uint64_t> written;
  std::atomic<std::uint32_t> writer_waits;  // for room; taken back by the reader
  // Written by the reader.
  alignas(64) std::atomic<std::uint64_t> taken;
  std::atomic<std::uint64_t> pulled;        // bytes taken out of the writer's own memory
  std::atomic<std::uint32_t> reader_pulls;  // the reader can do that
};

constexpr std::size_t ring_bytes = 256 << 10;

class RingWriter {
 public:
  RingWriter(Lane& lane, std::byte* ring) : lane_(lane), ring_(ring) {}

  /// How much fits now, or fitted lately if that is enough; nothing if the reader's position is
  /// impossible.
  std::optional<std::size_t> room(std::size_t enough = ring_bytes);
  /// At most room() bytes. The reader sees them after publish().
  void put(const void* bytes, std::size_t count);
  void publish();
  /// Asks the reader to ring when writing is worth while again. Look again after it.
  void ask_for_room();
  /// There is so much room that a writer who waits goes on; or the reader's position is impossible.
  bool worth_writing();

  Lane& lane() { return lane_; }

 private:
  Lane& lane_;
  std::byte* ring_;
  std::uint64_t written_ = 0;
  std::uint64_t taken_ = 0;  // by the reader, when we looked
};

class RingReader {
 public:
  RingReader(Lane& lane, const std::byte* ring) : lane_(lane), ring_(ring) {}

  /// How much is there now; nothing if the writer's position is impossible.
  std::optional<std::size_t> available() const;
  /// At most available() bytes. Gives their room back.
  void get(void* bytes, std::size_t count);
  /// At most available() bytes, as far as they are in one piece. The writer can still change them.
  std::span<const std::byte> look(std::size_t count) const;
  /// Gives their room back.
  void drop(std::size_t count);
  /// Whether the writer waits for room and has enough of it now that it is worth while to wake it.
  bool should_wake_writer();

  Lane& lane() { return lane_; }

 private:
  Lane& lane_;
  const std::byte* ring_;
  std::uint64_t taken_ = 0;
};

}  // namespace suiro::net
