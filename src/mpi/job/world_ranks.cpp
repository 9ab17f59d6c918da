// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/job/world_ranks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>

namespace suiro::mpi {

std::vector<int> world_ranks(int ranks, int world, const TranslateSome& translate) {
  constexpr int at_a_time = 64;
  constexpr int pairs = 1 << 16;  // of a few ranks each is soon compared with all
  std::vector<int> result(static_cast<std::size_t>(ranks), not_of_the_world);
  const int of_world = std::max(at_a_time, pairs / std::max(ranks, 1));
  const int parts = (world + of_world - 1) / of_world;
  std::array<int, at_a_time> found{};
  int last = 0;  // part of the world in which some were found
  for (int begin = 0; begin < ranks; begin += at_a_time) {
    std::vector<int> open(static_cast<std::size_t>(std::min(ranks - begin, at_a_time)));
    std::iota(open.begin(), open.end(), begin);
    const int middle = last;
    // There, and then farther and farther away on both sides.
    for (int step = 0; step < 2 * parts && !open.empty(); ++step) {
      const int part = middle + (step % 2 == 0 ? -step / 2 : (step + 1) / 2);
      if (part < 0 || part >= parts) continue;
      const int first = part * of_world;
      const std::span<int> places(found.data(), open.size());
      translate(open, first, std::min(of_world, world - first), places);
      std::size_t left = 0;
      for (std::size_t i = 0; i < open.size(); ++i) {
        if (places[i] < 0) {
          open[left++] = open[i];
          continue;
        }
        result[static_cast<std::size_t>(open[i])] = first + places[i];
        last = part;
      }
      open.resize(left);
    }
  }
  return result;
}

}  // namespace suiro::mpi
