// SPDX-License-Identifier: BSD-3-Clause
#include "net/shared/pull.hpp"

#include <sys/uio.h>

#include <algorithm>

namespace suiro::net {
namespace {

struct RemotePiece {
  std::uint64_t address;
  std::uint64_t length;
};

ssize_t read_memory(pid_t process, std::uint64_t address, void* to, std::size_t count) {
  const iovec local{to, count};
  const iovec remote{reinterpret_cast<void*>(address), count};
  return process_vm_readv(process, &local, 1, &remote, 1, 0);
}

}  // namespace

std::optional<std::size_t> PullWriter::write(RingWriter& ring, std::span<const iovec> bytes) {
  const std::uint64_t untold_from = told_ - reported_;
  std::uint64_t total = 0;
  for (const iovec& part : bytes) {
    const std::uint64_t known = std::clamp<std::uint64_t>(untold_from, total, total + part.iov_len);
    const RemotePiece piece{reinterpret_cast<std::uint64_t>(part.iov_base) + (known - total),
                            total + part.iov_len - known};
    total += part.iov_len;
    if (piece.length == 0) continue;
    const std::optional<std::size_t> room = ring.room();
    if (!room) return std::nullopt;
    if (*room < sizeof piece) break;
    ring.put(&piece, sizeof piece);
    told_ += piece.length;
  }
  ring.publish();
  const std::uint64_t taken = ring.lane().pulled.load(std::memory_order_acquire) - reported_;
  if (taken > told_ - reported_) return std::nullopt;
  const std::uint64_t reported = std::min(taken, total);
  reported_ += reported;
  return reported;
}

bool PullWriter::has_news(RingWriter& ring) const {
  return ring.lane().pulled.load(std::memory_order_acquire) != reported_;
}

std::optional<std::size_t> PullReader::available(RingReader& ring) {
  if (length_ > 0) return length_;
  const std::optional<std::size_t> unread = ring.available();
  if (!unread || *unread == 0) return unread;
  RemotePiece piece;
  if (*unread < sizeof piece) return std::nullopt;
  ring.get(&piece, sizeof piece);
  if (piece.length == 0) return std::nullopt;
  address_ = piece.address;
  length_ = piece.length;
  return length_;
}

ssize_t PullReader::copy(void* to, std::size_t count) const {
  return read_memory(writer_, address_, to, count);
}

void PullReader::taken(RingReader& ring, std::size_t count) {
  address_ += count;
  length_ -= count;
  pulled_ += count;
  ring.lane().pulled.store(pulled_, std::memory_order_release);
}

bool PullReader::should_wake_writer(RingReader& ring) const {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (length_ > 0 || ring.lane().writer_waits.load(std::memory_order_relaxed) == 0) return false;
  return ring.lane().writer_waits.exchange(0) != 0;
}

bool can_pull(pid_t process, std::uint64_t address, std::uint64_t value) {
  std::uint64_t found = ~value;
  return process > 0 && read_memory(process, address, &found, sizeof found) == sizeof found &&
         found == value;
}

}  // namespace suiro::net
