// SPDX-License-Identifier: BSD-3-Clause
// MPI_Alltoall and MPI_Alltoallv: decide, then run a schedule or pass the call on. Whatever looks
// wrong (a null type, a negative count) is passed on too: the MPI library knows the right error.
#include <optional>

#include "mpi/check.hpp"
#include "mpi/job.hpp"

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
std::optional<std::int64_t> bytes_of(int count, MPI_Datatype type) {
  if (count < 0 || type == MPI_DATATYPE_NULL) return std::nullopt;
  MPI_Count size = 0;
  real.Type_size_x(type, &size);
  if (size < 0) return std::nullopt;
  return static_cast<std::int64_t>(size) * count;
}

bool valid(const UserBuffer& buffer, int ranks) {
  if (buffer.type == MPI_DATATYPE_NULL || !buffer.counts || !buffer.displacements) return false;
  for (int block = 0; block < ranks; ++block) {
    if (buffer.counts[block] < 0) return false;
  }
  return true;
}

/// A failure of suiro's own messages is an error of the user's call, on the user's communicator.
int report(MPI_Comm comm, int code) {
  if (code != MPI_SUCCESS) real.Comm_call_errhandler(comm, code);
  return code;
}

/// Runs what was chosen. `native` passes the call on.
template <class Native>
int perform(Communicator& communicator, Collective collective, Choice& choice,
            const Operation& operation, Native&& native) {
  const bool timed = job.settings.observed();
  const double begin_s = timed ? now_s() : 0;
  Call call{communicator, collective, choice, operation.bytes, 0, std::nullopt};
  int code = MPI_SUCCESS;
  if (choice.native) {
    code = native();
    call.native_seconds = now_s() - begin_s;
  } else if (job.settings.check) {
    code = run_checked(communicator, collective, choice, operation, native, call);
  } else {
    const std::optional<int> ran =
        communicator.run(choice, operation.send, operation.receive, operation.in_place);
    code = ran ? report(operation.comm, *ran) : native();
  }
  if (timed) {
    if (call.seconds == 0) call.seconds = now_s() - begin_s;
    job.record.add(call);
  }
  return code;
}

}  // namespace

namespace intercept {

int Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
             int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  const auto native = [&] {
    return real.Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  };
  Communicator* communicator = watched(comm, Collective::alltoall);
  if (communicator == nullptr) return native();
  const bool in_place = sendbuf == MPI_IN_PLACE;
  const auto received = bytes_of(recvcount, recvtype);
  const auto bytes = in_place ? received : bytes_of(sendcount, sendtype);
  if (!received || !bytes) return native();
  Choice& choice = communicator->choose(Collective::alltoall, *bytes);
  if (choice.native && !job.settings.observed()) return native();
  const UserBuffer receive{static_cast<char*>(recvbuf), extent_of(recvtype), recvtype, recvcount};
  const UserBuffer send{static_cast<char*>(const_cast<void*>(sendbuf)),
                        in_place ? 0 : extent_of(sendtype), sendtype, sendcount};
  return perform(*communicator, Collective::alltoall, choice,
                 {comm, in_place ? receive : send, receive, in_place, bytes}, native);
}

int Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
              MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
              MPI_Datatype recvtype, MPI_Comm comm) {
  const auto native = [&] {
    return real.Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                          recvtype, comm);
  };
  Communicator* communicator = watched(comm, Collective::alltoallv);
  if (communicator == nullptr) return native();
  const bool in_place = sendbuf == MPI_IN_PLACE;
  const UserBuffer receive{static_cast<char*>(recvbuf),
                           recvtype == MPI_DATATYPE_NULL ? 0 : extent_of(recvtype),
                           recvtype,
                           0,
                           recvcounts,
                           rdispls};
  const UserBuffer send{static_cast<char*>(const_cast<void*>(sendbuf)),
                        in_place || sendtype == MPI_DATATYPE_NULL ? 0 : extent_of(sendtype),
                        sendtype,
                        0,
                        sendcounts,
                        sdispls};
  const int ranks = communicator->ranks();
  if (!valid(receive, ranks) || (!in_place && !valid(send, ranks))) return native();
  Choice& choice = communicator->choose(Collective::alltoallv, 0);
  return perform(*communicator, Collective::alltoallv, choice,
                 {comm, in_place ? receive : send, receive, in_place, std::nullopt}, native);
}

}  // namespace intercept

}  // namespace suiro::mpi
