// SPDX-License-Identifier: BSD-3-Clause
#include "net/shared/ring.hpp"

#include <algorithm>
#include <cstring>

namespace suiro::net {
namespace {

static_assert((ring_bytes & (ring_bytes - 1)) == 0, "positions are masked");

/// A writer that waits is woken when so much is free: not for every few bytes.
constexpr std::size_t room_worth_waking = ring_bytes / 4;

}  // namespace

std::optional<std::size_t> RingWriter::room(std::size_t enough) {
  // The reader's position is in a line of the reader's.
  if (ring_bytes - (written_ - taken_) < enough) {
    const std::uint64_t taken = lane_.taken.load(std::memory_order_acquire);
    if (written_ - taken > ring_bytes) return std::nullopt;
    taken_ = taken;
  }
  return ring_bytes - (written_ - taken_);
}

void RingWriter::put(const void* bytes, std::size_t count) {
  const std::size_t place = written_ & (ring_bytes - 1);
  const std::size_t before_wrap = std::min(count, ring_bytes - place);
  std::memcpy(ring_ + place, bytes, before_wrap);
  std::memcpy(ring_, static_cast<const std::byte*>(bytes) + before_wrap, count - before_wrap);
  written_ += count;
}

void RingWriter::publish() { lane_.written.store(written_, std::memory_order_release); }

void RingWriter::ask_for_room() {
  lane_.writer_waits.store(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

bool RingWriter::worth_writing() {
  const std::optional<std::size_t> free = room();
  return !free || *free >= room_worth_waking;
}

std::optional<std::size_t> RingReader::available() const {
  const std::uint64_t unread = lane_.written.load(std::memory_order_acquire) - taken_;
  if (unread > ring_bytes) return std::nullopt;
  return unread;
}

void RingReader::get(void* bytes, std::size_t count) {
  const std::size_t place = taken_ & (ring_bytes - 1);
  const std::size_t before_wrap = std::min(count, ring_bytes - place);
  std::memcpy(bytes, ring_ + place, before_wrap);
  std::memcpy(static_cast<std::byte*>(bytes) + before_wrap, ring_, count - before_wrap);
  drop(count);
}

std::span<const std::byte> RingReader::look(std::size_t count) const {
  const std::size_t place = taken_ & (ring_bytes - 1);
  return {ring_ + place, std::min(count, ring_bytes - place)};
}

void RingReader::drop(std::size_t count) {
  taken_ += count;
  lane_.taken.store(taken_, std::memory_order_release);
}

bool RingReader::should_wake_writer() {
  // Pairs with ask_for_room(): the writer sees our position, or we see that it waits.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (lane_.writer_waits.load(std::memory_order_relaxed) == 0) return false;
  const std::optional<std::size_t> unread = available();
  if (!unread || ring_bytes - *unread < room_worth_waking) return false;
  return lane_.writer_waits.exchange(0) != 0;
}

}  // namespace suiro::net
