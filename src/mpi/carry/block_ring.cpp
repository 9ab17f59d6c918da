// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/carry/block_ring.hpp"

#include <algorithm>
#include <iterator>

namespace suiro::mpi {

std::uint64_t BlockRing::take(std::uint64_t run, std::size_t bytes) {
  constexpr std::size_t lines = 128;                  // processors fetch two at once
  constexpr std::size_t near = std::size_t{1} << 18;  // that caches hold
  bytes = (std::max(bytes, lines) + lines - 1) / lines * lines;
  Turn next{.run = run, .begin = 0, .end = bytes, .number = 1};
  if (!turns_.empty()) {
    const Turn& last = turns_.back();
    const std::size_t room = std::min(std::max(near, 2 * bytes), 2 * longest_);
    const bool goes_on = last.number < runs_max && last.end + bytes <= room;
    if (goes_on || last.begin < bytes) {
      next.begin = last.end;
      next.end = last.end + bytes;
      if (goes_on) next.number = last.number + 1;
    }
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
