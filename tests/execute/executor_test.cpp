// SPDX-License-Identifier: BSD-3-Clause
// The executor over the memory transport: every rank a thread, every element checked.
#include "execute/executor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/catalog.hpp"
#include "run_collective.hpp"

namespace suiro {
namespace {

/// SUIRO_SHAPES=N: the last N.
std::vector<Topology> topologies() {
  const int uneven[] = {0, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3};
  const int pairs[] = {0, 1, 0, 1, 2, 2};
  const int links[] = {2, 2, 2};
  std::vector<Topology> all{Topology::block(1, 1),
                            Topology::block(1, 5),
                            Topology::block(4, 1),
                            Topology::round_robin(3, 4),
                            Topology::block(4, 4),
                            Topology::block(3, 2),
                            Topology::from_nodes(pairs, {}, links),
                            Topology::from_nodes(uneven)};
  if (const char* wanted = std::getenv("SUIRO_SHAPES"))
    all.erase(all.begin(),
              all.end() - std::clamp<std::ptrdiff_t>(std::atoi(wanted), 1, std::ssize(all)));
  return all;
}

/// Those whose blocks may differ: all ranks know all sizes, or each its own and hands on no other.
std::vector<Algorithm> for_unequal_blocks() {
  std::vector<Algorithm> found;
  for (const Algorithm& algorithm : catalog()) {
    const bool any = std::ranges::any_of(collectives(), [&](const Collective& row) {
      const bool direct = declares(algorithm, Property::direct);
      return row.regular == algorithm.collective &&
             (row.sizes == Sizes::known || (row.sizes == Sizes::at_root && direct));
    });
    if (any) found.push_back(algorithm);
  }
  return found;
}

/// Of every third rank nothing, of the others up to three times the mean.
std::vector<std::int64_t> unequal_sizes(int ranks, std::int64_t mean) {
  std::vector<std::int64_t> sizes;
  for (int rank = 0; rank < ranks; ++rank) {
    sizes.push_back(rank % 3 == 1 ? 0 : mean * (rank % 4) + rank % 2);
  }
  return sizes;
}

/// Three elements to a segment, where there are segments.
Schedule cut_small(const Algorithm& algorithm, const Topology& topology, std::int64_t elements,
                   int root) {
  Parameters parameters;
  const bool cut = std::ranges::find(algorithm.parameters, segment_parameter,
                                     &ParameterSpec::name) != algorithm.parameters.end();
  if (cut) parameters.emplace(segment_parameter, 3 * sizeof(Affine));
  const Call call{.topology = topology,
                  .root = root,
                  .bytes = elements * static_cast<std::int64_t>(sizeof(Affine))};
  return build(algorithm, call, parameters);
}

class EveryAlgorithm : public testing::TestWithParam<Algorithm> {
 protected:
  void expect_right(const Topology& topology, std::int64_t elements, int root,
                    const std::vector<std::int64_t>& sizes = {}) {
    const Algorithm& algorithm = GetParam();
    const Schedule schedule = cut_small(algorithm, topology, elements, root);
    for (const SendMode mode : {SendMode::synchronous, SendMode::buffered}) {
      for (const bool in_place : {false, true}) {
        if (in_place && !declares(algorithm, Property::in_place)) continue;
        EXPECT_EQ(run_collective(schedule, {.elements = elements,
                                            .sizes = sizes,
                                            .mode = mode,
                                            .in_place = in_place,
                                            .in_order = declares(algorithm, Property::ordered)}),
                  "")
            << topology.describe() << ", " << elements << " elements, root " << root
            << (in_place ? ", in place" : "") << (sizes.empty() ? "" : ", blocks that differ");
      }
    }
  }
};

// Elements are never a multiple of pieces, and once fewer than there are pieces.
TEST_P(EveryAlgorithm, HasTheRightElementsEverywhere) {
  const bool rooted = find_collective(GetParam().collective)->rooted;
  for (const Topology& topology : topologies()) {
    expect_right(topology, 53, 0);
    if (rooted) expect_right(topology, 53, topology.ranks() - 1);
  }
  expect_right(topologies().back(), 5, rooted ? 4 : 0);
  expect_right(topologies().back(), 0, 0);
}

/// Whoever does not know of a loss has everything, wherever in the schedule a rank dies.
TEST_P(EveryAlgorithm, IsRightOrKnownToBeLostWhereARankDies) {
  const int uneven[] = {0, 1, 1, 2, 2};
  const int sites[] = {0, 0, 1};
  for (const Topology& topology : {Topology::block(2, 2), Topology::from_nodes(uneven, sites)}) {
    const Schedule schedule = cut_small(GetParam(), topology, 13, 0);
    for (const int dies : {0, 1, topology.ranks() - 1}) {
      for (const int sends : {0, 1, 2, 5}) {
        EXPECT_EQ(run_collective(schedule, {.elements = 13,
                                            .in_order = declares(GetParam(), Property::ordered),
                                            .dies = dies,
                                            .sends_before_death = sends}),
                  "")
            << topology.describe() << ", rank " << dies << " after " << sends << " sends";
      }
    }
  }
}

using UnequalBlocks = EveryAlgorithm;

TEST_P(UnequalBlocks, AreWhereTheyBelong) {
  const bool rooted = find_collective(GetParam().collective)->rooted;
  for (const Topology& topology : topologies()) {
    const int ranks = topology.ranks();
    expect_right(topology, 17, 0, unequal_sizes(ranks, 17));
    if (rooted) expect_right(topology, 17, ranks - 1, unequal_sizes(ranks, 17));
    std::vector<std::int64_t> only_last(static_cast<std::size_t>(ranks), 0);
    only_last.back() = 50;
    expect_right(topology, 50 / ranks, 0, only_last);
  }
}

std::string name_of(const testing::TestParamInfo<Algorithm>& info) {
  return std::string(info.param.collective) + "_" + std::string(info.param.name);
}

INSTANTIATE_TEST_SUITE_P(Catalog, EveryAlgorithm, testing::ValuesIn(catalog()), name_of);
INSTANTIATE_TEST_SUITE_P(Catalog, UnequalBlocks, testing::ValuesIn(for_unequal_blocks()), name_of);

TEST(Executor, RunsAParsedSchedule) {
  const Schedule built =
      build(*find_algorithm("alltoall", "two_level_ring"), Topology::block(2, 2));
  EXPECT_EQ(run_collective(parse(print(built)), {.elements = 8}), "");
}

/// Writes down in which order operations are started; each is complete at once.
class Notes {
 public:
  int send(const Blocks&, int, std::int64_t token) { return start("send ", token); }
  int send_nothing(const Blocks&, int, std::int64_t token) { return start("nothing ", token); }
  int receive(const Blocks&, int, std::int64_t token) { return start("receive ", token); }
  bool copy(const Blocks&, const Blocks&, int) { return start("copy ", 0) > 0; }
  bool reduce(const Blocks&, const Blocks&, int) { return true; }
  bool wait(std::vector<Ended>& ended, bool) {
    for (const std::int64_t token : tokens_) ended.push_back({token});
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
  int send_nothing(const Blocks&, int, std::int64_t) { return -1; }
  int receive(const Blocks&, int, std::int64_t) { return 0; }
  bool copy(const Blocks&, const Blocks&, int) { return true; }
  bool reduce(const Blocks&, const Blocks&, int) { return true; }
  bool wait(std::vector<Ended>& ended, bool) {
    const auto first = std::ranges::find(in_flight_, 0);
    const bool only_first = first != in_flight_.end() && in_flight_.size() == 1;
    if (only_first) sent_before_first_was_complete_ = sent_;
    for (const std::int64_t token : in_flight_)
      if (only_first || token != 0) ended.push_back({token});
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
