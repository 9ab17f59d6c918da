// SPDX-License-Identifier: BSD-3-Clause
// The `mpi` transport: blocks of the user's buffers travel as the user's count and type, so nothing
// is packed; blocks of scratch are the bytes that MPI would pack. Messages are MPI point-to-point
// on a private communicator.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "execute/transport_concept.hpp"
#include "mpi/carry/run.hpp"
#include "schedule/schedule.hpp"

namespace suiro::mpi {

/// Request arrays that outlive one call, so that the steady state does not allocate.
struct InFlight {
  struct Operation {
    std::int64_t token = 0;
    bool sends = false;
    bool awaits_payload = false;  // an empty message is a loss
    bool lost = false;            // once it is over
  };
  std::vector<MPI_Request> requests;  // dense: a finished request is replaced by the last one
  std::vector<Operation> operations;  // of the request at the same place
  /// Of a rank of this node, whose signal of that number is awaited.
  struct Signal {
    int peer = 0;
    std::uint64_t number = 0;
    std::int64_t token = 0;
  };
  std::vector<Signal> signals;
  std::vector<int> finished;         // scratch of MPI_Testsome
  std::vector<MPI_Status> statuses;  // likewise
};

/// suiro's own memory for blocks on their way, all of the same size, or room for any piece; none
/// for direct schedules.
struct Scratch {
  char* base = nullptr;
  MPI_Count block_bytes = 0;
};

/// Where a call's blocks are.
struct Places {
  UserBuffer send;
  UserBuffer receive;
  UserBuffer work;  // where data are cut
  Scratch scratch;
};

/// The largest size of a block that can be merged with others, or be in scratch: MPI counts bytes
/// in int there. The same on all ranks.
inline constexpr MPI_Count merged_block_bytes_maximum = std::numeric_limits<int>::max();

/// A message that fails is over, so the rank remembers the error and goes on: the others get what
/// they wait for, or an empty message where there is nothing to hand on, and nothing of this call
/// is left for the next one to receive. Only when MPI takes no message, or cannot wait, or the
/// user's communicator was revoked, does the run end early, and abandon() must be called.
class MpiTransport {
 public:
  /// Blocks that a schedule merges must be of one size, that of scratch, or pieces. `direct`: no
  /// rank hands on what came from another, and a block may be shorter than its place, or empty.
  MpiTransport(const Carrier& carrier, const Places& places, MPI_Op op, InFlight& in_flight,
               bool direct);

  int send(const Blocks& blocks, int peer, std::int64_t token);
  int send_nothing(const Blocks& blocks, int peer, std::int64_t token);
  int receive(const Blocks& blocks, int peer, std::int64_t token);
  bool copy(const Blocks& source, const Blocks& target, int owner);
  bool reduce(const Blocks& source, const Blocks& target, int owner);
  bool wait(std::vector<Ended>& ended, bool all);

  /// After a run that ended early: nothing writes into the user's buffers any more. True when no
  /// message had left or arrived, so that it is as if the call had never been made.
  bool abandon();

  /// MPI_SUCCESS, or the first error of an MPI call.
  int error() const { return error_; }

 private:
  bool cut() const { return bool(places_.work.cut); }
  /// Scratch, where data are cut, holds elements like those of `work`.
  const UserBuffer& buffer_of(Buffer buffer) const;
  char* slots(Buffer buffer, int owner) const;
  Part part(const Blocks& range, std::int64_t first, std::int64_t count, int owner = -1) const;
  Part part(const Blocks& range, int owner = -1) const {
    return part(range, 0, range.count, owner);
  }
  std::int64_t blocks_per_message(const Blocks& range, std::int64_t first) const;
  bool plain(Buffer buffer);
  template <class Start>
  int start(const Blocks& blocks, InFlight::Operation operation, Start&& start_one);
  bool check(int code);
  bool refuse(InFlight::Operation operation);
  bool is_signal(const Blocks& blocks, int peer) const;
  int tell(int peer, bool lost);
  bool wait_for_all(std::vector<Ended>& ended);
  bool take_signals(std::vector<Ended>& ended);
  bool wait_for_signals(std::vector<Ended>& ended);
  int error_of(int code, int finished) const;
  void add_dropped(int& finished);
  void note_lost(int code, int reported, int finished);
  void retire(int finished, std::vector<Ended>& ended);

  MPI_Comm twin_;
  MPI_Comm user_;
  Places places_;
  MPI_Op op_;
  std::optional<bool> plain_[buffers];  // once known
  InFlight& in_flight_;
  Waiting waiting_;
  bool direct_;
  NodeMemory* node_;  // where the schedule has shared blocks
  int rank_;
  bool all_wait_;
  std::vector<Ended> refused_;  // over before they began, as their peer has failed
  int error_ = MPI_SUCCESS;
  int last_code_ = MPI_SUCCESS;
  bool moved_ = false;  // a message has left or arrived
};

}  // namespace suiro::mpi
