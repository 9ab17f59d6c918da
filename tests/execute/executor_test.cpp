// SPDX-License-Identifier: BSD-3-Clause
// The executor over the memory transport: every rank a thread, every byte checked.
#include "execute/executor.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "algorithms/catalog.hpp"
#include "execute/memory_transport.hpp"

namespace suiro {
namespace {

std::byte content(int source, int target, std::size_t offset) {
  return static_cast<std::byte>(source * 31 + target * 7 + static_cast<int>(offset));
}

/// Runs an all-to-all of `block_bytes` twice on one executor per rank; returns a description of the
/// first wrong byte.
std::string run_alltoall(const Schedule& schedule, std::size_t block_bytes, SendMode mode) {
  const int ranks = schedule.ranks;
  MemoryNetwork network(ranks, mode);
  std::vector<std::string> wrong(static_cast<std::size_t>(ranks));
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      const std::size_t bytes = block_bytes * static_cast<std::size_t>(ranks);
      std::vector<std::byte> send(bytes);
      std::vector<std::byte> scratch(block_bytes * static_cast<std::size_t>(schedule.scratch));
      for (std::size_t i = 0; i < bytes; ++i)
        send[i] = content(rank, static_cast<int>(i / block_bytes), i % block_bytes);
      Executor executor(schedule, rank);
      for (int call = 0; call < 2; ++call) {
        std::vector<std::byte> receive(bytes);
        MemoryTransport transport(network, rank, {block_bytes, send, receive, scratch});
        executor.run(transport);
        for (std::size_t i = 0; i < bytes; ++i) {
          const auto source = static_cast<int>(i / block_bytes);
          if (receive[i] == content(source, rank, i % block_bytes)) continue;
          wrong[static_cast<std::size_t>(rank)] =
              "rank " + std::to_string(rank) + " block " + std::to_string(source);
          break;
        }
      }
    });
  }
  threads.clear();
  for (const std::string& text : wrong)
    if (!text.empty()) return text;
  return {};
}

TEST(Executor, MovesEveryBlockOfEveryAlgorithm) {
  for (const Topology& topology :
       {Topology::block(1, 1), Topology::block(1, 5), Topology::block(4, 1), Topology::block(3, 2),
        Topology::round_robin(3, 4), Topology::block(4, 4)}) {
    for (const Algorithm& algorithm : catalog()) {
      if (algorithm.collective != "alltoall") continue;
      for (const SendMode mode : {SendMode::synchronous, SendMode::buffered}) {
        EXPECT_EQ(run_alltoall(build(algorithm, topology), 24, mode), "")
            << algorithm.name << " on " << topology.describe();
      }
    }
  }
}

TEST(Executor, RunsBlocksOfNoBytes) {
  EXPECT_EQ(run_alltoall(build(*find_algorithm("alltoall", "ring"), Topology::block(2, 3)), 0,
                         SendMode::synchronous),
            "");
}

TEST(Executor, RunsAParsedSchedule) {
  const Schedule built =
      build(*find_algorithm("alltoall", "two_level_ring"), Topology::block(2, 2));
  EXPECT_EQ(run_alltoall(parse(print(built)), 8, SendMode::synchronous), "");
}

}  // namespace
}  // namespace suiro
