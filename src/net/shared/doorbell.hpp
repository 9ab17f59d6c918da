// SPDX-License-Identifier: BSD-3-Clause
// How a process hears which of its shared streams have news, without asking each: a page of shared
// memory with a bit per stream, set by the peer after it has written. A process that sleeps says so
// in the page, and only then is a system call made to wake it. What peers write here are hints:
// a wrong one costs a look at a stream, nothing else.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/descriptor.hpp"
#include "base/shared_memory.hpp"

namespace suiro::net {

/// A stream's place among the bits.
using Slot = std::uint16_t;
constexpr Slot max_slots = 4095;  // one less than there are bits, so that numbers can say "none"

/// What a ring touches is close together: to fetch a line from another core costs more than the
/// ring itself.
struct alignas(64) DoorbellPage {
  std::atomic<std::uint32_t> sleeping;
  std::atomic<std::uint64_t> summary;  // which of `news` have a bit set
  std::array<std::atomic<std::uint64_t>, 64> news;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && sizeof(DoorbellPage) <= 4096);

/// The own one.
class Doorbell {
 public:
  /// Throws std::runtime_error.
  Doorbell();

  /// Appends the slots that have news and clears their bits. What a peer wrote before it rang is
  /// seen by whoever looks after this.
  void take(std::vector<Slot>& slots);

  /// Makes event_descriptor() unreadable until the next ring. False: there is news already, which
  /// has rung before.
  bool may_sleep();
  /// As if a peer had rung, but for no stream. Returns whether that took a system call.
  bool wake_sleeper();

  void close_descriptors() {
    memory_.close_descriptor();
    event_.close();
  }
  int page_descriptor() const { return memory_.descriptor(); }
  int event_descriptor() const { return event_.number(); }

 private:
  DoorbellPage& page() { return *static_cast<DoorbellPage*>(memory_.data()); }

  SharedMemory memory_;
  Descriptor event_;
};

/// A peer's.
class Bell {
 public:
  /// Nothing if the descriptors are not those of a doorbell.
  static std::optional<Bell> adopt(Descriptor page, Descriptor event);

  /// Everything written before is seen by the peer when it looks at the stream in this slot.
  /// Returns whether that took a system call.
  bool ring(Slot slot);
  void close_descriptors() { event_.close(); }

 private:
  Bell(SharedMemory memory, Descriptor event)
      : memory_(std::move(memory)), event_(std::move(event)) {}

  SharedMemory memory_;
  Descriptor event_;
};

}  // namespace suiro::net
