// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/dispatch.hpp"

#include <optional>

#include "mpi/check.hpp"
#include "mpi/device_memory.hpp"
#include "rules/candidates.hpp"

namespace suiro::mpi {

namespace {

/// Bytes of `count` elements; empty when invalid.
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

int taken_back_if_refused(Communicator& communicator, const Collective& collective, Native native) {
  const int code = native();
  if (was_refused(code)) communicator.take_back(collective);
  return code;
}

/// What was chosen is run, or native when that is impossible.
int run_or_pass_on(Communicator& communicator, const Collective& collective, Choice& choice,
                   const Operation& operation, Native native) {
  const std::optional<Ending> ran = communicator.run(collective, choice, operation);
  if (!ran) return native();
  if (ran->undone) communicator.take_back(collective);
  return report(operation.comm, ran->code);
}

int run_here(Communicator& communicator, const Collective& collective, Choice& choice,
             const Operation& operation, Native native) {
  const bool timed = job.settings.observed();
  const double begin_s = timed ? now_s() : 0;
  Observation call{communicator, collective, choice, operation.bytes, 0, std::nullopt};
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

/// MPI_Reduce_local, which does the arithmetic, steps from element to element upwards.
bool has_usual_elements(const UserBuffer& buffer) { return buffer.unit_bytes > 0; }

bool keeps_order(const Collective& collective, const Choice& choice) {
  return declares(*find_candidate(collective.name, choice.decision.algorithm), Property::ordered);
}

/// Why what was chosen cannot run for this call, the same on all ranks; empty when it can. A
/// failure of MPI is in `code`.
std::string obstacle(const Collective& collective, const Choice& choice, const Operation& operation,
                     int& code) {
  bool on_device = false;
  if (job.devices) [[unlikely]] {
    code = find_device_memory(operation.comm, operation.send, operation.receive, on_device);
    if (on_device) return "a buffer is in device memory";
  }
  if (!collective.reduces) return {};
  int commutes = 1;
  real.Op_commutative(operation.op, &commutes);
  if (commutes == 0 && !keeps_order(collective, choice)) {
    return "the operation does not commute, and " + choice.decision.algorithm +
           " does not keep the order of ranks";
  }
  if (!has_usual_elements(operation.in_place ? operation.receive : operation.send)) {
    return "elements that do not follow each other upwards";
  }
  return {};
}

int perform(Communicator& communicator, const Collective& collective, Choice& choice,
            const Operation& operation, Native native) {
  if (choice.native) return run_here(communicator, collective, choice, operation, native);
  int code = MPI_SUCCESS;
  std::string reason = obstacle(collective, choice, operation, code);
  if (code != MPI_SUCCESS) return code;
  if (reason.empty()) return run_here(communicator, collective, choice, operation, native);
  Choice passed_on;
  passed_on.algorithm = native_algorithm;
  passed_on.reason = std::move(reason);
  passed_on.wire_blocks = choice.wire_blocks;
  return run_here(communicator, collective, passed_on, operation, native);
}

/// What has one size on all ranks: `operation.bytes`.
int one_size(Communicator& communicator, const Collective& collective, const Operation& operation,
             Native native) {
  Choice& choice = communicator.choose_and_count(collective, *operation.bytes);
  const auto counted = [&] { return taken_back_if_refused(communicator, collective, native); };
  if (choice.native && !job.settings.observed()) return counted();
  return perform(communicator, collective, choice, operation, counted);
}

int equal_blocks(Communicator& communicator, const Collective& collective, Operation& operation,
                 Native native) {
  const auto received = bytes_of(operation.receive.count, operation.receive.type);
  operation.bytes =
      operation.in_place ? received : bytes_of(operation.send.count, operation.send.type);
  if (!received || !operation.bytes) return native();
  operation.receive.unit_bytes = extent_of(operation.receive.type);
  if (operation.in_place) operation.send = operation.receive;
  operation.send.unit_bytes = extent_of(operation.send.type);
  return one_size(communicator, collective, operation, native);
}

int unequal_blocks(Communicator& communicator, const Collective& collective, Operation& operation,
                   Native native) {
  UserBuffer& send = operation.send;
  UserBuffer& receive = operation.receive;
  const int ranks = communicator.ranks();
  if (!is_valid(receive, ranks) || (!operation.in_place && !is_valid(send, ranks))) return native();
  receive.unit_bytes = receive.types != nullptr ? 1 : extent_of(receive.type);
  if (operation.in_place) send = receive;
  send.unit_bytes = send.types != nullptr ? 1 : extent_of(send.type);
  const int agreed = communicator.agree_on_size(collective, send, receive);
  if (agreed != MPI_SUCCESS) return agreed;
  Choice& choice = communicator.choose(collective);
  operation.bytes = communicator.agreed_bytes(collective);
  const auto counted = [&] { return taken_back_if_refused(communicator, collective, native); };
  return perform(communicator, collective, choice, operation, counted);
}

/// Each rank has the same number of bytes, described in its own way; of what is reduced, the same
/// number of elements.
int message(Communicator& communicator, const Collective& collective, Operation& operation,
            Native native) {
  UserBuffer& given = operation.in_place ? operation.receive : operation.send;
  operation.bytes = bytes_of(given.count, given.type);
  if (!operation.bytes || *operation.bytes < communicator.touched_from(collective)) return native();
  if (collective.reduces && operation.op == MPI_OP_NULL) return native();
  if (operation.root < 0 || operation.root >= communicator.ranks()) return native();
  given.unit_bytes = extent_of(given.type);
  const bool gets = !collective.rooted || operation.root == communicator.rank();
  if (collective.reduces && !gets) operation.receive.base = nullptr;
  if (!operation.in_place) operation.receive.unit_bytes = given.unit_bytes;
  return one_size(communicator, collective, operation, native);
}

}  // namespace

int dispatch(Communicator& communicator, const Collective& collective, Operation operation,
             Native native) {
  communicator.plan(collective);
  if (communicator.untouched(index_of(collective))) return native();
  operation.in_place = operation.send.base == MPI_IN_PLACE;
  switch (collective.bytes) {
    case Measure::per_pair:
      return collective.unequal() ? unequal_blocks(communicator, collective, operation, native)
                                  : equal_blocks(communicator, collective, operation, native);
    case Measure::vector:
      return message(communicator, collective, operation, native);
    case Measure::nothing:
      operation.bytes = 0;
      return one_size(communicator, collective, operation, native);
  }
  return native();
}

}  // namespace suiro::mpi
