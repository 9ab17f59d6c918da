// SPDX-License-Identifier: BSD-3-Clause
// What the launcher of a job tells each of its processes, before any MPI does.
#pragma once

#include <optional>

namespace suiro::host {

/// This process's rank in the job; -1 if nobody tells.
int launcher_rank();

/// Where a process is in its job. A process without a launcher is alone.
struct LauncherPlace {
  int rank = 0;
  int size = 1;
};
/// Nothing, if there is a launcher, and it does not say how many processes the job has.
std::optional<LauncherPlace> launcher_place();

/// Where a process is among those of its job on this host.
struct LauncherLocalPlace {
  int rank = 0;
  int size = 1;
  const char* rank_variable = nullptr;  // that told the rank; null: none did
};
LauncherLocalPlace launcher_local_place();

}  // namespace suiro::host
