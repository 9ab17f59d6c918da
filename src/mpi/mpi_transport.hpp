// SPDX-License-Identifier: BSD-3-Clause
// The `mpi` transport: blocks are elements of the user's buffers and travel as the user's count and
// type, so nothing is packed; messages are MPI point-to-point on a private communicator.
#pragma once

#include <cstddef>
#include <vector>

#include "mpi/run_schedule.hpp"
#include "schedule/schedule.hpp"

namespace suiro::mpi {

/// Request arrays that outlive one call, so that the steady state does not allocate.
struct InFlight {
  std::vector<MPI_Request> requests;  // dense: a finished request is replaced by the last one
  std::vector<std::int64_t> tokens;   // of the request at the same place
  std::vector<int> finished;          // scratch of MPI_Testsome
};

class MpiTransport {
 public:
  MpiTransport(MPI_Comm twin, const UserBuffer& send, const UserBuffer& receive,
               InFlight& in_flight, Waiting waiting);

  int send(const Blocks& blocks, int peer, std::int64_t token);
  int receive(const Blocks& blocks, int peer, std::int64_t token);
  bool copy(const Blocks& source, const Blocks& target);
  bool reduce(const Blocks& source, const Blocks& target);
  bool wait(std::vector<std::int64_t>& completed);

  /// MPI_SUCCESS, or the first error of an MPI call.
  int error() const { return error_; }

 private:
  /// One message: part of a user's buffer, or nothing.
  struct Part {
    char* address = nullptr;
    int count = 0;
    MPI_Datatype type;
  };
  Part part(Buffer buffer, std::int64_t block) const;
  template <class Start>
  int start(const Blocks& blocks, std::int64_t token, Start&& start_one);
  bool check(int code);

  MPI_Comm twin_;
  UserBuffer send_;
  UserBuffer receive_;
  MPI_Aint send_extent_ = 0;
  MPI_Aint receive_extent_ = 0;
  InFlight& in_flight_;
  Waiting waiting_;
  int error_ = MPI_SUCCESS;
};

/// Bytes from the first to the last that `blocks` blocks of a buffer touch, and where the first is.
struct Span {
  MPI_Aint begin = 0;  // relative to the buffer's base
  MPI_Aint bytes = 0;
};
Span span_of(const UserBuffer& buffer, int blocks);

/// Copies `count` elements of `source_type` to `target_count` elements of `target_type` inside this
/// process.
int local_copy(const void* source, int source_count, MPI_Datatype source_type, void* target,
               int target_count, MPI_Datatype target_type);

}  // namespace suiro::mpi
