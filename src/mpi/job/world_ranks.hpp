// SPDX-License-Identifier: BSD-3-Clause
// Which ranks of the world the ranks of a communicator are. MPIs compare each rank with those of
// the other group until they find it, which takes the square of the ranks where all are asked for
// at once. Ranks of most communicators are in the world's order, or against it, so few are asked
// for at a time, where the last were found.
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace suiro::mpi {

/// Where `ranks` are among `count` ranks of the world from `first` on: counted from there; below 0:
/// not among them.
using TranslateSome =
    std::function<void(std::span<const int> ranks, int first, int count, std::span<int> places)>;

inline constexpr int not_of_the_world = -1;

/// For the ranks 0 .. ranks - 1: the rank of the world, or not_of_the_world.
std::vector<int> world_ranks(int ranks, int world, const TranslateSome& translate);

}  // namespace suiro::mpi
