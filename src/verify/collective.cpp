// SPDX-License-Identifier: BSD-3-Clause
#include "verify/collective.hpp"

#include <array>

namespace suiro {

namespace {

std::int64_t one_per_rank(int ranks) { return ranks; }

constexpr std::array collectives = {
    // Block d of each rank goes to rank d, where it lies in the order of the ranks that it comes
    // from.
    Collective{
        .name = "alltoall",
        .reduces = false,
        .send_blocks = one_per_rank,
        .receive_blocks = one_per_rank,
        .expected =
            [](int rank, std::int64_t index) {
              return BlockName{static_cast<int>(index), rank};
            },
    },
};

}  // namespace

const Collective* find_collective(std::string_view name) {
  for (const Collective& collective : collectives) {
    if (collective.name == name) return &collective;
  }
  return nullptr;
}

}  // namespace suiro
