// SPDX-License-Identifier: BSD-3-Clause
// MPI_Alltoall, MPI_Alltoallv, MPI_Alltoallw and their large-count forms: decide, then run a
// schedule or pass the call on. Whatever looks wrong (a null type, a negative count) is passed on
// too: the MPI library knows the right error.
#include <optional>

#include "mpi/check.hpp"
#include "mpi/device_memory.hpp"
#include "mpi/job.hpp"
#include "mpi/point_to_point.hpp"

namespace suiro::mpi {

namespace {

/// The entry of a communicator when suiro may have something to do, else nullptr. This is all that
/// a call costs when native it is.
Communicator* watched(MPI_Comm comm, Collective collective) {
  if (job.mode.load(std::memory_order_acquire) != Mode::active) return nullptr;
  Communicator* communicator = job.communicators.find(comm);
  if (communicator == nullptr) [[unlikely]] {
    if (comm == MPI_COMM_NULL) return nullptr;
    communicator = &job.communicators.adopt(comm);
  }
  return communicator->untouched(collective) ? nullptr : communicator;
}

/// Bytes of `count` elements, the same on all ranks for a regular collective; empty when invalid.
std::optional<std::int64_t> bytes_of(MPI_Count count, MPI_Datatype type) {
  if (count < 0 || type == MPI_DATATYPE_NULL) return std::nullopt;
  MPI_Count size = 0;
  std::int64_t bytes = 0;
  real.Type_size_x(type, &size);
  if (size < 0 || __builtin_mul_overflow(size, count, &bytes)) return std::nullopt;
  return bytes;
}

/// MPI gives a null type no meaning; MPICH takes one in MPI_Alltoallw where the count is 0.
bool is_valid(MPI_Count count, MPI_Datatype type) {
#ifdef OPEN_MPI
  return count >= 0 && type != MPI_DATATYPE_NULL;
#else
  return count == 0 || (count > 0 && type != MPI_DATATYPE_NULL);
#endif
}

bool is_valid(const UserBuffer& buffer, int ranks) {
  if (buffer.types == nullptr && buffer.type == MPI_DATATYPE_NULL) return false;
  if (!buffer.counts || !buffer.displacements) return false;
  for (int rank = 0; rank < ranks; ++rank) {
    const MPI_Datatype type = buffer.types != nullptr ? buffer.types[rank] : buffer.type;
    if (!is_valid(buffer.counts[rank], type)) return false;
  }
  return true;
}

char* address(const void* buffer) { return static_cast<char*>(const_cast<void*>(buffer)); }

/// A failure of suiro's own messages is an error of the user's call, on the user's communicator.
int report(MPI_Comm comm, int code) {
  if (code != MPI_SUCCESS) real.Comm_call_errhandler(comm, code);
  return code;
}

/// MPI has looked at the arguments and done nothing, so the other ranks know nothing of the call.
bool was_refused(int code) {
  int kind = MPI_SUCCESS;
  if (code != MPI_SUCCESS) real.Error_class(code, &kind);
  return kind == MPI_ERR_BUFFER || kind == MPI_ERR_COUNT || kind == MPI_ERR_TYPE ||
         kind == MPI_ERR_ARG;
}

template <class Native>
int taken_back_if_refused(Communicator& communicator, Collective collective, Native&& native) {
  const int code = native();
  if (was_refused(code)) communicator.take_back(collective);
  return code;
}

/// What was chosen is run, or native when that is impossible.
template <class Native>
int run_or_pass_on(Communicator& communicator, Collective collective, Choice& choice,
                   const Operation& operation, Native&& native) {
  const std::optional<Ending> ran =
      communicator.run(collective, choice, operation.send, operation.receive, operation.in_place);
  if (!ran) return native();
  if (ran->undone) communicator.take_back(collective);
  return report(operation.comm, ran->code);
}

/// Runs what was chosen. `native` passes the call on.
template <class Native>
int run_here(Communicator& communicator, Collective collective, Choice& choice,
             const Operation& operation, Native&& native) {
  const bool timed = job.settings.observed();
  const double begin_s = timed ? now_s() : 0;
  Call call{communicator, collective, choice, operation.bytes, 0, std::nullopt};
  int code = MPI_SUCCESS;
  if (choice.native) {
    code = native();
    if (timed) call.native_seconds = now_s() - begin_s;
  } else if (job.settings.check) {
    code = run_checked(communicator, collective, choice, operation, native, call);
  } else {
    code = run_or_pass_on(communicator, collective, choice, operation, native);
  }
  if (timed) {
    if (call.seconds == 0) call.seconds = now_s() - begin_s;
    job.record.add(call);
  }
  return code;
}

/// The same, but for device memory, which is left to native.
template <class Native>
int perform(Communicator& communicator, Collective collective, Choice& choice,
            const Operation& operation, Native&& native) {
  bool on_device = false;
  if (!choice.native && job.devices) [[unlikely]] {
    const int code =
        find_device_memory(operation.comm, operation.send, operation.receive, on_device);
    if (code != MPI_SUCCESS) return code;
  }
  if (!on_device) return run_here(communicator, collective, choice, operation, native);
  Choice passed_on;
  passed_on.algorithm = native_algorithm;
  passed_on.reason = "a buffer is in device memory";
  passed_on.wire_blocks = choice.wire_blocks;
  return run_here(communicator, collective, passed_on, operation, native);
}

/// MPI_Alltoall with counts of any width.
template <class Native>
int equal_blocks(const UserBuffer& given, const UserBuffer& place, MPI_Comm comm, Native&& native) {
  Communicator* communicator = watched(comm, Collective::alltoall);
  if (communicator == nullptr) return native();
  const bool in_place = given.base == MPI_IN_PLACE;
  const auto received = bytes_of(place.count, place.type);
  const auto bytes = in_place ? received : bytes_of(given.count, given.type);
  if (!received || !bytes) return native();
  Choice& choice = communicator->choose_and_count(Collective::alltoall, *bytes);
  const auto counted = [&] {
    return taken_back_if_refused(*communicator, Collective::alltoall, native);
  };
  if (choice.native && !job.settings.observed()) return counted();
  UserBuffer receive = place;
  receive.unit_bytes = extent_of(receive.type);
  UserBuffer send = in_place ? receive : given;
  send.unit_bytes = extent_of(send.type);
  return perform(*communicator, Collective::alltoall, choice,
                 {comm, send, receive, in_place, bytes}, counted);
}

/// MPI_Alltoallv and MPI_Alltoallw with numbers of any width.
template <class Native>
int unequal_blocks(Collective collective, const UserBuffer& given, const UserBuffer& place,
                   MPI_Comm comm, Native&& native) {
  Communicator* communicator = watched(comm, collective);
  if (communicator == nullptr) return native();
  const bool in_place = given.base == MPI_IN_PLACE;
  const int ranks = communicator->ranks();
  if (!is_valid(place, ranks) || (!in_place && !is_valid(given, ranks))) return native();
  UserBuffer receive = place;
  receive.unit_bytes = receive.types != nullptr ? 1 : extent_of(receive.type);
  UserBuffer send = in_place ? receive : given;
  send.unit_bytes = send.types != nullptr ? 1 : extent_of(send.type);
  const int agreed = communicator->agree_on_size(collective, send, receive);
  if (agreed != MPI_SUCCESS) return agreed;
  Choice& choice = communicator->choose(collective);
  const auto bytes = communicator->agreed_bytes(collective);
  return perform(*communicator, collective, choice, {comm, send, receive, in_place, bytes},
                 [&] { return taken_back_if_refused(*communicator, collective, native); });
}

template <class Count>
UserBuffer equal(const void* base, Count count, MPI_Datatype type) {
  return {.base = address(base), .type = type, .count = count};
}

template <class Count, class Displacement>
UserBuffer unequal(const void* base, const Count* counts, const Displacement* displacements,
                   MPI_Datatype type) {
  return {.base = address(base), .type = type, .counts = counts, .displacements = displacements};
}

template <class Count, class Displacement>
UserBuffer unequal(const void* base, const Count* counts, const Displacement* displacements,
                   const MPI_Datatype* types) {
  return {.base = address(base), .counts = counts, .displacements = displacements, .types = types};
}

}  // namespace

namespace intercept {

int Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
             int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return equal_blocks(
      equal(sendbuf, sendcount, sendtype), equal(recvbuf, recvcount, recvtype), comm, [&] {
        return real.Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
      });
}

int Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
              MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
              MPI_Datatype recvtype, MPI_Comm comm) {
  return unequal_blocks(Collective::alltoallv, unequal(sendbuf, sendcounts, sdispls, sendtype),
                        unequal(recvbuf, recvcounts, rdispls, recvtype), comm, [&] {
                          return real.Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                                                recvcounts, rdispls, recvtype, comm);
                        });
}

int Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
              const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
              const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return unequal_blocks(Collective::alltoallw, unequal(sendbuf, sendcounts, sdispls, sendtypes),
                        unequal(recvbuf, recvcounts, rdispls, recvtypes), comm, [&] {
                          return real.Alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                                recvcounts, rdispls, recvtypes, comm);
                        });
}

#if SUIRO_LARGE_COUNTS

int Alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
               MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return equal_blocks(
      equal(sendbuf, sendcount, sendtype), equal(recvbuf, recvcount, recvtype), comm, [&] {
        return real.Alltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
      });
}

int Alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return unequal_blocks(Collective::alltoallv, unequal(sendbuf, sendcounts, sdispls, sendtype),
                        unequal(recvbuf, recvcounts, rdispls, recvtype), comm, [&] {
                          return real.Alltoallv_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                                                  recvcounts, rdispls, recvtype, comm);
                        });
}

int Alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return unequal_blocks(Collective::alltoallw, unequal(sendbuf, sendcounts, sdispls, sendtypes),
                        unequal(recvbuf, recvcounts, rdispls, recvtypes), comm, [&] {
                          return real.Alltoallw_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                                  recvcounts, rdispls, recvtypes, comm);
                        });
}

#endif

}  // namespace intercept

}  // namespace suiro::mpi
