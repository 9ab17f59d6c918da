// SPDX-License-Identifier: BSD-3-Clause
// A scatter-gather list, seen as one run of bytes.
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "net/protocol/message.hpp"

namespace suiro::net {

class Segments {
 public:
  Segments() = default;
  /// At most max_segments pieces.
  explicit Segments(std::span<const iovec> pieces);
  Segments(void* base, std::uint64_t bytes);

  std::uint64_t bytes() const { return bytes_; }
  void* begin() const { return count_ == 0 ? nullptr : pieces_[0].iov_base; }

  /// The memory from `offset` on, as far as it is in one piece; empty at the end.
  std::span<std::byte> at(std::uint64_t offset) const;
  /// Writes the pieces of [offset, offset + length) to `list`, as many as fit, and says how many.
  std::size_t list(std::uint64_t offset, std::uint64_t length, std::span<iovec> list) const;
  /// The part [offset, offset + length).
  Segments part(std::uint64_t offset, std::uint64_t length) const;

  /// Copies into this memory at `offset`, as much as there is room for.
  void put(std::uint64_t offset, std::span<const std::byte> bytes) const;
  /// Copies all to `target`, which has bytes() bytes.
  void get(std::byte* target) const;

 private:
  std::array<iovec, max_segments> pieces_;
  std::size_t count_ = 0;
  std::uint64_t bytes_ = 0;
};

/// Copies as much as both have.
void copy(const Segments& source, const Segments& target);

/// The bytes of a list.
std::uint64_t total_bytes(std::span<const iovec> pieces);

/// Whether there are no more pieces and bytes than a message may have.
bool fits_message(std::span<const iovec> pieces);

}  // namespace suiro::net
