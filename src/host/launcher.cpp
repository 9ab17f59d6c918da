// SPDX-License-Identifier: BSD-3-Clause
#include "host/launcher.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "base/variables.hpp"

namespace suiro::host {
namespace {

/// Each launcher has names of its own; null: it does not tell this.
struct Names {
  const char* rank;
  const char* size;
  const char* local_rank;
  const char* local_size;
};
/// Of several that tell, the first counts: an inner launcher before the batch system around it.
constexpr Names launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"MPI_RANKID", nullptr, "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    {"PMI_RANK", "PMI_SIZE", "PMI_LOCAL_RANK", "PMI_LOCAL_SIZE"},
    {"PMIX_RANK", nullptr, "PMIX_LOCAL_RANK", "PMIX_LOCAL_SIZE"},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", variables::local_ranks.name},
};

/// -1 if it is not set, or is no number from 0.
int number_in(const char* variable) {
  const char* text = variable == nullptr ? nullptr : std::getenv(variable);
  if (text == nullptr) return -1;
  const std::string_view value = text;
  int number = -1;
  const auto [end, error] = std::from_chars(value.begin(), value.end(), number);
  return error == std::errc() && end == value.end() ? number : -1;
}

}  // namespace

int launcher_rank() {
  for (const Names& names : launchers)
    if (const int rank = number_in(names.rank); rank >= 0) return rank;
  return -1;
}

std::optional<LauncherPlace> launcher_place() {
  for (const Names& names : launchers) {
    const LauncherPlace place{.rank = number_in(names.rank), .size = number_in(names.size)};
    if (place.rank >= 0 && place.size >= 0) return place;
  }
  if (std::getenv("PMIX_RANK") != nullptr || std::getenv("PMI_FD") != nullptr) return std::nullopt;
  return LauncherPlace{};
}

LauncherLocalPlace launcher_local_place() {
  LauncherLocalPlace place;
  for (const Names& names : launchers) {
    const int rank = number_in(names.local_rank);
    if (rank < 0 || place.rank_variable != nullptr) continue;
    place.rank = rank;
    place.rank_variable = names.local_rank;
  }
  for (const Names& names : launchers) {
    const int size = number_in(names.local_size);
    if (size < 0) continue;
    place.size = size;
    break;
  }
  return place;
}

}  // namespace suiro::host
