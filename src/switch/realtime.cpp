// SPDX-License-Identifier: BSD-3-Clause
#include "switch/realtime.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <cstddef>
#include <ctime>

namespace suiro {
namespace {

/// What users may lock is little (8 MiB), and counts what is never touched. Past it there is no
/// memory at all for who locks all that is to come.
bool lacks_room() {
  constexpr std::size_t bytes = std::size_t{1} << 30;
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* const room = mmap(nullptr, bytes, PROT_NONE, flags, -1, 0);
  if (room == MAP_FAILED) return true;
  munmap(room, bytes);
  return false;
}

}  // namespace

Time clock_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<Time>(now.tv_sec) * second + now.tv_nsec;
}

std::string become_realtime() {
  constexpr int priority = 50;
  constexpr int nice_best = -20;
  // Pages are locked as they are touched: most of the room for large frames never is.
  const bool locked = mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0;
  if (locked && lacks_room()) munlockall();
  static_cast<void>(prctl(PR_SET_TIMERSLACK, 1UL));
  sched_param parameters{};
  parameters.sched_priority = priority;
  if (sched_setscheduler(0, SCHED_FIFO, &parameters) == 0) return "fifo 50";
  if (setpriority(PRIO_PROCESS, 0, nice_best) == 0) return "nice -20";
  return "normal";
}

}  // namespace suiro
