// SPDX-License-Identifier: BSD-3-Clause
// What other connections cost: the same messages between two endpoints beside few and beside many
// idle peers of each, turn by turn in one run.
#pragma once

#include <cstddef>
#include <vector>

#include "net/bench/channel.hpp"

namespace suiro::net::bench {

struct ConnectionsOptions {
  std::vector<std::size_t> connections;  // of each endpoint, with the measured one; ascending
  std::vector<std::size_t> sizes;
  int repetitions = 0;
  Waiting waiting = Waiting::polling;
  bool json = false;
};

/// What both processes do; only the first prints.
void compare_connections(const ConnectionsOptions& options, const Settings& settings, int agreement,
                         bool first);

}  // namespace suiro::net::bench
