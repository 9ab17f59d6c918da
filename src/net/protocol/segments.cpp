// SPDX-License-Identifier: BSD-3-Clause
#include "net/protocol/segments.hpp"

#include <algorithm>
#include <cstring>

#include "net/protocol/frames.hpp"

namespace suiro::net {

Segments::Segments(std::span<const iovec> pieces) {
  for (const iovec& piece : pieces) {
    if (piece.iov_len == 0) continue;
    pieces_[count_++] = piece;
    bytes_ += piece.iov_len;
  }
}

Segments::Segments(void* base, std::uint64_t bytes) : count_(1), bytes_(bytes) {
  pieces_[0] = {.iov_base = base, .iov_len = bytes};
}

std::span<std::byte> Segments::at(std::uint64_t offset) const {
  for (std::size_t index = 0; index < count_; ++index) {
    const iovec& piece = pieces_[index];
    if (offset < piece.iov_len)
      return {static_cast<std::byte*>(piece.iov_base) + offset, piece.iov_len - offset};
    offset -= piece.iov_len;
  }
  return {};
}

std::size_t Segments::list(std::uint64_t offset, std::uint64_t length,
                           std::span<iovec> list) const {
  std::size_t used = 0;
  for (std::size_t index = 0; index < count_ && used < list.size() && length > 0; ++index) {
    const iovec& piece = pieces_[index];
    if (offset >= piece.iov_len) {
      offset -= piece.iov_len;
      continue;
    }
    const std::uint64_t here = std::min<std::uint64_t>(piece.iov_len - offset, length);
    list[used++] = {.iov_base = static_cast<std::byte*>(piece.iov_base) + offset, .iov_len = here};
    length -= here;
    offset = 0;
  }
  return used;
}

Segments Segments::part(std::uint64_t offset, std::uint64_t length) const {
  Segments part;
  part.count_ = list(offset, length, part.pieces_);
  for (std::size_t index = 0; index < part.count_; ++index)
    part.bytes_ += part.pieces_[index].iov_len;
  return part;
}

void Segments::put(std::uint64_t offset, std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const std::span<std::byte> room = at(offset);
    if (room.empty()) return;
    const std::size_t here = std::min(room.size(), bytes.size());
    std::memcpy(room.data(), bytes.data(), here);
    bytes = bytes.subspan(here);
    offset += here;
  }
}

void Segments::get(std::byte* target) const {
  for (std::size_t index = 0; index < count_; ++index) {
    if (pieces_[index].iov_len == 0) continue;
    std::memcpy(target, pieces_[index].iov_base, pieces_[index].iov_len);
    target += pieces_[index].iov_len;
  }
}

void copy(const Segments& source, const Segments& target) {
  const std::uint64_t bytes = std::min(source.bytes(), target.bytes());
  for (std::uint64_t done = 0; done < bytes;) {
    const std::span<std::byte> piece = source.at(done);
    target.put(done, piece);
    done += piece.size();
  }
}

std::uint64_t total_bytes(std::span<const iovec> pieces) {
  std::uint64_t total = 0;
  for (const iovec& piece : pieces) total += piece.iov_len;
  return total;
}

bool fits_message(std::span<const iovec> pieces) {
  if (pieces.size() > max_segments) return false;
  std::uint64_t total = 0;
  for (const iovec& piece : pieces) {
    if (piece.iov_len > max_message_bytes) return false;
    total += piece.iov_len;
  }
  return total <= max_message_bytes;
}

}  // namespace suiro::net
