// SPDX-License-Identifier: BSD-3-Clause
// Two carriers in one process, and what a test wants of them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "net/carrier/real_carrier.hpp"
#include "poll_within.hpp"
#include "recorder.hpp"

namespace suiro::net {

using namespace std::chrono_literals;

struct Kind {
  std::string name;
  std::function<std::unique_ptr<RealCarrier>(Name&)> make;
  Route route;
};

inline std::vector<std::byte> pattern(std::size_t count, unsigned seed = 1) {
  std::vector<std::byte> bytes(count);
  std::minstd_rand random(seed);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() >> 7);
  return bytes;
}

struct Side {
  explicit Side(const Kind& kind) {
    random_bytes(name.nonce);
    carrier = kind.make(name);
    carrier->attach(events);
  }

  bool run() { return carrier->poll(); }
  bool run_within(std::int64_t wait_ns) { return poll_within(*carrier, wait_ns); }

  /// As an engine does: what does not fit is offered again when the stream is writable.
  void send(StreamId stream, const std::vector<std::byte>& bytes) {
    std::vector<std::byte>& queue = outgoing[stream];
    sent[stream] = 0;
    queue = bytes;
    flush(stream);
    events.on_event = [this](StreamId id, const std::string& event) {
      if (event == "writable") flush(id);
    };
  }

  void flush(StreamId stream) {
    // In uneven parts, the way frames come.
    while (sent[stream] < outgoing[stream].size()) {
      std::byte* next = outgoing[stream].data() + sent[stream];
      const std::size_t left = outgoing[stream].size() - sent[stream];
      const iovec parts[2] = {{next, left / 3}, {next + left / 3, left - left / 3}};
      const std::size_t written = carrier->write(stream, parts);
      sent[stream] += written;
      if (written < left) return;
    }
  }

  Name name;
  Recorder events;
  std::unique_ptr<RealCarrier> carrier;
  std::map<StreamId, std::vector<std::byte>> outgoing;
  std::map<StreamId, std::size_t> sent;
};

class CarrierTest : public testing::TestWithParam<Kind> {
 protected:
  void TearDown() override {
    EXPECT_THAT(a.events.errors, testing::IsEmpty());
    EXPECT_THAT(b.events.errors, testing::IsEmpty());
  }

  template <typename Condition>
  testing::AssertionResult until(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + 10s;
    while (!condition()) {
      a.run();
      b.run();
      if (std::chrono::steady_clock::now() > deadline) return testing::AssertionFailure() << "late";
    }
    return testing::AssertionSuccess();
  }

  void settle() {
    const auto end = std::chrono::steady_clock::now() + 20ms;
    while (std::chrono::steady_clock::now() < end) {
      a.run();
      b.run();
    }
  }

  /// A stream from a to b, its number there in `other`.
  StreamId connect(StreamId& other, StreamKind kind) {
    b.events.last_accepted = no_stream;
    const StreamId stream = a.carrier->open(b.name, GetParam().route);
    EXPECT_TRUE(until([&] {
      return a.events.streams[stream].opened == 1 && b.events.last_accepted != no_stream;
    }));
    other = b.events.last_accepted;
    a.carrier->establish(stream, kind);
    b.carrier->establish(other, kind);
    return stream;
  }

  Side a{GetParam()};
  Side b{GetParam()};
};

}  // namespace suiro::net
