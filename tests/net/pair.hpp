// SPDX-License-Identifier: BSD-3-Clause
// Two endpoints in one process that talk over loopback, and what a test wants of them.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "net/endpoint/endpoint.hpp"

namespace suiro::net {

constexpr std::int64_t second_ns = 1'000'000'000;

class Log : public CompletionSink {
 public:
  void complete(const Completion& completion) override {
    const std::scoped_lock lock(mutex_);
    completions_.push_back(completion);
    count_ = completions_.size();
  }
  std::size_t count() const { return count_; }
  std::vector<Completion> take() {
    const std::scoped_lock lock(mutex_);
    count_ = 0;
    return std::exchange(completions_, {});
  }

 private:
  std::mutex mutex_;
  std::atomic<std::size_t> count_{0};
  std::vector<Completion> completions_;
};

inline std::vector<std::uint8_t> random_data(std::size_t bytes, unsigned seed = 1) {
  std::vector<std::uint8_t> data(bytes);
  std::minstd_rand random(seed);
  for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>(random() >> 8);
  return data;
}

inline Settings loopback(bool shared_memory = false) {
  Settings settings;
  settings.networks = {"lo"};
  settings.cores = 2;
  settings.shared_memory = shared_memory;
  return settings;
}

struct Process {
  explicit Process(const Settings& settings) : endpoint(settings) {}

  Status send(Peer to, std::uint64_t tag, const std::vector<std::uint8_t>& data,
              CompletionSink* sink = nullptr) {
    const iovec part{const_cast<std::uint8_t*>(data.data()), data.size()};
    SendRequest request;
    request.peer = to;
    request.tag = tag;
    request.buffers = {&part, 1};
    request.sink = sink != nullptr ? sink : &log;
    return endpoint.send(request);
  }

  void receive(std::uint64_t tag, std::vector<std::uint8_t>& data, CompletionSink* sink = nullptr) {
    const iovec part{data.data(), data.size()};
    ReceiveRequest request;
    request.pattern.tag = tag;
    request.buffers = {&part, 1};
    request.sink = sink != nullptr ? sink : &log;
    EXPECT_EQ(endpoint.receive(request), Status::ok);
  }

  bool wait(std::size_t completions, std::int64_t timeout_ns = 20 * second_ns) {
    struct Aim {
      Log& log;
      std::size_t count;
    } aim{log, completions};
    const auto reached = [](void* argument) {
      const auto& wanted = *static_cast<Aim*>(argument);
      return wanted.log.count() >= wanted.count;
    };
    return endpoint.wait(reached, &aim, timeout_ns);
  }

  Log log;
  Endpoint endpoint;
};

struct Pair {
  explicit Pair(const Settings& settings)
      : a(settings),
        b(settings),
        to_a(b.endpoint.peer(a.endpoint.name())),
        to_b(a.endpoint.peer(b.endpoint.name())) {}

  Process a, b;
  Peer to_a, to_b;
};

/// Without calling the endpoint.
inline bool soon(const std::function<bool()>& condition, int milliseconds = 10'000) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    timespec pause{0, 1'000'000};
    if (nanosleep(&pause, nullptr) != 0) return false;
  }
  return true;
}

}  // namespace suiro::net
