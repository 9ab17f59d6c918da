// SPDX-License-Identifier: BSD-3-Clause
// What every carrier of the real world must do, whichever it is: two of them in one process.
#include "net/shared/carrier.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include "carrier_pair.hpp"
#include "net/endpoint/make_carrier.hpp"

namespace suiro::net {
namespace {

TEST_P(CarrierTest, GivesControlBytesInOrderBothWays) {
  StreamId there = no_stream;
  const StreamId here = connect(there, StreamKind::control);
  EXPECT_EQ(b.events.streams[there].route.shared_memory, GetParam().route.shared_memory);
  const auto first = pattern(1'500'001, 1);
  const auto second = pattern(1'333'333, 2);
  a.send(here, first);
  b.send(there, second);
  EXPECT_TRUE(until([&] {
    return b.events.streams[there].received.size() >= first.size() &&
           a.events.streams[here].received.size() >= second.size();
  }));
  EXPECT_EQ(b.events.streams[there].received, first);
  EXPECT_EQ(a.events.streams[here].received, second);
  EXPECT_GT(b.events.streams[there].drained, 0);
}

TEST_P(CarrierTest, PutsControlPayloadWhereItIsWanted) {
  StreamId there = no_stream;
  const StreamId here = connect(there, StreamKind::control);
  const auto bytes = pattern(1'000'000);
  std::vector<std::byte> place(900'000);
  b.events.on_event = [&](StreamId, const std::string& event) {
    Recorder::Stream& stream = b.events.streams[there];
    if (event == "received" && stream.placed == 0 && stream.wanted.empty()) stream.wanted = place;
  };
  a.send(here, bytes);
  const auto& stream = b.events.streams[there];
  EXPECT_TRUE(until([&] { return stream.received.size() + stream.placed >= bytes.size(); }));
  // Some bytes came before anything was wanted, then the place may be filled, then come the others.
  // A carrier may give more without asking, so only the order can be checked.
  std::vector<std::byte> all = stream.received;
  const std::size_t placed = stream.placed;
  std::size_t at = 0;
  while (at < all.size() && placed > 0 &&
         !std::equal(place.begin(), place.begin() + 64, bytes.begin() + static_cast<long>(at)))
    ++at;
  all.insert(all.begin() + static_cast<long>(std::min(at, all.size())), place.begin(),
             place.begin() + static_cast<long>(placed));
  EXPECT_EQ(all, bytes);
}

TEST_P(CarrierTest, ReadsBulkOnlyIntoWhatIsWanted) {
  StreamId there = no_stream;
  const StreamId here = connect(there, StreamKind::bulk);
  const auto bytes = pattern(2'654'321);
  std::vector<std::byte> place(bytes.size() + 64);
  a.send(here, bytes);
  settle();
  auto& stream = b.events.streams[there];
  EXPECT_EQ(stream.placed, 0U);
  std::size_t begin = 0;
  for (const std::size_t count : {1UL, 63UL, 65'537UL, 1'000'000UL, 1'588'720UL}) {
    stream.wanted = std::span(place).subspan(begin, count);
    b.carrier->arm(there);
    begin += count;
    ASSERT_TRUE(until([&] { return stream.placed == begin; }));
    EXPECT_EQ(place[begin], std::byte{0});
  }
  ASSERT_EQ(begin, bytes.size());
  place.resize(bytes.size());
  EXPECT_EQ(place, bytes);
  EXPECT_THAT(stream.received, testing::IsEmpty());
  EXPECT_TRUE(until([&] { return a.sent[here] == bytes.size(); }));
}

TEST_P(CarrierTest, WantsTheNextPlaceInsideAnEvent) {
  StreamId there = no_stream;
  const StreamId here = connect(there, StreamKind::bulk);
  const auto bytes = pattern(1'200'000);
  std::vector<std::byte> place(bytes.size());
  auto& stream = b.events.streams[there];
  std::size_t begin = 100'000;
  stream.wanted = std::span(place).first(begin);
  b.carrier->arm(there);
  b.events.on_event = [&](StreamId, const std::string& event) {
    if (event != "placed" || !stream.wanted.empty() || begin == place.size()) return;
    stream.wanted = std::span(place).subspan(begin, 100'000);
    begin += 100'000;
    b.carrier->arm(there);
  };
  a.send(here, bytes);
  EXPECT_TRUE(until([&] { return stream.placed == bytes.size(); }));
  EXPECT_EQ(place, bytes);
}

TEST_P(CarrierTest, DeliversWhatWasWrittenBeforeClosing) {
  StreamId there = no_stream;
  const StreamId here = connect(there, StreamKind::control);
  const auto bytes = pattern(50'000);
  const iovec part{const_cast<std::byte*>(bytes.data()), bytes.size()};
  ASSERT_EQ(a.carrier->write(here, std::span(&part, 1)), bytes.size());
  a.carrier->close(here);
  a.events.forget(here);
  const auto& stream = b.events.streams[there];
  EXPECT_TRUE(until([&] { return stream.closed == 1; }));
  EXPECT_EQ(stream.received, bytes);
  EXPECT_FALSE(stream.reason.empty());
  settle();
  EXPECT_EQ(stream.closed, 1);
}

TEST_P(CarrierTest, TellsOnceThatNobodyIsThere) {
  Name nobody = b.name;
  random_bytes(nobody.nonce);
  nobody.port = 1;
  const StreamId stream = a.carrier->open(nobody, GetParam().route);
  EXPECT_EQ(a.events.streams[stream].closed, 0) << "events come from poll only";
  EXPECT_TRUE(until([&] { return a.events.streams[stream].closed == 1; }));
  EXPECT_FALSE(a.events.streams[stream].reason.empty());
  const StreamId forgotten = a.carrier->open(nobody, GetParam().route);
  a.carrier->close(forgotten);
  a.events.forget(forgotten);
  settle();
}

TEST_P(CarrierTest, LeavesWhatFailsAtOnceToWhoeverSleeps) {
  settle();
  while (!a.carrier->prepare_sleep()) a.run();
  ASSERT_FALSE(a.carrier->has_failures());
  Name nobody = b.name;
  random_bytes(nobody.nonce);
  nobody.addresses[0] = htonl(0x08080808);  // not to be reached from loopback's address
  const StreamId stream = a.carrier->open(nobody, GetParam().route);
  pollfd descriptor{a.carrier->wait_descriptor(), POLLIN, 0};
  EXPECT_TRUE(a.carrier->has_failures() || ::poll(&descriptor, 1, 0) == 1);
  EXPECT_TRUE(until([&] { return a.events.streams[stream].closed == 1; }));
}

TEST_P(CarrierTest, ClosesInsideAnyEventOfTheStream) {
  for (const std::string when : {"accepted", "received", "placed", "writable", "drained"}) {
    SCOPED_TRACE(when);
    StreamId there = no_stream;
    int closings = 0;
    std::vector<std::byte> place(1000);
    const auto close_in = [&](Side& side, StreamId id, const std::string& event) {
      if (event != when) return;
      side.carrier->close(id);
      side.events.forget(id);
      ++closings;
    };
    if (when == "accepted") {
      b.events.on_event = [&](StreamId id, const std::string& event) { close_in(b, id, event); };
      const StreamId here = a.carrier->open(b.name, GetParam().route);
      EXPECT_TRUE(until([&] { return closings == 1 && a.events.streams[here].closed == 1; }));
      b.events.on_event = nullptr;
      continue;
    }
    // Frames in shared memory are never placed by the carrier.
    const bool bulk = when == "placed" && GetParam().route.shared_memory;
    const StreamId here = connect(there, bulk ? StreamKind::bulk : StreamKind::control);
    if (when == "placed") b.events.streams[there].wanted = place;
    a.send(here, std::vector<std::byte>(10'000'000));
    Side& side = when == "writable" ? a : b;
    side.events.on_event = [&](StreamId id, const std::string& event) {
      close_in(side, id, event);
    };
    EXPECT_TRUE(until([&] { return closings > 0; }));
    settle();
    EXPECT_EQ(closings, 1);
    a.events.on_event = nullptr;
    b.events.on_event = nullptr;
  }
}

TEST_P(CarrierTest, LetsGoOfWantedMemoryWhenClosing) {
  StreamId there = no_stream;
  const StreamId here = connect(there, StreamKind::bulk);
  auto& stream = b.events.streams[there];
  auto place = std::make_unique<std::vector<std::byte>>(4'000'000);
  stream.wanted = *place;
  b.carrier->arm(there);
  a.send(here, pattern(1'000'000));
  EXPECT_TRUE(until([&] { return stream.placed > 0 || a.sent[here] == 1'000'000; }));
  b.carrier->close(there);
  b.events.forget(there);
  place.reset();  // a sanitizer sees who writes here now
  settle();
  EXPECT_EQ(a.events.streams[here].closed, 1);
}

TEST_P(CarrierTest, RaisesTheAlarmAndSleepsUntilThen) {
  const auto begin = std::chrono::steady_clock::now();
  a.carrier->set_alarm(a.carrier->now_ns() + 1'000'000'000);
  a.carrier->set_alarm(a.carrier->now_ns() + 30'000'000);
  while (a.events.alarms == 0 && std::chrono::steady_clock::now() - begin < 2s)
    a.run_within(5'000'000'000);
  EXPECT_EQ(a.events.alarms, 1);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 29ms);
  EXPECT_EQ(a.carrier->alarm_ns(), never_ns);
  EXPECT_FALSE(a.run_within(20'000'000));
}

TEST_P(CarrierTest, WakesWhoSleepsOutsideTheLock) {
  StreamId there = no_stream;
  const StreamId here = connect(there, StreamKind::control);
  const auto bytes = pattern(64);
  const iovec part{const_cast<std::byte*>(bytes.data()), bytes.size()};
  for (std::size_t round = 1; round <= 200; ++round) {
    while (b.run() || !b.carrier->prepare_sleep()) {
    }
    ASSERT_EQ(a.carrier->write(here, std::span(&part, 1)), bytes.size());
    pollfd descriptor{b.carrier->wait_descriptor(), POLLIN, 0};
    ASSERT_EQ(::poll(&descriptor, 1, 2000), 1) << "in round " << round;
    const auto& received = b.events.streams[there].received;
    while (received.size() < round * bytes.size()) b.run();
    ASSERT_EQ(received.size(), round * bytes.size());
  }
}

/// Polls may become cheaper at the expense of those who sleep, until somebody means to.
TEST_P(CarrierTest, WakesASleeperAfterManyPolls) {
  StreamId there = no_stream;
  const StreamId here = connect(there, StreamKind::control);
  const auto bytes = pattern(64);
  const iovec part{const_cast<std::byte*>(bytes.data()), bytes.size()};
  for (std::size_t round = 1; round <= 100; ++round) {
    ASSERT_EQ(a.carrier->write(here, std::span(&part, 1)), bytes.size());
    while (b.events.streams[there].received.size() < round * bytes.size()) b.run();
  }
  const bool may_sleep = b.carrier->prepare_sleep();
  ASSERT_EQ(a.carrier->write(here, std::span(&part, 1)), bytes.size());
  pollfd descriptor{b.carrier->wait_descriptor(), POLLIN, 0};
  EXPECT_TRUE(!may_sleep || ::poll(&descriptor, 1, 2000) == 1);
}

TEST_P(CarrierTest, WakesASleeperAlthoughSomebodyPolledMeanwhile) {
  StreamId there = no_stream;
  const StreamId here = connect(there, StreamKind::control);
  StreamId bulk_there = no_stream;
  const StreamId bulk_here = connect(bulk_there, StreamKind::bulk);
  const auto bytes = pattern(10);
  std::vector<std::byte> place(bytes.size());
  for (int round = 0; round < 20; ++round) {
    while (b.run() || !b.carrier->prepare_sleep()) {
    }
    b.events.streams[bulk_there].wanted = place;
    b.carrier->arm(bulk_there);
    b.carrier->poll();  // the application, which then computes
    const StreamId stream = round % 2 == 0 ? bulk_here : here;
    a.send(stream, bytes);
    pollfd descriptor{b.carrier->wait_descriptor(), POLLIN, 0};
    ASSERT_EQ(::poll(&descriptor, 1, 2000), 1) << "in round " << round;
    auto& wanted = b.events.streams[bulk_there].wanted;
    if (stream == here) a.send(bulk_here, bytes);
    ASSERT_TRUE(until([&] { return wanted.empty() && a.sent[bulk_here] == bytes.size(); }));
  }
}

TEST_P(CarrierTest, LetsSleepUntilSomethingComes) {
  StreamId there = no_stream;
  const StreamId here = connect(there, StreamKind::control);
  settle();
  const auto bytes = pattern(64);
  const iovec part{const_cast<std::byte*>(bytes.data()), bytes.size()};
  std::jthread writer([&] {
    std::this_thread::sleep_for(20ms);
    a.carrier->write(here, std::span(&part, 1));
  });
  const auto begin = std::chrono::steady_clock::now();
  while (b.events.streams[there].received.empty() && std::chrono::steady_clock::now() - begin < 3s)
    b.run_within(5'000'000'000);
  EXPECT_EQ(b.events.streams[there].received, bytes);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 2s);
}

TEST_P(CarrierTest, KeepsManyStreamsApart) {
  constexpr unsigned count = 60;
  std::vector<std::pair<StreamId, StreamId>> streams(count);
  for (auto& [here, there] : streams) here = connect(there, StreamKind::control);
  for (unsigned i = 0; i < count; ++i) a.send(streams[i].first, pattern(20'000 + i, i));
  for (unsigned i = 0; i < count; ++i) {
    auto& received = b.events.streams[streams[i].second].received;
    EXPECT_TRUE(until([&] { return received.size() >= 20'000 + i; }));
    EXPECT_EQ(received, pattern(20'000 + i, i));
  }
}

/// Loopback is the rail.
std::vector<host::Link> loopback() {
  return {{.interface = "lo", .address = htonl(INADDR_LOOPBACK), .prefix = 8}};
}

std::unique_ptr<RealCarrier> make_tcp(Name& own) {
  own.rails = 1;
  own.addresses[0] = loopback()[0].address;
  Settings settings;
  return make_carrier(settings, loopback(), own);
}

std::vector<Kind> kinds() {
  return {
      {"Tcp", make_tcp, {}},
      {"TcpBesideSharedMemory", make_tcp, {.shared_memory = true}},
      {"SharedMemory",
       [](Name& own) { return std::make_unique<SharedCarrier>(own.nonce); },
       {.shared_memory = true}},
      {"SharedMemoryRingsOnly",
       [](Name& own) { return std::make_unique<SharedCarrier>(own.nonce, false); },
       {.shared_memory = true}},
  };
}

INSTANTIATE_TEST_SUITE_P(All, CarrierTest, testing::ValuesIn(kinds()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace suiro::net
