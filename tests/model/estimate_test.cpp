// SPDX-License-Identifier: BSD-3-Clause
// The estimate must give the papers' cost formulas, where these say what happens, and the shares of
// links that can be worked out by hand.
#include "model/estimate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "algorithms/catalog.hpp"
#include "model/fair_shares.hpp"
#include "model/network_json.hpp"

namespace suiro {
namespace {

/// A link of 1 MB/s and little latency, nothing else takes time. Every message asks first, so a
/// sender is held up by a long one as in the formulas.
Network plain() {
  Network network;
  network.link_Bps = 1e6;
  network.message_s = 0;
  network.latency_s = 1e-5;
  network.local_message_s = network.local_latency_s = 0;
  network.copy_Bps = network.reduce_Bps = 1e15;
  network.eager = 0;
  return network;
}

double seconds(std::string_view collective, std::string_view algorithm, const Topology& topology,
               const Network& network, double bytes, const Parameters& parameters = {}) {
  const Algorithm* row = find_algorithm(collective, algorithm);
  if (row == nullptr) throw std::runtime_error("not in the catalog: " + std::string(algorithm));
  const Call call{
      .topology = topology,
      .bytes = static_cast<std::int64_t>(bytes),
      .link = {
          .startup_s = network.latency_s, .Bps = network.link_Bps, .streams = streams_of(network)}};
  const Schedule schedule = build(*row, call, parameters);
  const bool cut = find_collective(collective)->cut();
  return estimate(schedule, topology, network,
                  cut ? bytes / static_cast<double>(schedule.pieces) : bytes)
      .seconds;
}

constexpr double message = 1e6;    // bytes, so long that headers and latencies are nothing
constexpr double near = 0.01;      // of a formula that leaves these out
constexpr double whole = message;  // a segment as long as the message

Parameters in_one() { return {{"segment", static_cast<std::int64_t>(whole)}}; }

// Paper B: a + b x is a message's time, which is 1 s here.
TEST(Estimate, GivesPaperBsCostsOfBcast) {
  const Network network = plain();
  for (const int ranks : {2, 4, 8, 16}) {
    const Topology topology = Topology::block(ranks, 1);
    const double p = ranks;
    EXPECT_NEAR(seconds("bcast", "linear", topology, network, message), p - 1, near * p);
    EXPECT_NEAR(seconds("bcast", "pipeline", topology, network, message, in_one()), p - 1,
                near * p);
    // The formula is for one child after the other. In Open MPI, and here, all of a node's children
    // are served at once, which is the same where the way counts, and later for the deepest where
    // the link does.
    const double levels = std::ceil(std::log2(p));
    EXPECT_NEAR(seconds("bcast", "binomial", topology, network, message, in_one()),
                levels * (levels + 1) / 2, near * p * p);
    Network far = network;
    far.latency_s = 1;
    far.eager = 1e18;
    EXPECT_NEAR(seconds("bcast", "binomial", topology, far, 1, in_one()), levels, near * p);
  }
  // The formula has both children of a node wait for both messages of each level, and the last
  // child of the last level does: in a full tree.
  for (const int ranks : {3, 7, 15}) {
    const Topology topology = Topology::block(ranks, 1);
    const double levels = std::ceil(std::log2(ranks + 1)) - 1;
    EXPECT_NEAR(seconds("bcast", "binary", topology, network, message, in_one()), 2 * levels,
                near * ranks);
  }
}

/// Two sites, each of so many nodes of one rank, and a WAN that is never the limit.
Topology two_sites(int nodes) {
  std::vector<int> node_of_rank;
  std::vector<int> site_of_node;
  for (int node = 0; node < 2 * nodes; ++node) {
    node_of_rank.push_back(node);
    site_of_node.push_back(node / nodes);
  }
  return Topology::from_nodes(node_of_rank, site_of_node);
}

// Paper D, table 2. Its phases follow each other; suiro's may overlap, so they are no slower.
TEST(Estimate, IsNoSlowerThanPaperDsModelsAndNotMuchFaster) {
  Network network = plain();
  network.latency_s = 1e-6;
  network.wan = {.Bps = 1e9, .latency_s = 0.01};
  const Topology topology = two_sites(8);
  const auto of = [&](std::string_view collective, std::string_view algorithm, double n) {
    const Parameters parameters =
        n > 0 ? Parameters{{"n", static_cast<std::int64_t>(n)}} : Parameters{};
    return seconds(collective, algorithm, topology, network, message, parameters);
  };
  // (N - 1) / N of the message in a scatter or an allgather of N = 8, which the paper rounds up.
  const double phase = 7.0 / 8;
  for (const double n : {1.0, 4.0, 8.0}) {
    const double paper = 0.01 + 1 / n + 2;
    const double made = of("bcast", "extended_van_de_geijn", n);
    EXPECT_LE(made, paper * 1.02) << n;
    EXPECT_GE(made, 0.01 + 2 * phase * 0.9) << n;
    EXPECT_LE(of("allreduce", "extended_rabenseifner", n), paper * 1.02) << n;
  }
  EXPECT_NEAR(of("bcast", "farfirst", 0), 0.01 + 1 + 2 * phase, 0.1);
  const double gain = of("bcast", "farfirst", 0) / of("bcast", "extended_van_de_geijn", 8);
  EXPECT_NEAR(gain, 3 / (2 + 1.0 / 8), 0.15);
}

// The paper on all-to-all: what head-of-line blocking costs Ring, and not 2-Level Ring.
TEST(Estimate, LosesByHeadOfLineBlockingWhatPaperASays) {
  Network network = plain();
  network.latency_s = 1e-6;
  network.kind = SwitchKind::hol;
  const Topology topology = Topology::block(4, 4);
  const auto of = [&](std::string_view algorithm) {
    return seconds("alltoall", algorithm, topology, network, 1e6);
  };
  EXPECT_NEAR(of("two_level_ring"), 48, 0.5);
  EXPECT_NEAR(of("ring") / of("two_level_ring"), 1.13, 0.03);
  network.kind = SwitchKind::voq;
  EXPECT_NEAR(of("ring"), 48, 0.5);
}

// An answer waits behind data that goes its way, so both directions together take twice as long.
TEST(Estimate, HoldsUpAnAnswerBehindData) {
  Schedule both;
  both.collective = "alltoall";
  both.ranks = 2;
  both.rounds = 1;
  both.function = [](int rank, std::int64_t, Round& round) {
    round.steps = {receive(1 - rank, {Buffer::receive, 1 - rank, 1}),
                   send({Buffer::send, 1 - rank, 1}, 1 - rank)};
  };
  const Topology topology = Topology::block(2, 1);
  Network network = plain();
  network.eager = 1e18;
  EXPECT_NEAR(estimate(both, topology, network, 1e6).seconds, 1, near);
  network.eager = 0;
  EXPECT_NEAR(estimate(both, topology, network, 1e6).seconds, 1, near);
}

TEST(Estimate, AddsUpWhereTheTimeWent) {
  Network network;
  const Topology topology = Topology::block(4, 2);
  const Schedule schedule =
      build(*find_algorithm("allreduce", "ring"), Call{.topology = topology, .bytes = 1 << 20});
  std::vector<Transfer> transfers;
  const Estimate made = estimate(schedule, topology, network, 65536, &transfers);
  EXPECT_NEAR(made.spent.total(), made.seconds, 1e-9 * made.seconds);
  EXPECT_EQ(static_cast<std::int64_t>(transfers.size()), made.messages);
  for (const Transfer& one : transfers) {
    EXPECT_LE(one.posted_s, one.begin_s);
    EXPECT_LT(one.begin_s, one.end_s);
    EXPECT_LE(one.end_s, made.seconds);
  }
}

TEST(Estimate, RefusesWhatDoesNotFit) {
  const Topology topology = Topology::block(2, 1);
  Schedule schedule = build(*find_algorithm("alltoall", "ring"), Topology::block(3, 1));
  EXPECT_THROW(estimate(schedule, topology, Network{}, 1), std::invalid_argument);
  schedule = {};
  schedule.ranks = 2;
  schedule.rounds = 1;
  schedule.function = [](int rank, std::int64_t, Round& round) {
    if (rank == 0) round.steps = {receive(1, {Buffer::receive, 0, 1})};
  };
  EXPECT_THROW(estimate(schedule, topology, Network{}, 1), std::runtime_error);
}

// Of three streams, two share the link out of node 0, and one of these and the third the link into
// node 2: everyone gets a half, until node 1's alone is left.
TEST(FairShares, AreMaxMinFair) {
  Network network = plain();
  FairShares shares(Topology::block(3, 1), network);
  const int to_1 = shares.pair(0, 1);
  const int to_2 = shares.pair(0, 2);
  const int third = shares.pair(1, 2);
  for (const int pair : {to_1, to_2, third}) shares.add(pair);
  for (const int pair : {to_1, to_2, third}) EXPECT_DOUBLE_EQ(shares.rate(pair), 0.5e6);
  shares.add(to_2);  // two streams alike
  EXPECT_DOUBLE_EQ(shares.rate(to_2), 1e6 / 3);
  EXPECT_DOUBLE_EQ(shares.rate(to_1), 1e6 / 3);
  EXPECT_DOUBLE_EQ(shares.rate(third), 1e6 / 3);
  shares.remove(to_2);
  shares.remove(to_2);
  EXPECT_DOUBLE_EQ(shares.rate(third), 1e6);
  EXPECT_EQ(shares.pair(0, 1), to_1);
}

TEST(FairShares, HoldAStreamToItsWindow) {
  Network network = plain();
  network.wan = {.Bps = 1e6, .latency_s = 0.01, .window = 4000};
  FairShares shares(two_sites(1), network);
  const int over = shares.pair(0, 1);
  shares.add(over);
  EXPECT_DOUBLE_EQ(shares.rate(over), 4000 / 0.02);
}

// A stream alone has its rate, and so many that the link is full share that.
TEST(FairShares, HoldAStreamToItsRate) {
  Network network = plain();
  network.stream_Bps = 4e5;
  FairShares shares(Topology::block(3, 1), network);
  const int to_1 = shares.pair(0, 1);
  const int third = shares.pair(1, 2);
  shares.add(to_1);
  EXPECT_DOUBLE_EQ(shares.rate(to_1), 4e5);
  shares.add(third);
  EXPECT_DOUBLE_EQ(shares.rate(third), 4e5);
  for (int i = 0; i < 3; ++i) shares.add(to_1);
  EXPECT_DOUBLE_EQ(shares.rate(to_1), 1e6 / 4);
  EXPECT_DOUBLE_EQ(shares.rate(third), 4e5);
  EXPECT_EQ(streams_of(network), 3);
  EXPECT_EQ(streams_of(plain()), 1);
}

// In a cloud as many chains run at once as it takes to fill a link.
TEST(Estimate, FillsALinkByManyStreams) {
  Network network = plain();
  network.stream_Bps = network.link_Bps / 4;
  const Topology topology = Topology::block(4, 4);
  for (const char* collective : {"bcast", "reduce"}) {
    const double takes_s = seconds(collective, "node_pipeline", topology, network, message);
    EXPECT_GT(takes_s, 1);
    EXPECT_LT(takes_s, 1.3) << collective;
  }
}

// Where a node's ranks cannot share memory: what one of them does for the others does not grow with
// their number, but for the way through a tree.
TEST(Estimate, ServesNodesOfManyRanksByTrees) {
  Network network;
  network.kind = SwitchKind::voq;
  network.link_Bps = 1.25e9;
  constexpr double bytes = 3.75e6;
  for (const char* collective : {"bcast", "reduce"}) {
    const auto on = [&](int ranks) {
      return seconds(collective, "node_pipeline", Topology::block(16, ranks), network, bytes);
    };
    EXPECT_LT(on(64), 1.5 * on(4)) << collective;
  }
}

TEST(NetworkFile, SaysWhatIsWrong) {
  const NetworkFile file =
      parse_network(R"({"kind": "hol", "link_Bps": 5e6, "site_of_node": [0, 1]})", "n");
  EXPECT_EQ(file.network.kind, SwitchKind::hol);
  EXPECT_EQ(file.network.link_Bps, 5e6);
  EXPECT_EQ(file.site_of_node, (std::vector<int>{0, 1}));
  for (const char* wrong : {"", "[]", R"({"kind": "shred"})", R"({"link_Bps": 0})",
                            R"({"link_Bps": "fast"})", R"({"latency_s": -1})", R"({"speed": 1})",
                            R"({"site_of_node": [-1]})", R"({"site_of_node": 1})"}) {
    EXPECT_THROW(parse_network(wrong, "n"), std::runtime_error) << wrong;
  }
}

}  // namespace
}  // namespace suiro
