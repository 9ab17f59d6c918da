// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/entry/dispatch.hpp"

#include <cstdio>
#include <exception>
#include <new>
#include <optional>

#include "mpi/carry/arguments.hpp"
#include "mpi/carry/device_memory.hpp"
#include "mpi/underneath/elapsed.hpp"
#include "mpi/watch/check.hpp"
#include "mpi/watch/record.hpp"
#include "rules/candidates.hpp"

namespace suiro::mpi {

namespace {

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

int pass_on(Communicator& communicator, const Collective& collective, const Choice& choice,
            const Operation& operation, std::string reason, Native native);

/// What was chosen and prepared is run. Empty when some rank has not what it takes: `lack`.
std::optional<int> run_chosen(Communicator& communicator, const Collective& collective,
                              Choice& choice, const Operation& operation, std::string_view& lack) {
  const Ending ending = communicator.run(collective, choice, operation);
  lack = text_of(ending.lacks);
  if (!lack.empty()) return std::nullopt;
  if (ending.undone) communicator.take_back(collective);
  return report(operation.comm, ending.code);
}

int run_here(Communicator& communicator, const Collective& collective, Choice& choice,
             const Operation& operation, Native native) {
  const bool observed = job.settings.observed();
  const bool timed = observed || communicator.is_timed(collective);
  const double begin_s = timed ? now_s() : 0;
  Observation call{communicator, collective, choice, operation.bytes, operation.root};
  std::optional<int> code;
  std::string_view lack;
  if (choice.native) {
    code = native();
    if (timed) call.native_seconds = elapsed_s(begin_s);
  } else if (job.settings.check) {
    code = run_checked(communicator, collective, choice, operation, native, call, lack);
  } else {
    code = run_chosen(communicator, collective, choice, operation, lack);
  }
  if (!code) {
    return pass_on(communicator, collective, choice, operation, std::string(lack), native);
  }
  if (timed && call.seconds == 0) call.seconds = elapsed_s(begin_s);
  communicator.note_time(collective, call.seconds);
  if (observed) record.add(call);
  return *code;
}

/// Native in place of what was chosen.
int pass_on(Communicator& communicator, const Collective& collective, const Choice& choice,
            const Operation& operation, std::string reason, Native native) {
  Choice passed_on;
  passed_on.algorithm = native_algorithm;
  passed_on.reason = std::move(reason);
  passed_on.wire_blocks = choice.wire_blocks;
  return run_here(communicator, collective, passed_on, operation, native);
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
  if (!has_usual_elements(operation.send)) {
    return "elements that do not follow each other upwards";
  }
  return {};
}

int perform(Communicator& communicator, const Collective& collective, Choice& choice,
            const Operation& operation, Native native) {
  if (choice.native) return run_here(communicator, collective, choice, operation, native);
  int code = communicator.error_of_types(operation);
  if (code != MPI_SUCCESS) {  // the others know nothing of it, as where MPI refuses a call
    communicator.take_back(collective);
    return report(operation.comm, code);
  }
  std::string reason = obstacle(collective, choice, operation, code);
  if (code != MPI_SUCCESS) return code;
  if (reason.empty()) reason = communicator.prepare(collective, choice, operation);
  if (reason.empty()) return run_here(communicator, collective, choice, operation, native);
  return pass_on(communicator, collective, choice, operation, std::move(reason), native);
}

/// What all ranks know the size of: `operation.bytes`.
int known_size(Communicator& communicator, const Collective& collective, const Operation& operation,
               Native native) {
  Choice& choice = communicator.choose_and_count(collective, *operation.bytes,
                                                 is_uneven(operation, communicator.ranks()));
  const auto counted = [&] { return taken_back_if_refused(communicator, collective, native); };
  const bool timed = job.settings.observed() || communicator.is_timed(collective);
  if (choice.native && !timed) return counted();
  return perform(communicator, collective, choice, operation, counted);
}

/// What ranks have to agree on, or only the root knows.
int unknown_size(Communicator& communicator, const Collective& collective, Operation& operation,
                 Native native) {
  const int agreed = communicator.agree_on_size(collective, operation.send, operation.receive);
  if (agreed != MPI_SUCCESS) return agreed;
  Choice& choice = communicator.choose(collective);
  operation.bytes = communicator.agreed_bytes(collective);
  const auto counted = [&] { return taken_back_if_refused(communicator, collective, native); };
  return perform(communicator, collective, choice, operation, counted);
}

/// Small messages are looked at no further than this.
bool is_too_small(const Communicator& communicator, const Collective& collective,
                  const Operation& operation) {
  const std::int64_t touched_from = communicator.touched_from(collective);
  if (touched_from <= 1 || collective.bytes != Measure::vector || collective.for_each_rank) {
    return false;
  }
  const UserBuffer& message = message_of(operation);
  return bytes_of(message.count, message.type).value_or(0) < touched_from;
}

}  // namespace

int error_of_exception(MPI_Comm communicator) noexcept {
  int code = MPI_ERR_INTERN;
  try {
    throw;
  } catch (const std::bad_alloc&) {
    code = MPI_ERR_NO_MEM;
    std::fputs("suiro: a collective failed: out of memory\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "suiro: a collective failed: %s\n", error.what());
  } catch (...) {
  }
  return report(communicator, code);
}

int dispatch(Communicator& communicator, const Collective& collective, Operation operation,
             Native native) {
  communicator.plan(collective);
  if (communicator.untouched(index_of(collective))) return native();
  operation.in_place =
      operation.send.base == MPI_IN_PLACE || operation.receive.base == MPI_IN_PLACE;
  if (is_too_small(communicator, collective, operation)) return native();
  if (!complete(collective, communicator.ranks(), communicator.rank(), operation)) return native();
  const bool known = collective.sizes == Sizes::equal || collective.sizes == Sizes::known;
  return known ? known_size(communicator, collective, operation, native)
               : unknown_size(communicator, collective, operation, native);
}

}  // namespace suiro::mpi
