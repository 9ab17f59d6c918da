// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/job/lessons.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "choose/lessons.hpp"
#include "mpi/job/job.hpp"
#include "mpi/underneath/load.hpp"
#include "mpi/underneath/usual_arithmetic.hpp"

namespace suiro::mpi {
namespace {

std::vector<int> node_of_rank(const Topology& topology) {
  std::vector<int> nodes;
  nodes.reserve(static_cast<std::size_t>(topology.ranks()));
  for (int rank = 0; rank < topology.ranks(); ++rank) nodes.push_back(topology.node(rank));
  return nodes;
}

nlohmann::json seconds_of(std::span<const std::int64_t> ns) {
  nlohmann::json seconds = nlohmann::json::array();
  for (const std::int64_t one : ns) seconds.push_back(1e-9 * static_cast<double>(one));
  return seconds;
}

/// All that tells MPIs how to do their work. `suiro run` knows what of it says what carries
/// messages (python/suiro/tune/transport.py).
nlohmann::json variables_of_mpis() {
  constexpr std::array families{"OMPI_MCA_", "MPIR_CVAR_", "UCX_", "FI_", "I_MPI_", "SUIRO_"};
  nlohmann::json found = nlohmann::json::object();
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    const auto begins = [&](std::string_view family) { return text.starts_with(family); };
    if (equals == std::string_view::npos || std::ranges::none_of(families, begins)) continue;
    found[std::string(text.substr(0, equals))] = text.substr(equals + 1);
  }
  return found;
}

}  // namespace

bool recall_lessons() try {
  if (job.rank != 0 || !job.settings.tries()) return false;
  const UsualArithmetic usual;
  const nlohmann::json about{{"mpi", library_version()}, {"variables", variables_of_mpis()}};
  const nlohmann::json question{{"lessons", about}};
  const std::string told = job.service.ask(text_of(question));
  return suiro::recall_lessons(*job.chooser, told, !job.settings.reproducible);
} catch (const std::exception&) {
  return false;  // no memory: the job goes on as if there were no store
}

void share_lessons() {
  if (!job.settings.tries()) return;
  Chooser::Recalled known = job.chooser->recalled();
  real.Bcast(known.data(), static_cast<int>(known.size()), MPI_UINT64_T, 0, MPI_COMM_WORLD);
  job.chooser->expect(known);
}

void tell_lesson(const Collective& collective, const Topology& topology, std::int64_t bytes,
                 const std::string& candidate, std::span<const std::int64_t> natives,
                 std::span<const std::int64_t> its) try {
  if (job.rank != 0 || !job.service.connected() || has_neighbours(topology)) return;
  const nlohmann::json learnt{{"mpi", library_version()},
                              {"variables", variables_of_mpis()},
                              {"collective", collective.name},
                              {"bytes", bytes},
                              {"node_of_rank", node_of_rank(topology)},
                              {"candidate", candidate},
                              {"native_s", seconds_of(natives)},
                              {"candidate_s", seconds_of(its)}};
  job.service.send(text_of({{"learnt", learnt}}));
} catch (const std::exception&) {
  // No memory, on this rank alone: others are in the same call, and go on with it.
}

}  // namespace suiro::mpi
