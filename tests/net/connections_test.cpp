// SPDX-License-Identifier: BSD-3-Clause
// Many peers that are connected and silent: those who talk do not notice them.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "net/bench/silent_peers.hpp"
#include "net/endpoint/make_carrier.hpp"
#include "net/engine/engine.hpp"
#include "net/frames/core.hpp"
#include "net/operations/credit.hpp"
#include "pair.hpp"

namespace suiro::net {
namespace {

/// An engine without a helper: it does what this thread makes it do, and no more.
struct Lone {
  explicit Lone(const Settings& given)
      : settings(given),
        links(host::usable_links(settings.networks)),
        own(new_name(settings, links)),
        carrier(make_carrier(settings, links, own)),
        engine(settings, own, links, *carrier) {
    carrier->attach(engine);
  }

  void run() { carrier->poll(); }

  Settings settings;
  std::vector<host::Link> links;
  Name own;
  std::unique_ptr<RealCarrier> carrier;
  Log log;
  Engine engine;
};

void exchange(Lone& from, Lone& to, std::vector<std::uint8_t> data) {
  std::vector<std::uint8_t> target(data.size());
  const iovec source{data.data(), data.size()};
  const iovec place{target.data(), target.size()};
  ReceiveRequest receive;
  receive.buffers = {&place, 1};
  receive.sink = &to.log;
  ASSERT_EQ(to.engine.receive(receive), Status::ok);
  SendRequest send;
  send.peer = from.engine.peer(to.own);
  send.buffers = {&source, 1};
  send.sink = &from.log;
  ASSERT_EQ(from.engine.send(send), Status::ok);
  for (int i = 0; i < 1'000'000 && (to.log.count() == 0 || from.log.count() == 0); ++i) {
    if (to.log.count() == 0) to.run();
    if (to.log.count() == 0 || from.log.count() == 0) from.run();
  }
  ASSERT_EQ(to.log.take().size(), 1);
  ASSERT_EQ(from.log.take().size(), 1);
  EXPECT_EQ(target, data);
}

/// System calls of both sides for each of many messages there and back, beside so many others.
double system_calls_beside(int others) {
  constexpr int messages = 1000;
  Lone a(loopback()), b(loopback());
  bench::SilentPeers silent(a.settings, a.links.front().address);
  std::atomic<bool> complete{false};
  std::thread joining([&] {
    for (Lone* host : {&a, &b}) silent.join(host->own, others);
    complete = true;
  });
  while (!complete) {
    a.run();
    b.run();
  }
  joining.join();
  EXPECT_EQ(a.engine.statistics().peers_connected, others);
  for (const std::size_t bytes : {8UL, 48UL << 10}) {
    for (int i = 0; i < 50; ++i) {
      exchange(a, b, random_data(bytes));
      exchange(b, a, random_data(bytes));
    }
  }
  const std::uint64_t before = a.carrier->system_calls() + b.carrier->system_calls();
  const std::uint64_t requests = a.engine.statistics().requests_sent;
  const auto data = random_data(8);
  for (int i = 0; i < messages / 2; ++i) {
    exchange(a, b, data);
    exchange(b, a, data);
  }
  EXPECT_EQ(a.engine.statistics().requests_sent, requests);
  const auto calls = a.carrier->system_calls() + b.carrier->system_calls() - before;
  return static_cast<double>(calls) / messages;
}

TEST(Connections, DoNotAddSystemCalls) {
  const double alone = system_calls_beside(0);
  const double beside_many = system_calls_beside(500);
  EXPECT_LE(beside_many, 1.02 * alone);
  EXPECT_LE(alone, 4.5);
}

std::uint64_t total(const std::vector<CreditPool::Share>& shares) {
  std::uint64_t bytes = 0;
  for (const CreditPool::Share& share : shares) bytes += share.bytes;
  return bytes;
}

TEST(CreditPool, LeavesNobodyWithout) {
  const Settings settings;
  CreditPool pool(settings);
  std::vector<CreditPool::Share> shares;
  for (int peer = 0; peer < 10'000; ++peer) shares.push_back(pool.begin());
  EXPECT_GE(shares[90].bytes, cost(settings.eager_bytes));
  EXPECT_GE(shares.back().bytes, 1024);
  pool.grow(shares.back(), settings.unexpected_budget);
  EXPECT_GE(shares.back().bytes, 8 << 20);  // the others are silent
  for (auto& share : shares) pool.grow(share, settings.unexpected_budget);
  EXPECT_LE(total(shares), settings.unexpected_budget);
}

/// Those who have grown and are silent now do not hold all.
TEST(CreditPool, LeavesSomethingForWhoComesLate) {
  const Settings settings;
  CreditPool pool(settings);
  for (int peer = 0; peer < 8; ++peer) {
    CreditPool::Share share = pool.begin();
    const std::uint64_t before = share.bytes;
    EXPECT_GT(pool.grow(share, settings.unexpected_budget), before);
  }
  CreditPool::Share late = pool.begin();
  pool.grow(late, settings.unexpected_budget);
  EXPECT_GE(late.bytes, 512 << 10);
}

/// Who was there first and has grown gives way when others talk, too.
TEST(CreditPool, EvensOut) {
  const Settings settings;
  CreditPool pool(settings);
  std::vector<CreditPool::Share> shares(300);
  for (auto& share : shares) {
    share = pool.begin();
    pool.grow(share, settings.unexpected_budget);
  }
  for (int round = 0; round < 1000; ++round)
    for (auto& share : shares) pool.renew(share, 16 << 10);
  const auto bytes = [](const CreditPool::Share& share) { return share.bytes; };
  const auto [least, most] = std::ranges::minmax(shares, {}, bytes);
  EXPECT_GE(least.bytes, most.bytes / 10 * 9);
  EXPECT_GE(least.bytes, 100'000);
  EXPECT_LE(total(shares), settings.unexpected_budget);
}

}  // namespace
}  // namespace suiro::net
