// SPDX-License-Identifier: BSD-3-Clause
#include "net/shared/doorbell.hpp"

#include <sys/eventfd.h>
#include <sys/stat.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace suiro::net {
namespace {

/// Returns whether that took a system call: whether anybody sleeps.
bool wake(DoorbellPage& page, const Descriptor& event) {
  if (page.sleeping.load() == 0 || page.sleeping.exchange(0) == 0) return false;
  // It only fails if the counter is full, and then the process is woken anyway.
  [[maybe_unused]] const int written = eventfd_write(event.number(), 1);
  return true;
}

}  // namespace

Doorbell::Doorbell()
    : memory_(SharedMemory::create("suiro-doorbell", sizeof(DoorbellPage))),
      event_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (!event_)
    throw std::runtime_error(std::string("no eventfd for a doorbell: ") + std::strerror(errno));
}

void Doorbell::take(std::vector<Slot>& slots) {
  if (page().summary.load(std::memory_order_relaxed) == 0) return;
  std::uint64_t words = page().summary.exchange(0);
  for (; words != 0; words &= words - 1) {
    const int word = std::countr_zero(words);
    std::uint64_t bits = page().news[static_cast<std::size_t>(word)].exchange(0);
    for (; bits != 0; bits &= bits - 1)
      slots.push_back(static_cast<Slot>(word * 64 + std::countr_zero(bits)));
  }
  // Pairs with the fence in ring(): a peer that found its bit set has its bytes seen from here on.
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

/// Others may sleep already. They are woken as long as the descriptor is readable or the page says
/// that somebody sleeps, so one of the two is true from the first sleep on.
bool Doorbell::may_sleep() {
  std::uint64_t count;
  while (::read(event_.number(), &count, sizeof count) > 0) {
  }
  page().sleeping.store(1);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return page().summary.load() == 0;
}

bool Doorbell::wake_sleeper() { return wake(page(), event_); }

std::optional<Bell> Bell::adopt(Descriptor page, Descriptor event) {
  // Nothing that a write could end us by, as a pipe without a reader does.
  struct stat status {};
  if (fstat(event.number(), &status) < 0 || (status.st_mode & S_IFMT) != 0) return std::nullopt;
  // A write to a blocking eventfd whose counter is full would never return.
  const int flags = fcntl(event.number(), F_GETFL);
  if (flags < 0 || fcntl(event.number(), F_SETFL, flags | O_NONBLOCK) < 0) return std::nullopt;
  std::optional<SharedMemory> memory = SharedMemory::adopt(std::move(page), sizeof(DoorbellPage));
  if (!memory) return std::nullopt;
  memory->close_descriptor();
  return Bell(*std::move(memory), std::move(event));
}

bool Bell::ring(Slot slot) {
  DoorbellPage& page = *static_cast<DoorbellPage*>(memory_.data());
  const std::size_t word = slot / 64;
  const std::uint64_t bit = std::uint64_t{1} << (slot % 64);
  const std::uint64_t word_bit = std::uint64_t{1} << word;
  // Bits that are set already are left alone: the line stays with the reader, who is sure to look
  // after this. The fence puts our bytes before that look.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if ((page.news[word].load() & bit) == 0) page.news[word].fetch_or(bit);
  if ((page.summary.load() & word_bit) == 0) page.summary.fetch_or(word_bit);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return wake(page, event_);
}

}  // namespace suiro::net
