// SPDX-License-Identifier: BSD-3-Clause
// How the processes of a host share its links: whoever is alone has all of them, where all are busy
// each keeps to its own, and none stands idle while a long message waits, whatever fails.
#include <gtest/gtest.h>

#include <deque>
#include <numeric>
#include <random>

#include "simulation.hpp"

namespace suiro::net {
namespace {

constexpr double gigabit = 0.125;  // bytes per ns
constexpr std::int64_t millisecond = 1'000'000;

/// Two hosts with the same links and as many processes, which exchange messages.
class Hosts {
 public:
  Hosts(std::uint64_t seed, const std::vector<double>& rates, int processes, RailPolicy policy)
      : world(seed, conditions()), rails(static_cast<int>(rates.size())) {
    Settings settings;
    settings.rails = policy;
    settings.stall_timeout_ns = second / 5;
    settings.chunk_bytes = 256 << 10;
    for (std::uint64_t host = 1; host <= 2; ++host)
      for (int process = 0; process < processes; ++process)
        world.add(settings, rails, host, static_cast<std::uint32_t>(process));
    for (const std::size_t host : {0, 1})
      for (int rail = 0; rail < rails; ++rail)
        world.network.set_rate(of(host, 0).carrier, rail, rates[static_cast<std::size_t>(rail)]);
  }

  static Conditions conditions() {
    Conditions conditions;
    conditions.shortest_delay_ns = conditions.longest_delay_ns = 20'000;
    conditions.cut = false;
    conditions.buffer_bytes = 1 << 20;
    conditions.look_ns = 20;  // what is read twice is not the same twice
    return conditions;
  }

  Process& of(std::size_t host, std::size_t process) {
    return *world.processes[host * world.processes.size() / 2 + process];
  }

  /// From the first host to the second, between the processes of this number.
  void begin(std::size_t process, std::size_t bytes) {
    data.push_back(bytes_of(bytes, data.size()));
    targets.emplace_back(bytes);
    of(1, process).receive(any_peer, data.size(), 0, targets.back().data(), bytes);
    of(0, process).send(of(1, process), data.size(), data.back().data(), bytes);
    sent += bytes;
  }

  std::uint64_t received(std::size_t rail) {
    std::uint64_t sum = 0;
    for (std::size_t process = 0; process < world.processes.size() / 2; ++process)
      sum += of(1, process).engine.statistics().rails[rail].received_bytes;
    return sum;
  }
  std::uint64_t received() {
    std::uint64_t sum = 0;
    for (std::size_t rail = 0; rail < static_cast<std::size_t>(rails); ++rail)
      sum += received(rail);
    return sum;
  }
  std::size_t ended() {
    std::size_t sum = 0;
    for (std::size_t process = 0; process < world.processes.size() / 2; ++process)
      sum += of(1, process).ended();
    return sum;
  }
  bool end() {
    return world.until([&] { return ended() == data.size(); }) && targets == data;
  }

  /// What the second host's processes have told each other, a line for each rail.
  std::string told() {
    std::string text;
    const LinkBoard& board = world.boards[2]->coming;
    for (std::size_t rail = 0; rail < static_cast<std::size_t>(rails); ++rail) {
      text += "rail " + std::to_string(rail) + ", " +
              std::to_string(board.links[rail].bytes_per_ns) + " bytes/ns:";
      for (std::size_t place = 0; place < board.used; ++place) {
        const LinkBoard::Load& load = board.place[place].loads[rail];
        text +=
            " " + std::to_string(load.until_ns > world.network.now_ns() ? load.bytes.load() : 0);
      }
      text += "\n";
    }
    return text;
  }

  /// Seconds that messages of all these processes take together, the second time.
  double time(std::size_t processes, std::size_t bytes) {
    double took = 0;
    for (int times = 0; times < 2; ++times) {
      const std::int64_t before = world.network.now_ns();
      for (std::size_t process = 0; process < processes; ++process) begin(process, bytes);
      EXPECT_TRUE(end());
      took = static_cast<double>(world.network.now_ns() - before) / second;
      world.network.run_until(world.network.now_ns() + 20 * millisecond);
    }
    return took;
  }

  World world;
  const int rails;
  std::deque<std::vector<std::uint8_t>> data, targets;
  std::uint64_t sent = 0;
};

const std::vector<double> even(4, gigabit);
const std::vector<double> uneven{gigabit, gigabit, gigabit / 2, gigabit / 2};

TEST(Sharing, WhoIsAloneHasAllLinks) {
  const std::size_t bytes = 16 << 20;
  for (const auto& rates : {even, uneven}) {
    const double all =
        static_cast<double>(bytes) / std::accumulate(rates.begin(), rates.end(), 0.0);
    for (const int ranks : {1, 2, 4, 8})
      EXPECT_LT(Hosts(1, rates, ranks, RailPolicy::balanced).time(1, bytes), 1.08 * all / second)
          << ranks;
  }
}

/// The others have a fifth of three links: a stream must have most of what that leaves.
TEST(Sharing, AStreamHasWhatThoseLeaveWhoTalkNowAndThen) {
  const std::vector<double> slow(4, gigabit / 10);
  Hosts hosts(1, slow, 4, RailPolicy::balanced);
  for (std::size_t process = 0; process < 4; ++process) hosts.begin(process, 4 << 20);
  ASSERT_TRUE(hosts.end());  // by which rates are learned
  const std::size_t bytes = 64 << 20;
  const std::int64_t begin_ns = hosts.world.network.now_ns();
  const std::size_t expected = hosts.of(1, 0).ended() + 1;
  hosts.begin(0, bytes);
  for (int step = 0; hosts.of(1, 0).ended() < expected; ++step) {
    ASSERT_LT(step, 2000);
    if (step % 5 == 0)
      for (std::size_t other = 1; other < 4; ++other) hosts.begin(other, 128 << 10);
    hosts.world.network.run_until(hosts.world.network.now_ns() + 10 * millisecond);
  }
  const double left = 4 * slow[0] - 3 * static_cast<double>(128 << 10) / (50 * millisecond);
  EXPECT_LT(static_cast<double>(hosts.world.network.now_ns() - begin_ns), 1.15 * bytes / left);
  EXPECT_TRUE(hosts.end());
}

/// A link is not asked for more at a time than the others would wait for in the end.
TEST(Sharing, AMessageThatTakesLittleTimeIsSpreadAsWell) {
  const std::vector<double> slow(4, gigabit / 10);
  Hosts hosts(1, slow, 1, RailPolicy::balanced);
  hosts.begin(0, 8 << 20);  // by which rates are learned
  ASSERT_TRUE(hosts.end());
  const std::size_t bytes = 320 << 10;
  const std::int64_t begin_ns = hosts.world.network.now_ns();
  hosts.begin(0, bytes);
  ASSERT_TRUE(hosts.end());
  const double all = static_cast<double>(bytes) / std::accumulate(slow.begin(), slow.end(), 0.0);
  EXPECT_LT(static_cast<double>(hosts.world.network.now_ns() - begin_ns), 1.15 * all);
}

TEST(Sharing, WhereAllAreBusyEachKeepsToItsOwn) {
  const std::size_t bytes = 8 << 20;
  Hosts forced(1, even, 4, RailPolicy::fixed), free(1, even, 4, RailPolicy::balanced);
  EXPECT_LT(free.time(4, bytes), forced.time(4, bytes) / 0.97);
  for (std::size_t process = 0; process < 4; ++process) {
    std::uint64_t most = 0, all = 0;
    for (std::size_t rail = 0; rail < 4; ++rail) {
      const std::uint64_t here = free.of(1, process).engine.statistics().rails[rail].received_bytes;
      most = std::max(most, here);
      all += here;
    }
    EXPECT_GT(static_cast<double>(most), 0.8 * static_cast<double>(all)) << process;
  }
}

/// What others are expected to do there again becomes less while one looks.
TEST(Sharing, AShortMessageAfterLongOnesOfOthersIsAskedFor) {
  for (const RailPolicy policy : {RailPolicy::balanced, RailPolicy::striped}) {
    Hosts hosts(1, even, 8, policy);
    for (std::size_t process = 4; process < 8; ++process) {
      hosts.begin(process, 8 << 20);  // so that all its streams are open
      ASSERT_TRUE(hosts.end());
      for (std::size_t other = 0; other < 4; ++other) hosts.begin(other, 8 << 20);
      ASSERT_TRUE(hosts.end());
      hosts.begin(process, 90'000);  // in one piece
      ASSERT_TRUE(hosts.end()) << "process " << process << "\n" << hosts.told();
    }
  }
}

/// Of one host two processes send to two others. Each receiver has all links for itself.
TEST(Sharing, ALinkThatTheSendersHostNeedsIsLeftToIt) {
  World world(1, Hosts::conditions());
  Settings free, fixed;
  fixed.rails = RailPolicy::fixed;
  free.chunk_bytes = fixed.chunk_bytes = 256 << 10;
  Process& sender = world.add(free, 2, 1, 0);
  Process& neighbour = world.add(free, 2, 1, 1);
  Process& receiver = world.add(free, 2, 2, 0);
  Process& other = world.add(fixed, 2, 3, 0);
  for (const Process* one : {&sender, &receiver, &other})
    for (const int rail : {0, 1}) world.network.set_rate(one->carrier, rail, gigabit);
  const auto data = bytes_of(8 << 20, 1);
  std::vector<std::uint8_t> mine(data.size()), others(data.size());
  const auto send = [&](Process& from, Process& to, std::vector<std::uint8_t>& target) {
    to.receive(any_peer, 1, 0, target.data(), target.size());
    from.send(to, 1, data.data(), data.size());
  };
  send(neighbour, other, others);
  ASSERT_TRUE(world.until([&] { return other.ended() == 1; }));
  world.network.run_until(world.network.now_ns() + second);
  for (const bool busy : {false, true}) {
    const std::uint64_t before = receiver.engine.statistics().rails[1].received_bytes;
    if (busy) send(neighbour, other, others);
    send(sender, receiver, mine);
    const std::size_t expected = receiver.ended() + 1;
    ASSERT_TRUE(world.until([&] { return receiver.ended() == expected; }));
    const auto strayed =
        static_cast<double>(receiver.engine.statistics().rails[1].received_bytes - before) /
        static_cast<double>(data.size());
    if (busy)
      EXPECT_LT(strayed, 0.15);
    else
      EXPECT_GT(strayed, 0.4);
  }
}

TEST(Sharing, UnevenLinksAreDoneTogether) {
  const std::size_t bytes = 8 << 20;
  Hosts forced(1, uneven, 4, RailPolicy::fixed), free(1, uneven, 4, RailPolicy::balanced);
  EXPECT_LT(free.time(4, bytes), 0.75 * forced.time(4, bytes));
}

/// One run of random processes, rates and messages, with a link that fails and comes back.
void run(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  std::vector<double> rates(2 + below(3));
  for (double& rate : rates) rate = gigabit / static_cast<double>(1 << below(3));
  const auto processes = 1 + below(4);
  Hosts hosts(seed, rates, static_cast<int>(processes), RailPolicy::balanced);
  SimulatedNetwork& network = hosts.world.network;
  for (auto count = 1 + below(8); count > 0; --count)
    hosts.begin(below(processes), (1 + below(32)) << 20);
  const auto fails = below(2 * rates.size());   // perhaps none
  const std::int64_t tick = 130 * millisecond;  // longer than a link is kept for its owner
  std::int64_t settled_ns = 2 * tick;
  bool stalled = false;
  for (int ticks = 0; hosts.ended() < hosts.data.size(); ++ticks) {
    ASSERT_LT(ticks, 2000);
    std::vector<std::uint64_t> before;
    for (std::size_t rail = 0; rail < rates.size(); ++rail) before.push_back(hosts.received(rail));
    if (fails < rates.size() && (ticks == 2 || ticks == 14)) {
      stalled = ticks == 2;
      if (stalled)
        network.stall(hosts.of(1, 0).carrier, static_cast<int>(fails));
      else
        network.restore(hosts.of(1, 0).carrier, static_cast<int>(fails));
      settled_ns = network.now_ns() + (stalled ? second : 7 * second);
    }
    network.run_until(network.now_ns() + tick);
    const bool waits = hosts.sent > hosts.received() + (4 << 20) * processes;
    if (!waits || network.now_ns() < settled_ns) continue;
    for (std::size_t rail = 0; rail < rates.size(); ++rail) {
      if (stalled && rail == fails) continue;
      ASSERT_GT(hosts.received(rail), before[rail]) << "rail " << rail << ", tick " << ticks << "\n"
                                                    << hosts.told();
    }
  }
  ASSERT_TRUE(hosts.end());
}

TEST(Sharing, NoLinkIsIdleWhileALongMessageWaits) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    run(seed);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace suiro::net
