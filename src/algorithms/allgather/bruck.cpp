// SPDX-License-Identifier: BSD-3-Clause
// Bruck: in step i every rank gets from the rank 2^i further all that it has, up to what is
// missing. Blocks lie where they belong from the begin, so what goes round the end of all is two
// messages.
#include <algorithm>
#include <bit>

#include "algorithms/allgather/allgather.hpp"

namespace suiro {

namespace {

/// `count` pieces from `first` on, round the end of `size`.
std::vector<Blocks> around(int first, int count, int size) {
  const int behind = std::min(count, size - first);
  std::vector<Blocks> found{{Buffer::receive, first, behind}};
  if (behind < count) found.push_back({Buffer::receive, 0, count - behind});
  return found;
}

Schedule build_allgather_bruck(const Call& call, const Parameters& parameters) {
  const int ranks = call.topology.ranks();
  return named(allgather_bruck, call, parameters,
               overlapped(own_block(ranks, 1), bruck_allgather(ranks), 0));
}

}  // namespace

constinit const Algorithm allgather_bruck = {
    .collective = "allgather",
    .name = "bruck",
    .summary = "In step i every rank gets from the rank 2^i further all that it has.",
    .source = "Bruck et al. (1997); MPICH and Open MPI",
    .cost_text = "ceil(log2 P) messages of 2^i M in time, some in two parts",
    .parameters = {},
    .properties = {},
    .cost = nullptr,
    .build = build_allgather_bruck,
};

Schedule bruck_allgather(int size) {
  Schedule schedule;
  schedule.ranks = size;
  schedule.rounds = std::bit_width(static_cast<unsigned>(size - 1));
  schedule.function = [size](int me, std::int64_t i, Round& round) {
    const int away = 1 << i;
    const int count = std::min(away, size - away);
    const int from = (me + away) % size;
    for (const Blocks& blocks : around(from, count, size)) {
      round.steps.push_back(receive(from, blocks));
    }
    for (const Blocks& blocks : around(me, count, size)) {
      round.steps.push_back(send(blocks, (me + size - away) % size));
    }
  };
  return schedule;
}

}  // namespace suiro
