// SPDX-License-Identifier: BSD-3-Clause
// Endpoints of the real world, over loopback and shared memory.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <thread>

#include "pair.hpp"

namespace suiro::net {
namespace {

void exchange(Pair& pair, std::size_t bytes, bool posted) {
  SCOPED_TRACE(std::to_string(bytes) + (posted ? " bytes, posted" : " bytes, unexpected"));
  const auto data = random_data(bytes, static_cast<unsigned>(bytes));
  std::vector<std::uint8_t> target(bytes);
  if (posted) pair.b.receive(bytes, target);
  ASSERT_EQ(pair.a.send(pair.to_b, bytes, data), Status::ok);
  if (!posted) {
    // Behind another message, so that it has surely come.
    const std::vector<std::uint8_t> last(1);
    std::vector<std::uint8_t> last_target(1);
    ASSERT_EQ(pair.a.send(pair.to_b, ~bytes, last), Status::ok);
    pair.b.receive(~bytes, last_target);
    ASSERT_TRUE(pair.b.wait(1));
    ASSERT_TRUE(pair.a.wait(1));
    pair.b.log.take();
    pair.b.receive(bytes, target);
  }
  ASSERT_TRUE(pair.b.wait(1));
  ASSERT_TRUE(pair.a.wait(posted ? 1 : 2));
  pair.a.log.take();
  const auto received = pair.b.log.take();
  EXPECT_EQ(received.front().status, Status::ok);
  EXPECT_EQ(received.front().length, bytes);
  EXPECT_EQ(received.front().envelope.source, pair.to_a);
  EXPECT_TRUE(target == data);
}

TEST(Endpoint, DeliversEveryLengthPostedOrNot) {
  for (const bool shared_memory : {false, true}) {
    Pair pair(loopback(shared_memory));
    for (const std::size_t bytes :
         {0UL, 1UL, 100UL, 4096UL, 17000UL, 65536UL, 65537UL, 300000UL, 5UL << 20, 20000001UL}) {
      exchange(pair, bytes, true);
      exchange(pair, bytes, false);
    }
  }
}

TEST(Endpoint, HelperReceivesAndSendsWhileNobodyCalls) {
  Pair pair(loopback());
  exchange(pair, 1, true);
  const auto data = random_data(16 << 20);
  std::vector<std::uint8_t> target(data.size());
  pair.b.receive(5, target);
  const auto took_over = pair.b.endpoint.statistics().helper_took_over;
  ASSERT_EQ(pair.a.send(pair.to_b, 5, data), Status::ok);
  // From here on only the helpers run the engines. A helper that were interrupted by what it
  // receives, or a thread of the application, would end the sleep.
  ASSERT_TRUE(soon([&] { return pair.b.log.count() == 1 && pair.a.log.count() == 1; }));
  EXPECT_TRUE(target == data);
  EXPECT_GT(pair.b.endpoint.statistics().helper_took_over, took_over);
}

TEST(Endpoint, TellsThatAPeerCannotBeReachedInTime) {
  Settings settings = loopback();
  settings.peer_timeout_ns = second_ns;
  Pair pair(settings);
  Name nowhere = pair.b.endpoint.name();
  nowhere.port = 1;
  ++nowhere.nonce[0];
  const std::vector<std::uint8_t> data(100);
  ASSERT_EQ(pair.a.send(pair.a.endpoint.peer(nowhere), 1, data), Status::ok);
  ASSERT_TRUE(pair.a.wait(1, 3 * second_ns));
  EXPECT_EQ(pair.a.log.take().front().status, Status::unreachable);
  exchange(pair, 1000, true);
}

TEST(Endpoint, ForkedChildIsDeadAndSilent) {
  Pair pair(loopback());
  exchange(pair, 100'000, true);
  const pid_t child = fork();
  if (child == 0) {
    const std::vector<std::uint8_t> data(10);
    pair.a.endpoint.progress();
    const bool dead = pair.a.send(pair.to_b, 1, data) == Status::unreachable && !pair.a.wait(1);
    pair.a.endpoint.~Endpoint();  // joins no thread, closes nothing of the parent
    _exit(dead ? 0 : 1);
  }
  exchange(pair, 100'000, true);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  exchange(pair, 100'000, true);
}

void knock(const Name& name, const std::string& text) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = name.addresses[0];
  address.sin_port = htons(name.port);
  ASSERT_EQ(connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  (void)send(socket, text.data(), text.size(), MSG_NOSIGNAL);
  close(socket);
}

TEST(Endpoint, StrangersAreDroppedAndCounted) {
  Pair pair(loopback());
  exchange(pair, 1000, true);
  const int strangers = 60;
  for (int i = 0; i < strangers / 3; ++i) {
    knock(pair.b.endpoint.name(), "");
    knock(pair.b.endpoint.name(), "GET / HTTP/1.0\r\n\r\n" + std::string(5000, 'x'));
    knock(pair.b.endpoint.name(), std::string(200, '\0'));
    exchange(pair, 1000, true);
  }
  EXPECT_TRUE(soon([&] { return pair.b.endpoint.statistics().refused_streams >= strangers; }))
      << pair.b.endpoint.statistics().refused_streams;
  exchange(pair, 1 << 20, true);
}

/// Many threads may call; each message is one thread's.
TEST(Endpoint, ServesThreads) {
  Pair pair(loopback());
  constexpr int rounds = 200;
  const auto work = [&pair](std::uint64_t tag, bool first) {
    Process& own = first ? pair.a : pair.b;
    const Peer to = first ? pair.to_b : pair.to_a;
    Log log;
    const std::size_t bytes = tag % 2 == 0 ? 64 : 200'000;
    const auto data = random_data(bytes);
    for (int round = 0; round < rounds; ++round) {
      std::vector<std::uint8_t> target(bytes);
      own.receive(tag, target, &log);
      own.send(to, tag, data, &log);
      const auto done = [](void* argument) { return static_cast<Log*>(argument)->count() == 2; };
      if (round % 2 == 0)
        while (log.count() < 2) own.endpoint.progress();
      else
        ASSERT_TRUE(own.endpoint.wait(done, &log, 20 * second_ns));
      log.take();
      ASSERT_TRUE(target == data);
    }
  };
  std::vector<std::thread> threads;
  for (const std::uint64_t tag : {2, 3})
    for (const bool first : {true, false}) threads.emplace_back(work, tag, first);
  for (std::thread& thread : threads) thread.join();
}

TEST(Endpoint, WaitsNoLongerThanAsked) {
  Pair pair(loopback());
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(pair.a.wait(1, second_ns / 20));
  const auto waited = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(waited, std::chrono::milliseconds(50));
  EXPECT_LE(waited, std::chrono::seconds(5));
}

}  // namespace
}  // namespace suiro::net
