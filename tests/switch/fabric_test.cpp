// SPDX-License-Identifier: BSD-3-Clause
// The truth of the models, in virtual time: their rates against theory, and that nothing is lost,
// doubled or overtaken.
#include "switch/fabric.hpp"

#include <random>

#include "simulated_hosts.hpp"

namespace suiro {
namespace {

constexpr std::int64_t rate_bps = 50'000'000;
constexpr std::int64_t buffer_bytes = 256 << 10;
constexpr Model all_models[] = {Model::hol, Model::voq, Model::shared, Model::pause};

/// A switch with simulated hosts around it.
struct Bench {
  explicit Bench(Model model, int ports, std::int64_t buffer = buffer_bytes)
      : hosts(ports, rate_bps), fabric(make_fabric(model, buffer, hosts.config, hosts)) {
    hosts.network = fabric.get();
  }

  int ports() const { return static_cast<int>(hosts.config.size()); }

  /// Every host always has a frame of `segments` for the port that `target(port)` names.
  void saturate(const std::function<int(int)>& target, int segments = 1) {
    for (int port = 0; port < ports(); ++port) {
      hosts.sources[static_cast<std::size_t>(port)] = [this, target, port, segments] {
        return hosts.make(target(port), segments);
      };
    }
  }

  void run_until(Time end) {
    for (int port = 0; port < ports(); ++port) fabric->wake(port, 0);
    fabric->advance(end);
  }

  /// The fraction of the output links' time that was used, after `warm_up`.
  double throughput(Time end) {
    const Time warm_up = end / 10;
    run_until(warm_up);
    fabric->reset_counters();
    fabric->advance(end);
    std::int64_t bytes = 0;
    for (int port = 0; port < ports(); ++port) bytes += fabric->counters(port).sent_bytes;
    const double seconds = static_cast<double>(end - warm_up) / static_cast<double>(second);
    return static_cast<double>(bytes) * 8 / (static_cast<double>(rate_bps) * ports() * seconds);
  }

  SimulatedHosts hosts;
  std::unique_ptr<Fabric> fabric;
};

/// Ports 2k and 2k+1 send to the same two targets: alpha of the frames to the first, the rest to
/// the second.
std::function<int(int)> two_targets(double alpha, int ports, std::mt19937_64& random) {
  return [=, &random](int port) {
    const int favourite = port % 2;
    const int choice = std::bernoulli_distribution(alpha)(random) ? favourite : 1 - favourite;
    return (port / 2 * 2 + 2 + choice) % ports;
  };
}

TEST(Fabric, OneTargetEachReachesTheRate) {
  for (const Model model : all_models) {
    for (const int segments : {1, 2, 11}) {
      Bench bench(model, 4);
      bench.saturate([](int port) { return (port + 1) % 4; }, segments);
      EXPECT_GE(bench.throughput(second), 0.99) << static_cast<int>(model) << " " << segments;
      EXPECT_EQ(bench.hosts.window_violations(), 0);
    }
  }
}

TEST(Fabric, CarriesTheShareThatOthersLeave) {
  for (const Model model : all_models) {
    Bench bench(model, 4);
    bench.saturate([](int port) { return (port + 1) % 4; });
    bench.fabric->throttle(0.25);
    EXPECT_NEAR(bench.throughput(second), 0.25, 0.01) << static_cast<int>(model);
    bench.fabric->throttle(1);
    bench.fabric->reset_counters();
    bench.fabric->advance(2 * second);
    EXPECT_NEAR(bench.fabric->counters(0).sent_bytes * 8.0 / rate_bps, 1, 0.01);
  }
}

TEST(InputQueued, TwoTargetsEachFollowThePaper) {
  std::mt19937_64 random(1);
  for (const double alpha : {0.5, 0.25, 0.125}) {
    Bench bench(Model::hol, 4);
    bench.saturate(two_targets(alpha, 4, random));
    const double expected = 1 - alpha * (1 - alpha);
    EXPECT_NEAR(bench.throughput(20 * second) / expected, 1, 0.05) << alpha;
  }
}

TEST(VirtualOutputQueues, TwoTargetsEachReachTheRate) {
  std::mt19937_64 random(2);
  Bench bench(Model::voq, 4);
  bench.saturate(two_targets(0.5, 4, random));
  EXPECT_GE(bench.throughput(10 * second), 0.93);
}

TEST(InputQueued, UniformTrafficSaturatesAtKarolsFigures) {
  const std::pair<int, double> figures[] = {{4, 0.655}, {8, 0.618}};
  for (const auto& [ports, expected] : figures) {
    std::mt19937_64 random(3);
    Bench bench(Model::hol, ports);
    bench.saturate([&random, ports = ports](int) {
      return std::uniform_int_distribution<int>(0, ports - 1)(random);
    });
    EXPECT_NEAR(bench.throughput(20 * second), expected, 0.02) << ports;
  }
}

TEST(InputQueued, BlockingIsSeen) {
  Bench bench(Model::hol, 4);
  std::mt19937_64 random(8);
  bench.hosts.sources[0] = [&] { return bench.hosts.make(2); };
  bench.hosts.sources[1] = [&] { return bench.hosts.make(random() % 2 == 0 ? 2 : 3); };
  bench.run_until(second);
  EXPECT_EQ(bench.fabric->counters(0).hol_blocked, 0);
  EXPECT_GT(bench.fabric->counters(1).hol_blocked, second / 10);
  EXPECT_GE(bench.fabric->counters(1).blocked, bench.fabric->counters(1).hol_blocked);
}

TEST(InputQueued, AnAcknowledgementWaitsForOneMtuFrame) {
  Bench bench(Model::hol, 3);
  bench.hosts.sources[0] = [&] { return bench.hosts.make(2, 11); };
  bench.fabric->wake(0, 0);
  const Time mtu_time = 1538 * 8 * second / rate_bps;
  const Time arrival = 20 * mtu_time + mtu_time / 2;
  bench.fabric->advance(arrival);
  bool sent = false;
  bench.hosts.sources[1] = [&]() -> Frame* {
    return std::exchange(sent, true) ? nullptr : bench.hosts.make(2, 1, 66);
  };
  bench.fabric->wake(1, arrival);
  bench.fabric->advance(arrival + mtu_time / 2 + 90 * 8 * second / rate_bps + 1);
  EXPECT_EQ(bench.fabric->counters(1).received_frames, 1);
}

TEST(Shared, DropsWhereTheBufferEnds) {
  constexpr int room = 10;  // frames, and 100 bytes that no frame fits in
  Bench bench(Model::shared, 3, room * full_frame_bytes + 100);
  bench.saturate([](int) { return 2; });
  bench.hosts.sources[2] = nullptr;
  const Time mtu_time = 1538 * 8 * second / rate_bps;
  // Two frames arrive and one leaves in an MTU time, from the second on; so n MTU times leave n + 1
  // frames inside.
  bench.run_until(mtu_time * (room - 1));
  EXPECT_EQ(bench.hosts.discarded, 0);
  bench.fabric->advance(mtu_time * room);
  EXPECT_EQ(bench.hosts.discarded, 1);
  bench.fabric->advance(mtu_time * (room + 100));
  EXPECT_EQ(bench.hosts.discarded, 101);
  EXPECT_EQ(bench.fabric->counters(2).drops, 101);
  EXPECT_EQ(bench.fabric->counters(2).drop_bytes, 101 * 1538);
}

TEST(Fabric, LosslessModelsNeverDropAndSharedDoes) {
  for (const Model model : all_models) {
    std::mt19937_64 random(4);
    Bench bench(model, 4);
    bench.saturate([&random](int) { return std::bernoulli_distribution(0.7)(random) ? 0 : 1; }, 5);
    bench.run_until(10 * second);
    EXPECT_EQ(bench.hosts.discarded > 0, model == Model::shared);
    EXPECT_EQ(bench.hosts.window_violations(), 0);
  }
}

TEST(Pause, BringsHeadOfLineBlocking) {
  std::mt19937_64 random(5);
  Bench bench(Model::pause, 4);
  bench.saturate([&random](int port) {
    return port < 3 && std::bernoulli_distribution(0.5)(random) ? 0 : port;
  });
  bench.run_until(10 * second);
  EXPECT_GT(bench.fabric->counters(1).pauses, 0);
  EXPECT_GT(bench.fabric->counters(1).hol_blocked, 0);
  EXPECT_GE(bench.fabric->counters(1).paused, bench.fabric->counters(1).hol_blocked);
  EXPECT_LT(bench.fabric->counters(1).sent_bytes, 0.95 * rate_bps / 8 * 10);
}

TEST(Fabric, EveryAcceptedFrameLeavesOnceAndInOrder) {
  for (const Model model : all_models) {
    std::mt19937_64 random(6);
    Bench bench(model, 5, 1 << 14);
    for (std::size_t port = 0; port < 5; ++port) {
      bench.hosts.sources[port] = [&, left = 2001]() mutable -> Frame* {
        if (--left < 0) return nullptr;
        const int target = std::uniform_int_distribution<int>(0, 4)(random);
        const int segments = std::uniform_int_distribution<int>(1, 12)(random);
        return bench.hosts.make(target, segments,
                                std::uniform_int_distribution<int>(14, 1514)(random));
      };
    }
    bench.run_until(100 * second);
    EXPECT_EQ(bench.fabric->next_event(), never);
    EXPECT_EQ(bench.hosts.delivered + bench.hosts.discarded, bench.hosts.accepted);
    EXPECT_EQ(bench.hosts.window_violations(), 0);
  }
}

TEST(Fabric, LinksOfDifferentRatesKeepTheirs) {
  for (const Model model : {Model::hol, Model::voq, Model::pause}) {
    SimulatedHosts hosts(2, rate_bps);
    hosts.config[1].rate_bps = rate_bps / 5;
    const auto fabric = make_fabric(model, buffer_bytes, hosts.config, hosts);
    hosts.network = fabric.get();
    for (const int source : {0, 1}) {
      hosts.sources[static_cast<std::size_t>(source)] = [&hosts, source] {
        return hosts.make(1 - source);
      };
      fabric->wake(source, 0);
    }
    fabric->advance(10 * second);
    for (const int port : {0, 1}) {
      const double rate = static_cast<double>(fabric->counters(port).sent_bytes) * 8 / 10;
      EXPECT_NEAR(rate / (rate_bps / 5.0), 1, 0.01);
    }
  }
}

TEST(Fabric, AnIdleLinkStartsWhenItsFrameComes) {
  for (const Model model : all_models) {
    Bench bench(model, 2);
    int left = 1;
    bench.hosts.sources[0] = [&]() -> Frame* { return left-- > 0 ? bench.hosts.make(1) : nullptr; };
    bench.fabric->wake(0, second);
    EXPECT_EQ(bench.fabric->next_event(), second + 1538 * 8 * second / rate_bps);
    bench.fabric->advance(2 * second);
    EXPECT_EQ(bench.hosts.delivered, 1);
    EXPECT_TRUE(bench.fabric->wants(0));
  }
}

}  // namespace
}  // namespace suiro
