// SPDX-License-Identifier: BSD-3-Clause
// From MPI_Init to MPI_Finalize. A collective is only touched when all ranks of the world have this
// library and mean the same: the job service knows the first (a rank without the library cannot be
// asked over MPI), the agreement tells the second.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/tell.hpp"
#include "base/variables.hpp"
#include "mpi/carry/net_group.hpp"
#include "mpi/decide/communicators.hpp"
#include "mpi/entry/agreement.hpp"
#include "mpi/job/job.hpp"
#include "mpi/job/lessons.hpp"
#include "mpi/job/provider.hpp"
#include "mpi/underneath/environment.hpp"
#include "mpi/underneath/fault_tolerance.hpp"
#include "mpi/underneath/point_to_point.hpp"
#include "mpi/underneath/reserve.hpp"
#include "mpi/underneath/usual_arithmetic.hpp"
#include "mpi/watch/record.hpp"

namespace suiro::mpi {

namespace {

/// MPI_Init may call MPI_Init_thread through the same symbols, and a profiler may come back.
std::atomic<bool> entered{false};

bool was_spawned() {
  MPI_Comm parent = MPI_COMM_NULL;
  real.Comm_get_parent(&parent);
  return parent != MPI_COMM_NULL;
}

/// After the real MPI_Init.
bool may_act(bool enrolled) {
  const UsualArithmetic usual;
  int size = 0;
  real.Comm_rank(MPI_COMM_WORLD, &job.rank);
  real.Comm_size(MPI_COMM_WORLD, &size);
  if (was_spawned()) return false;
  if (job.settings.service.empty()) {
    if (job.rank == 0) std::ranges::for_each(unknown_variables(), say);  // else `suiro run` does
    return agree();
  }
  if (!enrolled) {
    if (job.rank == 0) {
      say("cannot reach `suiro run` at " + job.settings.service +
          "; all ranks use native collectives");
    }
    return false;
  }
  return job.service.verdict(job.rank, size) && agree();
}

/// Of other ranks of this node, which may come much later: meanwhile MPI goes on with this rank's
/// messages, as it would in MPI_Finalize.
void wait_for_reports() {
  while (job.service.relays()) {
    let_mpi_progress(MPI_COMM_WORLD, job.rank);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// MPI_Finalize begins with what is attached to MPI_COMM_SELF, while everything still works.
int finish(MPI_Comm, int, void*, void*) {
  if (job.mode.exchange(Mode::native) == Mode::active) {
    const UsualArithmetic usual;
    communicators.forget_all();
    leave_net();
    record.finish();
    job.service.finish();
    wait_for_reports();
  }
  return MPI_SUCCESS;
}

void attach_finish() {
  int keyval = MPI_KEYVAL_INVALID;
  real.Comm_create_keyval(do_not_copy, finish, &keyval, nullptr);
  real.Comm_set_attr(MPI_COMM_SELF, keyval, nullptr);
}

/// What `suiro run --transport` asks for is done by all ranks or by none. True if it is.
bool settle_messages() {
  if (job.settings.transport != "suiro") return false;
  const std::string answer = job.service.transport(provider_obstacle());
  if (answer == "suiro") choose_provider();
  if (answer == "net" && value_of(variables::collectives) == nullptr) {
    job.settings.on_net = true;
    ++job.settings.hash;  // a rank that has not heard the answer is noticed
  }
  return answer == "suiro";
}

/// The program's own messages are compared with nothing, so this is all there is to --check.
void check_offsets() {
  if (sends_from_right_place()) return;
  job.service.send(nlohmann::json{{"offsets", host_name()}}.dump(-1, ' ', true));
}

/// Before the real MPI_Init. True when `suiro run` knows of this rank.
bool prepare(bool& over_suiro) {
  const UsualArithmetic usual;
  can_tell();  // before the MPI opens anything
  job.settings = read_settings();
  const Settings& settings = job.settings;
  const bool enrolled = !settings.off && !settings.service.empty() &&
                        job.service.enroll(settings.service, settings.token);
  over_suiro = enrolled && settle_messages();
  return enrolled;
}

template <class RealInit>
int initialise(RealInit&& real_init) {
  if (entered.exchange(true)) return real_init();
  bool over_suiro = false;
  const bool enrolled = prepare(over_suiro);
  if (job.settings.off) return real_init();
  const Settings& settings = job.settings;
  const int code = real_init();
  leave_environment();
  if (code == MPI_SUCCESS && may_act(enrolled)) {
    if (over_suiro && settings.check && job.rank == 0) check_offsets();
    if (!recall_lessons() && !settings.observed() && !settings.check) job.service.close();
    share_lessons();
    keep_reserve();
    find_fault_tolerance();
    communicators.begin();
    attach_finish();
    communicators.adopt(MPI_COMM_WORLD).prepare_twin();
    job.mode.store(Mode::active, std::memory_order_release);
  } else {
    if (settings.observed()) job.service.finish();  // there is nothing that it still owes
    job.service.close();
  }
  return code;
}

}  // namespace

namespace intercept {

int Init(decltype(Real::Init) next, int* argc, char*** argv) {
  return initialise([&] { return next(argc, argv); });
}

int Init_thread(decltype(Real::Init_thread) next, int* argc, char*** argv, int required,
                int* provided) {
  return initialise([&] { return next(argc, argv, required, provided); });
}

}  // namespace intercept

}  // namespace suiro::mpi
