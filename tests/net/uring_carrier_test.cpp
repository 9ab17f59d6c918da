// SPDX-License-Identifier: BSD-3-Clause
// What io_uring is there for: bytes arrive in the user's memory while the application computes, and
// the application's own system calls never notice. What every carrier does, carrier_test.cpp says.
#include "net/tcp/uring_carrier.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "base/random.hpp"
#include "recorder.hpp"

namespace suiro::net {
namespace {

using namespace std::chrono_literals;

std::vector<host::Link> loopback() {
  return {{.interface = "lo", .address = htonl(INADDR_LOOPBACK), .prefix = 8}};
}

Name name_of(const UringCarrier& carrier) {
  Name name;
  name.rails = 1;
  name.addresses[0] = loopback()[0].address;
  name.port = carrier.port();
  return name;
}

/// A carrier and the thread that helps it, which looks at nothing that has arrived.
class Helped {
 public:
  Helped() : carrier(Settings{}, loopback()) {
    carrier.attach(events);
    helper_ = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        {
          const std::scoped_lock lock(mutex);
          carrier.help();
        }
        std::this_thread::sleep_for(1ms);
      }
    });
  }

  template <typename Function>
  auto locked(Function function) {
    const std::scoped_lock lock(mutex);
    return function();
  }

  template <typename Condition>
  bool until(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + 10s;
    for (;;) {
      const std::scoped_lock lock(mutex);
      if (condition()) return true;
      carrier.poll(0);
      if (std::chrono::steady_clock::now() > deadline) return false;
    }
  }

  Recorder events;
  std::mutex mutex;
  UringCarrier carrier;

 private:
  std::jthread helper_;
};

/// A bulk stream between two of them.
class Wire {
 public:
  Wire() { here = open_from(receiver); }

  /// A stream to the sender, which becomes a bulk stream when the opening exchange, here of one
  /// byte, is over.
  StreamId open_from(Helped& opener) {
    sender.locked([&] { sender.events.last_accepted = no_stream; });
    const StreamId stream =
        opener.locked([&] { return opener.carrier.open(name_of(sender.carrier), {}); });
    auto& state = opener.events.streams[stream];
    EXPECT_TRUE(opener.until([&] { return state.opened == 1; }));
    EXPECT_TRUE(sender.until([&] { return sender.events.last_accepted != no_stream; }));
    there = sender.events.last_accepted;
    opener.events.on_event = [&opener, stream](StreamId, const std::string& event) {
      if (event == "received") opener.carrier.establish(stream, StreamKind::bulk);
    };
    send({'h'});
    EXPECT_TRUE(opener.until([&] { return !state.received.empty(); }));
    return stream;
  }

  /// The place is wanted, and from now on nobody polls.
  void want(std::vector<char>& place) {
    const std::scoped_lock lock(receiver.mutex);
    receiver.events.streams[here].wanted = std::as_writable_bytes(std::span(place));
    receiver.carrier.arm(here);
    (void)receiver.carrier.prepare_sleep();
  }

  void send(const std::vector<char>& bytes) {
    std::size_t sent = 0;
    EXPECT_TRUE(sender.until([&] {
      const iovec part{const_cast<char*>(bytes.data()) + sent, bytes.size() - sent};
      sent += sender.carrier.write(there, std::span(&part, 1));
      return sent == bytes.size();
    }));
  }

  Helped receiver, sender;
  StreamId here = no_stream, there = no_stream;
};

class OverlapTest : public testing::Test {
 protected:
  void SetUp() override {
    try {
      const UringRing ring;
    } catch (const std::runtime_error& error) {
      GTEST_SKIP() << error.what();
    }
  }
};

TEST_F(OverlapTest, BytesArriveWhileNobodyPolls) {
  Wire wire;
  std::vector<char> place(6'000'000, 0);
  wire.want(place);
  const std::vector<char> bytes(place.size(), 'x');
  wire.send(bytes);
  const auto deadline = std::chrono::steady_clock::now() + 5s;
  const volatile char& last = place.back();
  while (last != 'x' && std::chrono::steady_clock::now() < deadline) {
  }
  EXPECT_EQ(place, bytes);
  EXPECT_EQ(wire.receiver.events.streams[wire.here].placed, 0U) << "nobody has polled";
  EXPECT_TRUE(wire.receiver.until(
      [&] { return wire.receiver.events.streams[wire.here].placed == bytes.size(); }));
}

TEST_F(OverlapTest, SystemCallsOfTheApplicationAreNotInterrupted) {
  Wire wire;
  std::vector<char> place(4'000'000, 0);
  wire.want(place);
  std::jthread writer([&](const std::stop_token& stop) {
    const std::vector<char> bytes(50'000, 'y');
    for (int i = 0; i < 80 && !stop.stop_requested(); ++i) {
      wire.send(bytes);
      std::this_thread::sleep_for(2ms);
    }
  });
  auto gone = std::make_unique<Helped>();
  gone->until([rounds = 0]() mutable { return ++rounds > 100; });
  gone.reset();  // what is closed may interrupt those that had to do with it, somewhat later
  const Descriptor own(epoll_create1(EPOLL_CLOEXEC));
  epoll_event event;
  EXPECT_EQ(epoll_wait(own.number(), &event, 1, 100), 0) << std::strerror(errno);
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  const Descriptor one(pair[0]), other(pair[1]);
  const timeval timeout{0, 100'000};
  ASSERT_EQ(setsockopt(one.number(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout), 0);
  char byte;
  EXPECT_EQ(recv(one.number(), &byte, 1, 0), -1);
  EXPECT_EQ(errno, EAGAIN) << std::strerror(errno);
  writer.join();
  const auto deadline = std::chrono::steady_clock::now() + 5s;
  const volatile char& last = place.back();
  while (last != 'y' && std::chrono::steady_clock::now() < deadline) {
  }
  EXPECT_EQ(last, 'y') << "it did arrive meanwhile";
}

TEST_F(OverlapTest, ClosingWaitsForTheKernelToLetGo) {
  Wire wire;
  for (int round = 0; round < 20; ++round) {
    auto place = std::make_unique<std::vector<char>>(1'000'000);
    Helped fresh;
    const StreamId stream = wire.open_from(fresh);
    fresh.locked([&] {
      fresh.events.streams[stream].wanted = std::as_writable_bytes(std::span(*place));
      fresh.carrier.arm(stream);
      (void)fresh.carrier.prepare_sleep();
    });
    std::this_thread::sleep_for(2ms);  // the helper has armed it
    wire.send(std::vector<char>(300'000, 'z'));
    fresh.locked([&] {
      fresh.carrier.close(stream);
      fresh.events.forget(stream);
      place.reset();  // a sanitizer sees who writes here now
    });
  }
}

}  // namespace
}  // namespace suiro::net
