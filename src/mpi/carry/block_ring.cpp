// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/carry/block_ring.hpp"

#include <algorithm>
#include <iterator>

namespace suiro::mpi {

std::uint64_t BlockRing::take(std::uint64_t run, std::size_t bytes) {
  constexpr std::size_t lines = 128;  // processors fetch two at once
  bytes = (std::max(bytes, lines) + lines - 1) / lines * lines;
  Turn next{.run = run, .begin = 0, .end = bytes, .number = 1};
  if (!turns_.empty() && turns_.back().number < runs_max && turns_.back().end + bytes <= bytes_) {
    const Turn& last = turns_.back();
    next = {.run = run, .begin = last.end, .end = last.end + bytes, .number = last.number + 1};
  }
  const auto overlaps = [&](const Turn& turn) {
    return turn.begin < next.end && next.begin < turn.end;
  };
  const auto latest = std::find_if(turns_.rbegin(), turns_.rend(), overlaps);
  const std::uint64_t ended = latest == turns_.rend() ? 0 : latest->run;
  turns_.erase(turns_.begin(), latest.base());
  turns_.push_back(next);
  return ended;
}

}  // namespace suiro::mpi
