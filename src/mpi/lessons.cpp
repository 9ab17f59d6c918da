// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/lessons.hpp"

#include <exception>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "choose/lessons.hpp"
#include "mpi/job.hpp"
#include "mpi/load.hpp"
#include "mpi/usual_arithmetic.hpp"

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

}  // namespace

bool recall_lessons() try {
  if (job.rank != 0 || !job.settings.tries()) return false;
  const UsualArithmetic usual;
  const nlohmann::json question{{"lessons", {{"mpi", library_version()}}}};
  return suiro::recall_lessons(*job.chooser, job.service.ask(text_of(question)));
} catch (const std::exception&) {
  return false;  // no memory: the job goes on as if there were no store
}

void tell_lesson(const Collective& collective, const Topology& topology, std::int64_t bytes,
                 const std::string& candidate, const Trial& trial) try {
  if (job.rank != 0 || !job.service.connected() || has_neighbours(topology)) return;
  const nlohmann::json learnt{{"mpi", library_version()},
                              {"collective", collective.name},
                              {"bytes", bytes},
                              {"node_of_rank", node_of_rank(topology)},
                              {"candidate", candidate},
                              {"native_s", seconds_of(trial.natives())},
                              {"candidate_s", seconds_of(trial.foretold())}};
  job.service.send(text_of({{"learnt", learnt}}));
} catch (const std::exception&) {
  // No memory, on this rank alone: others are in the same call, and go on with it.
}

}  // namespace suiro::mpi
