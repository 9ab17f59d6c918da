// SPDX-License-Identifier: BSD-3-Clause
// Bulk without the ring: the writer puts the addresses of its bytes into the ring, and the reader
// copies them straight out of the writer's memory (process_vm_readv), once instead of twice. The
// writer reports bytes as written when the reader has them, so the rule of Carrier::write holds:
// until then they are offered again, from the same memory.
#pragma once

#include <sys/types.h>

#include "net/shared/ring.hpp"

namespace suiro::net {

class PullWriter {
 public:
  /// How many of `bytes`, the next of the stream, the reader has taken; tells it of those that it
  /// does not know of yet. Nothing if what it claims to have taken is impossible.
  std::optional<std::size_t> write(RingWriter& ring, std::span<const iovec> bytes);

  /// Whether write() would report bytes, or find damage.
  bool has_news(RingWriter& ring) const;

 private:
  std::uint64_t told_ = 0;      // bytes that the reader knows of
  std::uint64_t reported_ = 0;  // bytes that write() has reported as taken
};

class PullReader {
 public:
  explicit PullReader(pid_t writer) : writer_(writer) {}

  /// Bytes that the writer offers in one piece; nothing if it writes nonsense.
  std::optional<std::size_t> available(RingReader& ring);
  /// At most available(). How many were copied, or less than 0 with errno.
  ssize_t copy(void* to, std::size_t count) const;
  /// They have arrived: the writer may have its memory back.
  void taken(RingReader& ring, std::size_t count);
  /// The writer waits, and a piece is through.
  bool should_wake_writer(RingReader& ring) const;

 private:
  pid_t writer_;
  std::uint64_t address_ = 0;  // of the rest of a piece
  std::uint64_t length_ = 0;
  std::uint64_t pulled_ = 0;
};

/// Whether this process may read the memory of another: `address` there holds `value`.
bool can_pull(pid_t process, std::uint64_t address, std::uint64_t value);

}  // namespace suiro::net
