// SPDX-License-Identifier: BSD-3-Clause
// The executor over the memory transport: every rank a thread, every byte checked.
#include "execute/executor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

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
  const int uneven[] = {0, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3};
  for (const Topology& topology :
       {Topology::block(1, 1), Topology::block(1, 5), Topology::block(4, 1), Topology::block(3, 2),
        Topology::round_robin(3, 4), Topology::block(4, 4), Topology::from_nodes(uneven)}) {
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

/// Writes down in which order operations are started; each is complete at once.
class Notes {
 public:
  int send(const Blocks&, int, std::int64_t token) { return start("send ", token); }
  int receive(const Blocks&, int, std::int64_t token) { return start("receive ", token); }
  bool copy(const Blocks&, const Blocks&) { return start("copy ", 0) > 0; }
  bool reduce(const Blocks&, const Blocks&) { return true; }
  bool wait(std::vector<std::int64_t>& completed) {
    completed = std::move(tokens_);
    tokens_.clear();
    return true;
  }
  const std::string& text() const { return text_; }

 private:
  int start(std::string_view what, std::int64_t token) {
    text_ += what;
    if (what != "copy ") tokens_.push_back(token);
    return 1;
  }
  std::vector<std::int64_t> tokens_;
  std::string text_;
};

std::string order_of(std::string_view steps, int lookahead) {
  const std::string header = "suiro-schedule 1\ncollective alltoall\nalgorithm mine\nranks 2\n";
  Executor executor(parse(header + "rounds 1\nwindow 1\nlookahead " + std::to_string(lookahead) +
                          "\nscratch 0\nrank 0\nround 0\n" + std::string(steps)),
                    0);
  Notes notes;
  executor.run(notes);
  return notes.text();
}

/// Completes what has been sent, but round 0 only when nothing else is in flight. Counts.
class FirstIsLast {
 public:
  int send(const Blocks&, int, std::int64_t token) {
    in_flight_.push_back(token);
    ++sent_;
    most_ = std::max(most_, std::ssize(in_flight_));
    return 1;
  }
  int receive(const Blocks&, int, std::int64_t) { return 0; }
  bool copy(const Blocks&, const Blocks&) { return true; }
  bool reduce(const Blocks&, const Blocks&) { return true; }
  bool wait(std::vector<std::int64_t>& completed) {
    const auto first = std::ranges::find(in_flight_, 0);
    const bool only_first = first != in_flight_.end() && in_flight_.size() == 1;
    if (only_first) sent_before_first_was_complete_ = sent_;
    for (const std::int64_t token : in_flight_)
      if (only_first || token != 0) completed.push_back(token);
    std::erase_if(in_flight_, [&](std::int64_t token) { return only_first || token != 0; });
    return true;
  }

  std::int64_t sent() const { return sent_; }
  std::int64_t sent_before_first_was_complete() const { return sent_before_first_was_complete_; }
  std::ptrdiff_t most_in_flight() const { return most_; }

 private:
  std::vector<std::int64_t> in_flight_;
  std::int64_t sent_ = 0;
  std::int64_t sent_before_first_was_complete_ = 0;
  std::ptrdiff_t most_ = 0;
};

FirstIsLast run_first_is_last(std::int64_t rounds, bool overtaking) {
  Schedule schedule;
  schedule.ranks = 2;
  schedule.rounds = rounds;
  schedule.window = 3;
  schedule.overtaking = overtaking;
  schedule.function = [](int, std::int64_t, Round& round) {
    round.steps.push_back(send({Buffer::send, 1, 1}, 1));
  };
  Executor executor(schedule, 0);
  FirstIsLast transport;
  EXPECT_TRUE(executor.run(transport));
  EXPECT_EQ(transport.sent(), rounds);
  EXPECT_EQ(transport.most_in_flight(), 3);
  return transport;
}

TEST(Executor, ARoundThatTakesLongHoldsUpTheWindowUnlessRoundsOvertake) {
  EXPECT_EQ(run_first_is_last(20, false).sent_before_first_was_complete(), 3);
  EXPECT_EQ(run_first_is_last(20, true).sent_before_first_was_complete(), 20);
}

TEST(Executor, RoundsOvertakeOnlyAsFarAsTheyAreKept) {
  const std::int64_t before = run_first_is_last(5000, true).sent_before_first_was_complete();
  EXPECT_EQ(before, 1024) << "that many have a place; the next would take that of round 0";
}

TEST(Executor, PostsReceivesLastWhereARoundBeginsWithASend) {
  const std::string send = "  send send[1] -> 1\n";
  const std::string receive = "  receive receive[1] <- 1\n";
  const std::string copy = "  copy send[0] -> receive[0]\n";
  EXPECT_EQ(order_of(send + receive, 0), "send receive ");
  EXPECT_EQ(order_of(send + receive, 1), "receive send ");
  EXPECT_EQ(order_of(receive + send, 0), "receive send ");
  EXPECT_EQ(order_of(copy + send + receive, 0), "receive copy send ");
}

}  // namespace
}  // namespace suiro
