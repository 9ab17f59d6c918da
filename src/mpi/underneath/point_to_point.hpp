// SPDX-License-Identifier: BSD-3-Clause
// MPI's messages for any count. An MPI without the large-count forms sends no count above INT_MAX
// to another rank, since only those forms bring one. What suiro packs may have more bytes, which
// then stay on their rank.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>

#include "mpi/underneath/user_buffer.hpp"

namespace suiro::mpi {

/// Whether the mpi.h has the large-count forms (MPI 4).
#if MPI_VERSION >= 4
#define SUIRO_LARGE_COUNTS 1
#else
#define SUIRO_LARGE_COUNTS 0
#endif

inline bool is_large(const Part& part) { return part.count > std::numeric_limits<int>::max(); }

inline int count_of(const Part& part) { return static_cast<int>(part.count); }

/// While a rank waits for what is not MPI's, other messages of the user may have to move. A probe
/// that finds something returns without that, so it is for what next to nobody sends: from this
/// rank to itself, with the last tag that every MPI has. MPICH does nothing for a communicator of
/// one rank.
inline void let_mpi_progress(MPI_Comm communicator, int rank_in_it) {
  constexpr int tag = 32767;
  int found = 0;
  real.Iprobe(rank_in_it, tag, communicator, &found, MPI_STATUS_IGNORE);
}

inline int start_send(const Part& part, int peer, int tag, MPI_Comm communicator,
                      MPI_Request* request) {
#if SUIRO_LARGE_COUNTS
  if (is_large(part)) {
    return real.Isend_c(part.address, part.count, part.type, peer, tag, communicator, request);
  }
#endif
  return real.Isend(part.address, count_of(part), part.type, peer, tag, communicator, request);
}

inline int start_receive(const Part& part, int peer, int tag, MPI_Comm communicator,
                         MPI_Request* request) {
#if SUIRO_LARGE_COUNTS
  if (is_large(part)) {
    return real.Irecv_c(part.address, part.count, part.type, peer, tag, communicator, request);
  }
#endif
  return real.Irecv(part.address, count_of(part), part.type, peer, tag, communicator, request);
}

/// inout = in (op) inout.
inline int reduce_local(const void* in, void* inout, MPI_Count count, MPI_Datatype type,
                        MPI_Op op) {
  constexpr MPI_Count most = 1 << 30;
  const MPI_Aint extent = count > most ? extent_of(type) : 0;
  int code = MPI_SUCCESS;
  for (MPI_Count done = 0; done < count && code == MPI_SUCCESS; done += most) {
    const auto elements = static_cast<int>(count - done < most ? count - done : most);
    code = real.Reduce_local(static_cast<const char*>(in) + done * extent,
                             static_cast<char*>(inout) + done * extent, elements, type, op);
  }
  return code;
}

/// Both parts are cut where an element of each ends.
inline int send_pieces_to_self(Part source, Part target, int rank, int tag, MPI_Comm communicator) {
  constexpr MPI_Count most = std::numeric_limits<int>::max();
  const MPI_Count source_size = bytes_of({nullptr, 1, source.type});
  const MPI_Count target_size = bytes_of({nullptr, 1, target.type});
  const MPI_Count unit = std::lcm(source_size, target_size);
  if (unit <= 0) return MPI_SUCCESS;  // elements without bytes
  const MPI_Count bytes = std::max<MPI_Count>(most / unit, 1) * unit;
  const auto take = [](Part& left, MPI_Count count) {
    const Part piece{left.address, std::min(left.count, count), left.type};
    left.address += piece.count * extent_of(left.type);
    left.count -= piece.count;
    return piece;
  };
  int code = MPI_SUCCESS;
  while (code == MPI_SUCCESS && source.count > 0) {
    const Part from = take(source, bytes / source_size);
    const Part to = take(target, bytes / target_size);
    code = real.Sendrecv(from.address, count_of(from), from.type, rank, tag, to.address,
                         count_of(to), to.type, rank, tag, communicator, MPI_STATUS_IGNORE);
  }
  return code;
}

/// From a rank to itself.
inline int send_to_self(const Part& source, const Part& target, int rank, int tag,
                        MPI_Comm communicator) {
  if (is_large(source) || is_large(target)) {
    return send_pieces_to_self(source, target, rank, tag, communicator);
  }
  return real.Sendrecv(source.address, count_of(source), source.type, rank, tag, target.address,
                       count_of(target), target.type, rank, tag, communicator, MPI_STATUS_IGNORE);
}

}  // namespace suiro::mpi
