// SPDX-License-Identifier: BSD-3-Clause
// What two processes do with a channel, and how long it takes them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <vector>

#include "net/bench/channel.hpp"

namespace suiro::net::bench {

inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[values.size() / 2];
}

inline double seconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

inline double now() { return seconds_of(CLOCK_MONOTONIC); }

/// Of all threads.
inline double cpu_seconds() { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

class Exercise {
 public:
  Exercise(int agreement, bool first, std::size_t most_bytes)
      : agreement_(agreement), first_(first), data_(std::max<std::size_t>(most_bytes, 1)) {}

  double half_round_trip(Channel& channel, std::size_t bytes, int count) {
    meet(agreement_);
    const double begin = now();
    for (int i = 0; i < count; ++i) {
      if (first_) channel.send(data_.data(), bytes);
      channel.receive(data_.data(), bytes);
      if (!first_) channel.send(data_.data(), bytes);
    }
    return (now() - begin) / (2 * count);
  }

  /// The first receives `count` messages; both go on when it has the last.
  double receiver_cpu(Channel& channel, std::size_t bytes, int count) {
    meet(agreement_);
    const double begin = cpu_seconds();
    for (int i = 0; i < count; ++i) {
      if (first_)
        channel.receive(data_.data(), bytes);
      else
        channel.send(data_.data(), bytes);
    }
    return (cpu_seconds() - begin) / count;
  }

  /// How long the first still waits for a message that came while it computed.
  double wait_after_computing(Channel& channel, std::size_t bytes, double computing_seconds) {
    if (first_) channel.begin_receive(data_.data(), bytes);
    meet(agreement_);
    if (!first_) {
      channel.send(data_.data(), bytes);
      return 0;
    }
    const double begin = now();
    while (now() - begin < computing_seconds) {
    }
    const double computed = now();
    channel.finish();
    return now() - computed;
  }

 private:
  int agreement_;
  bool first_;
  std::vector<std::byte> data_;
};

/// How many messages make a repetition.
inline int count_for(std::size_t bytes) {
  return static_cast<int>(
      std::clamp<std::size_t>((std::size_t{48} << 20) / (bytes + 4096), 8, 4000));
}

}  // namespace suiro::net::bench
