// SPDX-License-Identifier: BSD-3-Clause
// The info keys suiro_alltoall, suiro_bcast and so on, one for each collective, whose values are
// those of SUIRO_ALLTOALL.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/tell.hpp"
#include "mpi/decide/communicators.hpp"
#include "mpi/job/job.hpp"

namespace suiro::mpi {

namespace {

constexpr int value_bytes_max = 128;
using Value = std::array<char, value_bytes_max>;

std::vector<Value> read_values(MPI_Info info) {
  std::vector<Value> values(collectives().size());
  if (info == MPI_INFO_NULL) return values;
  for (const Collective& collective : collectives()) {
    const std::string key = "suiro_" + std::string(collective.name);
    Value value{};
    int found = 0;
    real.Info_get(info, key.c_str(), value_bytes_max - 1, value.data(), &found);
    if (found != 0) values[index_of(collective)] = value;
  }
  return values;
}

/// Collective. All ranks must ask for the same, or they would run different algorithms; so the
/// ranks compare, and where they differ the keys count for nothing. Processes that came later know
/// nothing of this: with them nothing is asked for.
Hints agreed_hints(MPI_Comm communicator, MPI_Info info) {
  int is_inter = 0;
  int rank = 0;
  real.Comm_test_inter(communicator, &is_inter);
  if (is_inter != 0 || job.placement.of(communicator).topology == nullptr) return {};
  real.Comm_rank(communicator, &rank);
  const std::vector<Value> mine = read_values(info);
  std::vector<Value> first = mine;
  real.Bcast(first.data(), static_cast<int>(first.size() * sizeof(Value)), MPI_CHAR, 0,
             communicator);
  int differs = mine == first ? 0 : 1;
  int any_differs = 0;
  real.Allreduce(&differs, &any_differs, 1, MPI_INT, MPI_MAX, communicator);
  if (any_differs != 0) {
    if (rank == 0) say("info keys suiro_*: the ranks give different values; they are ignored");
    return {};
  }
  Hints hints;
  for (const Value& value : mine) hints.emplace_back(value.data());
  return hints;
}

bool active() { return job.mode.load(std::memory_order_acquire) == Mode::active; }

/// A profiler that was not expected to come back may do so: then the inner call took them.
thread_local std::int64_t taken = 0;

void take_hints(MPI_Comm communicator, MPI_Info info) {
  ++taken;
  const Hints hints = agreed_hints(communicator, info);
  const bool any = std::ranges::any_of(hints, [](const auto& hint) { return !hint.empty(); });
  if (any) communicators.set_hints(communicator, hints);
}

/// The communicator's attribute tells its end, too, but here suiro may still wait for what is open
/// on it. Callbacks of the user may run collectives on what is about to go: they are native.
template <class Free>
int free_communicator(MPI_Comm* communicator, Free next) {
  if (communicator == nullptr || !active()) return next(communicator);
  const Communicators::Going going(*communicator);
  communicators.forget(*communicator);
  return next(communicator);
}

}  // namespace

namespace intercept {

int Comm_set_info(decltype(Real::Comm_set_info) next, MPI_Comm comm, MPI_Info info) {
  const std::int64_t taken_before = taken;
  const int code = next(comm, info);
  if (code == MPI_SUCCESS && active() && taken == taken_before) take_hints(comm, info);
  return code;
}

int Comm_dup_with_info(decltype(Real::Comm_dup_with_info) next, MPI_Comm comm, MPI_Info info,
                       MPI_Comm* newcomm) {
  const std::int64_t taken_before = taken;
  const int code = next(comm, info, newcomm);
  if (code == MPI_SUCCESS && active() && taken == taken_before) take_hints(*newcomm, info);
  return code;
}

int Comm_free(decltype(Real::Comm_free) next, MPI_Comm* comm) {
  return free_communicator(comm, next);
}

int Comm_disconnect(decltype(Real::Comm_disconnect) next, MPI_Comm* comm) {
  return free_communicator(comm, next);
}

}  // namespace intercept

}  // namespace suiro::mpi
