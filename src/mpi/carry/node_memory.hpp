// SPDX-License-Identifier: BSD-3-Clause
// Memory that the ranks of a node have together in one of the user's communicators: the shared
// blocks of each, and signals, which take the place of messages without payload. It is a memfd, so
// no limit on /dev/shm concerns it, and it goes with the last rank that has it. Pages that no run
// touches take up nothing.
#pragma once

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/shared_memory.hpp"
#include "mpi/carry/block_ring.hpp"
#include "mpi/carry/doorbell.hpp"
#include "mpi/carry/run.hpp"
#include "mpi/underneath/waiting.hpp"
#include "topology/topology.hpp"

namespace suiro::mpi {

class NodeMemory {
 public:
  /// Bytes of shared blocks of a rank, at most in a run.
  static constexpr std::size_t capacity = shared_bytes_max;

  /// All ranks of the communicator call it. Nothing where this rank cannot have it. Before its
  /// first use the ranks must ask each other whether all have it; then close_to_others().
  static std::unique_ptr<NodeMemory> make(MPI_Comm twin, const Topology& topology, int rank,
                                          Waiting waiting);
  void close_to_others() { memory_.close_descriptor(); }

  bool is_near(int rank) const { return place_of_rank_[static_cast<std::size_t>(rank)] >= 0; }

  /// Between these two a rank may use its blocks: so many bytes, on all ranks of the node alike.
  /// It waits where others may still read what was there before; `idle` is called while it does.
  template <class Idle>
  void begin(std::size_t block_bytes, Idle idle) {
    const std::uint64_t must_have_ended = ring_.take(++run_, block_bytes);
    if (must_have_ended <= all_ended_) return;
    std::uint64_t least = run_;
    for (std::size_t place = 0; place < ranks_; ++place) {
      Progress& its = progress(place);
      std::uint64_t until = must_have_ended;
      const auto has_ended = [&] { return its.ended.load(std::memory_order_seq_cst) >= until; };
      // Who must wait does so for some runs more, rather than again in each run.
      if (!has_ended()) until += (run_ - 1 - must_have_ended) / 2;
      if (!wait_at(&its.another, until, has_ended, idle)) return;
      least = std::min(least, its.ended.load(std::memory_order_acquire));
    }
    all_ended_ = least;
  }
  void end();
  /// The run is as if it had never begun, and may be made again.
  void take_back() {
    --run_;
    ring_.give_back();
  }
  /// The last run of this rank ended early: others must not wait for it in begin().
  void give_up();

  /// The blocks of a near rank in this run.
  char* blocks(int rank) const;

  /// Tells a near rank; `lost`: that what it waits for does not come.
  void signal(int rank, bool lost);
  /// Number of the next signal from a near rank that has not been awaited.
  std::uint64_t next_from(int rank) {
    return ++awaited_[static_cast<std::size_t>(place_of_rank_[static_cast<std::size_t>(rank)])];
  }
  bool has_come(int rank, std::uint64_t number) const {
    return from(rank).count.load(std::memory_order_seq_cst) >= number;
  }
  bool is_lost(int rank, std::uint64_t number) const {
    return from(rank).lost.load(std::memory_order_relaxed) >= number;
  }
  /// Until `has_come` has found signals from near ranks. False: `idle`, which is called now and
  /// then, has given up. `all_wait`: so do the others, so that who sleeps is not behind them when
  /// it wakes up.
  template <class HasCome, class Idle>
  bool wait(bool all_wait, HasCome has_come, Idle idle) {
    return wait_at(all_wait ? &progress(me_).told : nullptr, signalled, has_come, idle);
  }

 private:
  static constexpr std::size_t line = 64;
  static constexpr std::size_t room = 3 * capacity;
  static constexpr std::uint64_t signalled = 1;  // signals ring without a number
  static constexpr unsigned looks_awake = 4;
  static constexpr unsigned looks_between_idle = 64;

  /// From one rank to another. What one rank tells is in few lines, whoever reads it.
  struct Signals {
    std::atomic<std::uint64_t> count;
    std::atomic<std::uint64_t> lost;  // the number of the last that told of a loss
  };
  struct alignas(line) Progress {
    std::atomic<std::uint64_t> ended;  // runs of a rank
    Doorbell another;                  // for others, that one more has ended
    Doorbell told;                     // for the rank, that it has a signal
  };
  struct Header {
    std::uint64_t token;
  };

  NodeMemory(SharedMemory memory, const Topology& topology, int rank, Waiting waiting);

  template <class IsOver, class Idle>
  bool wait_at(Doorbell* doorbell, std::uint64_t number, IsOver is_over, Idle idle) {
    for (unsigned look = 1; !is_over(); ++look) {
      bool is_idle = look % looks_between_idle == 0;
      if (doorbell != nullptr && waiting_.must_yield() && look > looks_awake) {
        is_idle = !doorbell->sleep(number, is_over);
      } else if (waiting_.yields) {
        sched_yield();
      }
      if (is_idle && !idle()) return false;
    }
    return true;
  }
  void tell_ended(std::uint64_t runs);
  static std::size_t bytes(std::size_t ranks);
  static std::size_t row_bytes(std::size_t ranks);
  static std::size_t blocks_begin(std::size_t ranks);
  std::byte* base() const { return static_cast<std::byte*>(memory_.data()); }
  Header& header() const { return *reinterpret_cast<Header*>(base()); }
  Progress& progress(std::size_t place) const;
  Signals& signals(std::size_t from, std::size_t to) const;
  const Signals& from(int rank) const {
    return signals(static_cast<std::size_t>(place_of_rank_[static_cast<std::size_t>(rank)]), me_);
  }

  SharedMemory memory_;
  Waiting waiting_;
  std::size_t ranks_;               // of the node
  std::size_t me_;                  // the place of this rank among them
  std::vector<int> place_of_rank_;  // -1: on another node
  std::vector<std::uint64_t> awaited_;
  BlockRing ring_{capacity};
  std::uint64_t run_ = 0;
  std::uint64_t all_ended_ = 0;  // a run that all ranks have ended, and all before it
};

}  // namespace suiro::mpi
