// SPDX-License-Identifier: BSD-3-Clause
// Broken schedules, each rejected with rank, round and block. They are ring schedules of 4 ranks
// with one mistake made in the text form, or small texts of their own.
#include "verify/verify.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace suiro {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

std::string ring_text() {
  return print(build(*find_algorithm("alltoall", "ring"), Topology::block(2, 2)));
}

/// The ring with the first `from` after the line `after` replaced.
std::string broken_ring(const std::string& after, const std::string& from, const std::string& to) {
  std::string text = ring_text();
  const std::size_t place = text.find(from, text.find(after));
  EXPECT_NE(place, std::string::npos) << from;
  return text.replace(place, from.size(), to);
}

std::vector<std::string> violations(const std::string& text) {
  std::vector<std::string> lines;
  for (const Violation& violation : verify(parse(text))) lines.push_back(violation.describe());
  return lines;
}

/// A schedule of two ranks; `body` has its rounds.
std::string two_ranks(const std::string& header, const std::string& body) {
  return "suiro-schedule 1\ncollective alltoall\nalgorithm broken\nranks 2\n" + header + body;
}

const std::string plain_header = "rounds 2\nwindow 1\nlookahead 0\nscratch 1\n";

TEST(Verify, TheUnbrokenRingIsProven) { EXPECT_THAT(violations(ring_text()), IsEmpty()); }

TEST(Verify, SwappedPeer) {
  std::string text = broken_ring("rank 1", "send send[2] -> 2", "send send[2] -> 3");
  const auto found = violations(text);
  EXPECT_THAT(found, Contains("rank 2, round 1, block 1: the receive of receive[1] from rank 1 "
                              "meets no send there"));
  EXPECT_THAT(found, Contains("rank 3, round 2, block 1: receive[1] ends with block 2 of rank 1 "
                              "instead of block 3 of rank 1"));

  const std::string other = "send send[3] -> 3";
  text.replace(text.find(other, text.find("rank 1")), other.size(), "send send[3] -> 2");
  EXPECT_THAT(violations(text),
              Contains("rank 2, round 1, block 1: receive[1] ends with block 3 of rank 1 instead "
                       "of block 2 of rank 1"))
      << "two peers swapped match, but bring the wrong blocks";
}

TEST(Verify, MissingBlock) {
  std::string text = broken_ring("rank 0", "  send send[1] -> 1\n", "");
  const std::string receive = "  receive receive[0] <- 0\n";
  text.erase(text.find(receive, text.find("rank 1")), receive.size());
  EXPECT_THAT(violations(text),
              Contains("rank 1, round 3, block 0: receive[0] is empty after the last round: "
                       "block 1 of rank 0 never arrives"));
}

TEST(Verify, UnmatchedSendAndReceive) {
  EXPECT_THAT(violations(broken_ring("rank 1", "  receive receive[0] <- 0\n", "")),
              Contains("rank 0, round 1, block 1: the send of send[1] to rank 1 meets no receive "
                       "there"));
  EXPECT_THAT(violations(broken_ring("rank 0", "  send send[1] -> 1\n", "")),
              Contains("rank 1, round 1, block 0: the receive of receive[0] from rank 0 meets no "
                       "send there"));
}

TEST(Verify, ScratchTooSmall) {
  const auto found = violations(broken_ring("rank 2", "receive receive[1]", "receive scratch[3]"));
  EXPECT_THAT(found, Contains("rank 2, round 1, block 3: receive of scratch[3] from rank 1: "
                              "scratch[3] is outside its buffer of 0 blocks"));
}

TEST(Verify, StepsOutOfRange) {
  EXPECT_THAT(violations(broken_ring("rank 2", "send send[3] -> 3", "send send[3] -> 4")),
              Contains(HasSubstr("rank 2, round 1, block 3: send of send[3] to rank 4: there is no "
                                 "such rank")));
  EXPECT_THAT(violations(broken_ring("rank 2", "send send[3]", "send send[3 x 2]")),
              Contains(HasSubstr("send[3 x 2] is outside its buffer of 4 blocks")));
  EXPECT_THAT(violations(broken_ring("rank 2", "receive receive[1]", "receive send[1]")),
              Contains(HasSubstr("the send buffer is read only")));
  EXPECT_THAT(violations(broken_ring("rank 2", "copy send[2]", "copy send[2 x 2]")),
              Contains(HasSubstr("as many blocks")));
  EXPECT_THAT(violations(broken_ring("rank 2", "copy", "reduce")),
              Contains(HasSubstr("alltoall moves blocks unchanged")));
}

TEST(Verify, CountsMustMatch) {
  EXPECT_THAT(violations(broken_ring("rank 0", "send send[1] ->", "send send[1 x 2] ->")),
              Contains("rank 0, round 1, block 1: the send of send[1 x 2] to rank 1 meets its "
                       "receive[0] of round 1, which has another number of blocks"));
}

TEST(Verify, DeadlockOfSynchronousSends) {
  // Each rank receives only after its send is complete.
  const std::string header = "rounds 2\nwindow 1\nlookahead 0\nscratch 0\n";
  const std::string body =
      "rank 0\nround 0\ncopy send[0] -> receive[0]\nsend send[1] -> 1\n"
      "round 1\nreceive receive[1] <- 1\n"
      "rank 1\nround 0\ncopy send[1] -> receive[1]\nsend send[0] -> 0\n"
      "round 1\nreceive receive[0] <- 0\n";
  EXPECT_THAT(
      violations(two_ranks(header, body)),
      Contains("rank 0, round 0, block 1: deadlock: rank 0 waits in round 0 for its send of "
               "send[1] to rank 1; rank 1 waits in round 0 for its send of send[0] to rank "
               "0; 2 ranks are stuck"));
  const std::string wider = "rounds 2\nwindow 2\nlookahead 0\nscratch 0\n";
  EXPECT_THAT(violations(two_ranks(wider, body)), IsEmpty());
  const std::string lucky = "rounds 2\nwindow 1\nlookahead 1\nscratch 0\n";
  EXPECT_THAT(violations(two_ranks(lucky, body)), Contains(HasSubstr("deadlock")))
      << "receives may be posted early, but need not be";
}

const std::string delivered =
    "rank 0\nround 0\ncopy send[0] -> receive[0]\nsend send[1] -> 1\nreceive receive[1] <- 1\n";
const std::string delivered_1 =
    "rank 1\nround 0\ncopy send[1] -> receive[1]\nsend send[0] -> 0\nreceive receive[0] <- 0\n";

TEST(Verify, DuplicateDelivery) {
  const std::string body = delivered + "round 1\nsend send[1] -> 1\n" + delivered_1 +
                           "round 1\nreceive receive[0] <- 0\n";
  EXPECT_THAT(
      violations(two_ranks(plain_header, body)),
      Contains("rank 1, round 1, block 0: receive[0] gets the same block again, which round "
               "0 has delivered"));
}

TEST(Verify, WrongBlock) {
  const auto found = violations(broken_ring("rank 1", "send send[2] -> 2", "send send[3] -> 2"));
  EXPECT_THAT(found, Contains("rank 2, round 1, block 1: receive[1] ends with block 3 of rank 1 "
                              "instead of block 2 of rank 1"));
}

TEST(Verify, ReadBeforeWritten) {
  const std::string body = delivered + "round 1\ncopy scratch[0] -> receive[1]\n" + delivered_1;
  EXPECT_THAT(violations(two_ranks(plain_header, body)),
              Contains("rank 0, round 1, block 0: the copy of scratch[0] to receive[1] reads "
                       "scratch[0] before it is written"));
}

TEST(Verify, OverlappingWrites) {
  const std::string body =
      "rank 0\nround 0\ncopy send[0] -> receive[1]\nsend send[1] -> 1\nreceive receive[1] <- 1\n"
      "round 1\ncopy send[0] -> receive[0]\n" +
      delivered_1;
  EXPECT_THAT(violations(two_ranks(plain_header, body)),
              Contains("rank 0, round 0, block 1: the receive of receive[1] from rank 1 races in "
                       "receive[1] with the copy of send[0] to receive[1] of round 0: both may be "
                       "in flight"));
}

/// Round 0 receives into scratch, round 1 copies it out, round 2 receives into the same scratch.
std::string scratch_reuse(int window, int lookahead, const std::string& fence) {
  const std::string header = "rounds 4\nwindow " + std::to_string(window) + "\nlookahead " +
                             std::to_string(lookahead) + "\nscratch 1\n";
  return two_ranks(header,
                   "rank 0\nround 0\ncopy send[0] -> receive[0]\nsend send[1] -> 1\n"
                   "receive scratch[0] <- 1\n"
                   "round 1 fence\ncopy scratch[0] -> receive[1]\n"
                   "round 2" +
                       fence +
                       "\nreceive scratch[0] <- 1\n"
                       "rank 1\nround 0\ncopy send[1] -> receive[1]\nsend send[0] -> 0\n"
                       "receive receive[0] <- 0\n"
                       "round 2\nsend send[1] -> 0\n");
}

TEST(Verify, LookaheadTooLarge) {
  EXPECT_THAT(violations(scratch_reuse(1, 0, "")), IsEmpty());
  EXPECT_THAT(
      violations(scratch_reuse(1, 1, "")),
      Contains("rank 0, round 2, block 0: the receive of scratch[0] from rank 1 races in "
               "scratch[0] with the copy of scratch[0] to receive[1] of round 1: both may be "
               "in flight"));
  EXPECT_THAT(violations(scratch_reuse(1, 2, "")), Contains(HasSubstr("scratch[0] from rank 1 of "
                                                                      "round 0: both may be")));
}

TEST(Verify, WindowTooLargeAndFences) {
  EXPECT_THAT(violations(scratch_reuse(3, 0, "")), IsEmpty()) << "round 1 has a fence";
  std::string text = scratch_reuse(2, 0, "");
  text.erase(text.find(" fence"), 6);
  EXPECT_THAT(violations(text), Contains(HasSubstr("rank 0, round 1, block 0: the copy of "
                                                   "scratch[0] to receive[1] races")));
  EXPECT_THAT(violations(scratch_reuse(2, 1, " fence")), Contains(HasSubstr("races")))
      << "a fence does not hold back receives that are posted early";
}

std::string overtaking(std::string text) {
  return text.insert(text.find("lookahead"), "overtaking\n");
}

TEST(Verify, OvertakingRoundsDoNotKnowWhichAreComplete) {
  const std::string unfenced =
      two_ranks("rounds 4\nwindow 2\nlookahead 0\nscratch 1\n",
                "rank 0\nround 0\ncopy send[0] -> receive[0]\nsend send[1] -> 1\n"
                "receive scratch[0] <- 1\nround 3\ncopy scratch[0] -> receive[1]\n"
                "rank 1\nround 0\ncopy send[1] -> receive[1]\nsend send[0] -> 0\n"
                "receive receive[0] <- 0\n");
  EXPECT_THAT(violations(unfenced), IsEmpty()) << "round 0 is two behind";
  EXPECT_THAT(violations(overtaking(unfenced)),
              Contains(HasSubstr("rank 0, round 3, block 0: the copy of scratch[0] to receive[1] "
                                 "races")));
  EXPECT_THAT(violations(overtaking(scratch_reuse(2, 0, " fence"))), IsEmpty());
  EXPECT_THAT(violations(overtaking(scratch_reuse(1, 0, ""))), IsEmpty())
      << "with a window of one, fewer than one incomplete is none";
}

/// Rank 1 takes both pieces of a message through scratch; `scratch` is where, `out` how it copies.
std::string through_scratch(const std::string& scratch, const std::string& out) {
  return "suiro-schedule 1\ncollective bcast\nalgorithm broken\nranks 2\npieces 2\nrounds 2\n"
         "window 1\nlookahead 0\nscratch 4\n"
         "rank 0\nround 0\nsend send[0 x 2] -> 1\n"
         "rank 1\nround 0\nreceive " +
         scratch + " <- 0\nround 1\n" + out;
}

TEST(Verify, PiecesInScratch) {
  const std::string whole = "copy scratch[1 x 2 of 0] -> receive[0 x 2]\n";
  EXPECT_THAT(violations(through_scratch("scratch[1 x 2 of 0]", whole)), IsEmpty());
  EXPECT_THAT(violations(through_scratch("scratch[1 x 2]", whole)),
              Contains("rank 1, round 0, block 1: receive of scratch[1 x 2] from rank 0: it does "
                       "not say which pieces it holds"));
  EXPECT_THAT(violations(through_scratch("scratch[1 x 2 of 1]", whole)),
              Contains("rank 1, round 0, block 1: receive of scratch[1 x 2] from rank 0: it holds "
                       "pieces from 1 on, and there are 2"));
  EXPECT_THAT(violations(through_scratch("scratch[1 x 2 of 0]",
                                         "copy scratch[1 x 2 of 0] -> receive[0 x 2 of 0]\n")),
              Contains(HasSubstr("only scratch and shared say which pieces they hold")));
}

TEST(Verify, RangesOfScratchAreReadAsTheyWereWritten) {
  EXPECT_THAT(violations(through_scratch("scratch[1 x 2 of 0]",
                                         "copy scratch[1 of 0] -> receive[0]\n"
                                         "copy scratch[2 of 1] -> receive[1]\n")),
              Contains("rank 1, round 1, block 2: the copy of scratch[2] to receive[1] reads "
                       "scratch[2], which round 0 wrote as part of scratch[1 x 2]"));
}

TEST(Verify, PiecesStayInTheirPlaces) {
  // Pieces 0 and 1 may differ in size, though both are one block.
  const std::string text =
      "suiro-schedule 1\ncollective bcast\nalgorithm broken\nranks 2\npieces 2\nrounds 2\n"
      "window 1\nlookahead 0\nscratch 1\n"
      "rank 0\nround 0\nsend send[0] -> 1\nsend send[1] -> 1\n"
      "rank 1\nround 0\nreceive scratch[0 of 1] <- 0\nreceive receive[1] <- 0\n"
      "round 1\ncopy scratch[0 of 1] -> receive[0]\n";
  EXPECT_THAT(violations(text), Contains("rank 1, round 0, block 0: the receive of scratch[0] from "
                                         "rank 0 has block 0 of rank 0 in scratch[0], a place for "
                                         "piece 1"));
}

/// A gather of two ranks to rank 0, where rank 1 passes its block through its work buffer.
std::string through_work(const std::string& header, const std::string& rank_1) {
  return "suiro-schedule 1\ncollective gather\nalgorithm broken\nranks 2\nrounds 2\nwindow 1\n" +
         header +
         "rank 0\nround 0\ncopy send[0] -> receive[0]\nreceive receive[1] <- 1\n"
         "rank 1\nround 0\n" +
         rank_1;
}

const std::string work_header = "lookahead 0\nscratch 0\nwork\n";
const std::string keep_and_send = "copy send[0] -> work[1]\nround 1\nsend work[1] -> 0\n";

TEST(Verify, TheWorkBufferIsReadAfterItIsWritten) {
  EXPECT_THAT(violations(through_work(work_header, keep_and_send)), IsEmpty());
  EXPECT_THAT(violations(through_work(work_header, "send work[1] -> 0\n")),
              Contains("rank 1, round 0, block 1: the send of work[1] to rank 0 reads work[1] "
                       "before it is written"));
}

TEST(Verify, OnlySchedulesThatSaySoHaveAWorkBuffer) {
  EXPECT_THAT(violations(through_work("lookahead 0\nscratch 0\n", keep_and_send)),
              Contains("rank 1, round 1, block 1: send of work[1] to rank 0: work[1] is outside "
                       "its buffer of 0 blocks"));
  EXPECT_THAT(violations(two_ranks("rounds 1\nwindow 1\nlookahead 0\nscratch 0\nwork\n",
                                   "rank 0\nround 0\ncopy send[0] -> work[0]\n")),
              Contains(HasSubstr("work[0] is outside its buffer of 0 blocks")))
      << "what is not cut has no pieces to keep";
}

TEST(Verify, TheWorkBufferHasAPlaceForEachPiece) {
  EXPECT_THAT(violations(through_work(work_header,
                                      "copy send[0] -> work[0]\nround 1\nsend work[0] -> 0\n")),
              Contains("rank 1, round 0, block 0: the copy of send[0] to work[0] has block 0 of "
                       "rank 1 in work[0], a place for piece 0"));
  EXPECT_THAT(violations(through_work(
                  work_header, "copy send[0] -> work[1 of 1]\nround 1\nsend work[1] -> 0\n")),
              Contains(HasSubstr("only scratch and shared say which pieces they hold")));
}

/// A scatter from rank 0, where rank 1 keeps what it gets in its work buffer.
TEST(Verify, RacesInTheWorkBufferAreFound) {
  const auto scatter = [](int window) {
    return "suiro-schedule 1\ncollective scatter\nalgorithm broken\nranks 2\nrounds 2\nwindow " +
           std::to_string(window) +
           "\nlookahead 0\nscratch 0\nwork\n"
           "rank 0\nround 0\ncopy send[0] -> receive[0]\nsend send[1] -> 1\n"
           "rank 1\nround 0\nreceive work[1] <- 0\nround 1\ncopy work[1] -> receive[0]\n";
  };
  EXPECT_THAT(violations(scatter(1)), IsEmpty());
  EXPECT_THAT(violations(scatter(2)),
              Contains("rank 1, round 1, block 1: the copy of work[1] to receive[0] races in "
                       "work[1] with the receive of work[1] from rank 0 of round 0: both may be "
                       "in flight"));
}

/// Rank 0 sends to rank 1; `rank_0` is what else it does.
std::string exclusive_scan(const std::string& rank_0) {
  return "suiro-schedule 1\ncollective exscan\nalgorithm broken\nranks 2\nrounds 1\nwindow 1\n"
         "lookahead 0\nscratch 0\nrank 0\nround 0\nsend send[0] -> 1\n" +
         rank_0 + "rank 1\nround 0\nreceive receive[0] <- 0\n";
}

TEST(Verify, AnExclusiveScanHasNoResultOnRank0) {
  EXPECT_THAT(violations(exclusive_scan("")), IsEmpty());
  EXPECT_THAT(violations(exclusive_scan("copy send[0] -> receive[0]\n")),
              Contains("rank 0, round 0, block 0: copy of send[0] to receive[0]: receive[0] is "
                       "outside its buffer of 0 blocks"));
}

TEST(Verify, RefusesWhatItCannotProve) {
  Schedule schedule = parse(ring_text());
  schedule.collective = "dance";
  EXPECT_THAT(verify(schedule).at(0).describe(), HasSubstr("no postcondition"));
  schedule.collective = "alltoall";
  schedule.ranks = 5000;
  EXPECT_THAT(verify(schedule).at(0).describe(), HasSubstr("too large to prove: 5000 ranks"));
  schedule.ranks = 4;
  schedule.scratch = std::int64_t{1} << 40;
  EXPECT_THAT(verify(schedule).at(0).describe(), HasSubstr("blocks of scratch"));
}

Topology four_nodes() { return Topology::block(4, 2); }

std::optional<Violation> one_peer(const Schedule& schedule, const Topology& topology) {
  return counterexample(Property::one_peer_per_node_per_round, schedule, topology);
}

TEST(OnePeer, RingFailsWithNodeRoundAndPeers) {
  const Schedule ring = build(*find_algorithm("alltoall", "ring"), four_nodes());
  const auto found = one_peer(ring, four_nodes());
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->describe(),
            "rank 1, round 3, block 4: node 0 sends to node 1 (rank 0 to rank 3 in round 3) and to "
            "node 2 (rank 1 to rank 4 in round 3) at once");
}

TEST(OnePeer, RingHoldsWithOneRankPerNode) {
  const Topology topology = Topology::block(8, 1);
  EXPECT_FALSE(one_peer(build(*find_algorithm("alltoall", "ring"), topology), topology));
}

TEST(OnePeer, WindowsMatterAndFencesHelp) {
  const Algorithm& algorithm = *find_algorithm("alltoall", "two_level_ring");
  const Schedule schedule = build(algorithm, four_nodes(), {{"window", 64}});
  EXPECT_FALSE(one_peer(schedule, four_nodes()));

  Schedule unfenced = schedule;
  unfenced.function = [inner = schedule.function](int rank, std::int64_t index, Round& round) {
    inner(rank, index, round);
    round.fence = false;
  };
  const auto found = one_peer(unfenced, four_nodes());
  ASSERT_TRUE(found.has_value());
  EXPECT_THAT(found->describe(),
              HasSubstr("in round 3) and to node 2 (rank 0 to rank 5 in round 4)"));

  unfenced.window = 1;
  EXPECT_FALSE(one_peer(unfenced, four_nodes()));
}

TEST(OnePeer, RoundsThatOvertakeMayMeetAnyLaterOne) {
  const Schedule ring = build(*find_algorithm("alltoall", "two_level_ring"), four_nodes());
  Schedule spaced = ring;  // every second round is empty
  spaced.rounds = 2 * ring.rounds;
  spaced.window = 2;
  spaced.function = [ring](int rank, std::int64_t index, Round& round) {
    if (index % 2 == 0) ring.function(rank, index / 2, round);
  };
  EXPECT_FALSE(one_peer(spaced, four_nodes()));
  spaced.overtaking = true;
  EXPECT_TRUE(one_peer(spaced, four_nodes()));
}

}  // namespace
}  // namespace suiro
