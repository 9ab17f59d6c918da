// SPDX-License-Identifier: BSD-3-Clause
// Numbers by index, for translating addresses in the path of every message: it is read without a
// lock while another thread, one at a time, adds to it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

namespace suiro::fabric {

class NumberTable {
 public:
  static constexpr std::uint32_t none = 0xffffffff;
  static constexpr std::uint64_t chunk_numbers = 4096;
  static constexpr std::uint64_t chunks = 1024;

  std::uint32_t at(std::uint64_t index) const {
    if (index >= chunks * chunk_numbers) return none;
    const Chunk* chunk = chunks_[index / chunk_numbers].load(std::memory_order_acquire);
    if (chunk == nullptr) return none;
    return (*chunk)[index % chunk_numbers].load(std::memory_order_acquire);
  }

  /// False: the table cannot hold so many.
  bool set(std::uint64_t index, std::uint32_t number) {
    if (index >= chunks * chunk_numbers) return false;
    std::atomic<Chunk*>& place = chunks_[index / chunk_numbers];
    if (place.load(std::memory_order_relaxed) == nullptr) {
      owned_[index / chunk_numbers] = std::make_unique<Chunk>();
      for (auto& entry : *owned_[index / chunk_numbers]) entry.store(none);
      place.store(owned_[index / chunk_numbers].get(), std::memory_order_release);
    }
    (*place.load(std::memory_order_relaxed))[index % chunk_numbers].store(
        number, std::memory_order_release);
    return true;
  }

 private:
  using Chunk = std::array<std::atomic<std::uint32_t>, chunk_numbers>;
  std::array<std::atomic<Chunk*>, chunks> chunks_{};
  std::array<std::unique_ptr<Chunk>, chunks> owned_;
};

}  // namespace suiro::fabric
