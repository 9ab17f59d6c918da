// SPDX-License-Identifier: BSD-3-Clause
#include "execute/unequal_blocks.hpp"

#include <algorithm>

namespace suiro {

void RawBytes::reserve(std::size_t bytes) {
  if (bytes <= size_) return;
  memory_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
  size_ = bytes;
}

void Slots::prepare(std::int64_t blocks, std::size_t capacity) {
  lengths.resize(static_cast<std::size_t>(blocks));
  bytes.reserve(static_cast<std::size_t>(blocks) * capacity);
}

UnequalBlocks::UnequalBlocks(const Schedule& schedule, int rank)
    : ranks_(schedule.ranks), scratch_(schedule.scratch) {
  Round round;
  for (std::int64_t index = 0; index < schedule.rounds; ++index) {
    schedule.round(rank, index, round);
    for (const Step& step : round.steps) {
      if (step.action == Action::send) blocks_moved_ += step.source.count;
      if (step.action == Action::receive) blocks_moved_ += step.target.count;
    }
  }
}

void UnequalBlocks::prepare(std::size_t slot_capacity) {
  capacity = slot_capacity;
  arrivals.clear();
  (*this)[Buffer::send].prepare(ranks_, capacity);
  (*this)[Buffer::receive].prepare(ranks_, capacity);
  (*this)[Buffer::scratch].prepare(scratch_, capacity);
  staging.reserve(message_bytes(blocks_moved_));
}

std::size_t UnequalBlocks::bytes() const {
  std::size_t sum = staging.size();
  for (const Slots& slots : of) sum += slots.bytes.size();
  return sum;
}

std::size_t UnequalBlocks::capacity_max(const Schedule& schedule, std::size_t bytes) {
  const auto blocks = static_cast<std::size_t>(
      std::max({std::int64_t{schedule.ranks}, schedule.scratch, std::int64_t{1}}));
  const std::size_t each = bytes / blocks;
  return each > sizeof(Slots::Length) ? each - sizeof(Slots::Length) : 0;
}

}  // namespace suiro
