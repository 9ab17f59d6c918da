// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/underneath/reserve.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace suiro::mpi {

namespace {

/// The plans of some twenty collectives. More than the heap keeps itself (mallopt(3),
/// M_MMAP_THRESHOLD): pages of its own, never touched, which free() returns at once.
constexpr std::size_t reserve_bytes = std::size_t{256} << 10;

std::atomic<void*> reserve{nullptr};

/// A new handler: who returns has found memory, and the allocation is tried again.
void give_reserve_back() {
  void* const kept = reserve.exchange(nullptr);
  if (kept == nullptr) throw std::bad_alloc();
  std::free(kept);
}

}  // namespace

void keep_reserve() {
  std::set_new_handler(give_reserve_back);
  has_reserve();
}

bool has_reserve() {
  if (reserve.load() != nullptr) return true;
  void* const mine = std::malloc(reserve_bytes);
  void* nothing = nullptr;
  if (mine != nullptr && !reserve.compare_exchange_strong(nothing, mine)) std::free(mine);
  return mine != nullptr || nothing != nullptr;
}

}  // namespace suiro::mpi
