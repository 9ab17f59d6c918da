// SPDX-License-Identifier: BSD-3-Clause
// One connection to `suiro run` for the ranks of a node. The process that comes first listens for
// the others, and a thread of it passes lines on: those of a rank go up with its number before
// them, answers come down so, and a number alone says that the rank is gone. Else all is as if each
// rank had a connection of its own (docs/run.md, "The job service").
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/forking.hpp"
#include "base/guarded_descriptor.hpp"

namespace suiro::mpi {

/// Where the ranks of one job meet in a network namespace. Everybody on the host can list such
/// names, so it is a hash (BLAKE2b) that does not give `secret` away.
std::string meeting_name(std::string_view secret);

/// Connects to the relay there; a process that has just taken the name may not listen yet. None if
/// there is no relay, or it is another user's.
Descriptor connect_to_relay(const std::string& name);

class Relay final : public Forkable {
 public:
  /// Takes the name, and keeps those waiting who come. Who does not begin with `greeting` is
  /// dropped. Throws std::system_error; EADDRINUSE where another process has the name.
  Relay(const std::string& name, std::string greeting);
  ~Relay() override;
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  /// Once: from now on everything goes by `upstream`, where the greeting was answered. Throws
  /// std::system_error where no thread can be had.
  void begin(Descriptor upstream);

  /// Nobody comes any more: it ends with the last rank that is there.
  void end_when_empty();
  bool has_ended() const { return ended_.load(std::memory_order_acquire); }

 private:
  struct Member {
    GuardedDescriptor socket;
    std::uint64_t number = 0;
    bool greeted = false;
    std::string received = {};  // the beginning of a line
    std::string answers = {};   // that are not taken yet
  };

  void lock_for_fork() override { mutex_.lock(); }
  void unlock_after_fork() override { mutex_.unlock(); }
  void abandon() noexcept override;

  void pass_on();
  void pass_once();
  bool owns_all() const;
  bool is_over() const;
  void wait();
  void accept();
  void receive(Member& member);
  void greet(Member& member);
  void take_lines(Member& member);
  void drop(Member& member);
  void send_answers(Member& member);
  void receive_answers();
  void send_up();
  void close_all() noexcept;
  void drop_the_dead();

  const std::string greeting_;
  GuardedDescriptor listener_;
  Descriptor reserve_;
  GuardedDescriptor upstream_;
  GuardedDescriptor bell_;   // wakes the thread,
  GuardedDescriptor alarm_;  // which hears it here
  std::mutex mutex_;         // held while the thread works
  std::vector<Member> members_;
  std::uint64_t numbers_ = 0;
  std::string up_;     // what upstream has not taken yet
  double sent_s_ = 0;  // when it has last taken some, or there was none
  std::string down_;   // the beginning of a line from there
  std::atomic<bool> ending_{false};
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

}  // namespace suiro::mpi
