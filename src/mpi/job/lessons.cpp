// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/job/lessons.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "mpi/job/job.hpp"
#include "mpi/underneath/load.hpp"
#include "mpi/underneath/usual_arithmetic.hpp"
#include "rules/candidates.hpp"

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

/// Throws for an algorithm that this version does not have.
void recall(const nlohmann::json& told) {
  const std::string name = told.at("collective");
  const Collective* collective = find_collective(name);
  if (collective == nullptr || collective->reduces) return;
  const std::int64_t bytes = told.at("bytes");
  Chooser::Lesson lesson{.faster = std::nullopt, .slower = told.at("slower")};
  const std::string faster = told.at("faster");
  std::vector<int> nodes = told.at("node_of_rank");
  if (!faster.empty()) {
    const auto forced = RuleTable::forced(name, faster);
    lesson.faster = forced.decide({name, Topology::from_nodes(nodes), bytes});
  }
  if (lesson.faster) {
    lesson.faster->reason = told.at("reason");
    lesson.faster->unasked = true;
  }
  job.chooser->recall(*collective, bytes, std::move(nodes), std::move(lesson));
}

}  // namespace

bool recall_lessons() try {
  if (job.rank != 0 || !job.settings.tries()) return false;
  const UsualArithmetic usual;
  const nlohmann::json about{{"mpi", library_version()}, {"variables", variables_of_mpis()}};
  const nlohmann::json question{{"lessons", about}};
  const auto answer = nlohmann::json::parse(job.service.ask(text_of(question)), nullptr, false);
  if (!answer.is_array()) return false;
  for (const nlohmann::json& told : answer) {
    try {
      recall(told);
    } catch (const std::exception&) {
      // Of another version: what it says is of no use here.
    }
  }
  return true;
} catch (const std::exception&) {
  return false;  // no memory: the job goes on as if there were no store
}

void tell_lesson(const Collective& collective, const Topology& topology, std::int64_t bytes,
                 const std::string& candidate, const Trial& trial) try {
  if (job.rank != 0 || !job.service.connected() || has_neighbours(topology)) return;
  const nlohmann::json learnt{{"mpi", library_version()},
                              {"variables", variables_of_mpis()},
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
