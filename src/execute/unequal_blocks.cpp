// SPDX-License-Identifier: BSD-3-Clause
#include "execute/unequal_blocks.hpp"

#include <algorithm>

namespace suiro {

UnequalBlocks::UnequalBlocks(const Schedule& schedule, int rank)
    : footprint_(footprint(schedule, rank)) {
  const auto ranks = static_cast<std::size_t>(schedule.ranks);
  (*this)[Buffer::send].lengths.resize(ranks);
  (*this)[Buffer::receive].lengths.resize(ranks);
  (*this)[Buffer::scratch].lengths.resize(static_cast<std::size_t>(footprint_.scratch));
}

void UnequalBlocks::prepare(std::size_t slot_capacity, std::byte* memory) {
  capacity = slot_capacity;
  arrivals.clear();
  for (Slots& slots : of) {
    slots.bytes = {memory, slots.lengths.size() * capacity};
    memory += slots.bytes.size();
  }
  staging = {memory, message_bytes(footprint_.moved)};
}

std::size_t UnequalBlocks::bytes(std::size_t slot_capacity) const {
  std::size_t sum = message_bytes(footprint_.moved, slot_capacity);
  for (const Slots& slots : of) sum += slots.lengths.size() * slot_capacity;
  return sum;
}

std::size_t UnequalBlocks::capacity_max(const Schedule& schedule, std::size_t bytes) {
  const auto blocks = static_cast<std::size_t>(
      std::max({std::int64_t{schedule.ranks}, schedule.scratch, std::int64_t{1}}));
  const std::size_t each = bytes / blocks;
  return each > sizeof(Slots::Length) ? each - sizeof(Slots::Length) : 0;
}

}  // namespace suiro
