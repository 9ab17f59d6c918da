// SPDX-License-Identifier: BSD-3-Clause
// What suiro knows about one of the user's communicators: its topology, what was decided for each
// range of sizes, and, once something other than native ran, the private twin that carries suiro's
// messages. Collectives on one communicator never overlap (the user's duty), so nothing here locks.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mpi/run_schedule.hpp"
#include "rules/rules.hpp"

namespace suiro::mpi {

enum class Collective : std::uint8_t { alltoall, alltoallv };
inline constexpr std::array collective_names{"alltoall", "alltoallv"};

/// What runs for a range of sizes.
struct Choice {
  bool native = true;
  std::string algorithm;  // with its parameters, as in SUIRO_ALLTOALL
  std::string reason;
  Decision decision;
  WorkspacePointer workspace;  // made when it first runs
  double wire_blocks = 0;      // that the busiest link must carry, whatever the algorithm
};

/// Values of the info keys suiro_alltoall and suiro_alltoallv; empty: none.
using Hints = std::array<std::string, collective_names.size()>;

class Communicator {
 public:
  Communicator(MPI_Comm communicator, const Hints& hints);

  /// Native whatever the size, and nobody watches: the only thing that the fast path reads.
  bool untouched(Collective collective) const {
    return untouched_[static_cast<std::size_t>(collective)];
  }

  /// `bytes` is a block's size, 0 for v-collectives.
  Choice& choose(Collective collective, std::int64_t bytes);

  /// Runs a choice that is not native; the first time, all ranks make the twin. Empty when that is
  /// impossible, on all ranks: then native must run.
  std::optional<int> run(Choice& choice, const UserBuffer& send, const UserBuffer& receive,
                         bool in_place);

  int ranks() const { return ranks_; }
  int rank() const { return rank_; }
  int first_world_rank() const { return first_world_rank_; }
  const std::string& shape() const { return shape_; }

  void free_twin();

 private:
  /// choices[i] holds for thresholds[i - 1] <= bytes < thresholds[i].
  struct Plan {
    std::vector<std::int64_t> thresholds;
    std::vector<Choice> choices;
  };

  void plan(Collective collective, const std::string& hint);
  Choice make_choice(Collective collective, std::int64_t bytes, const RuleTable& table) const;
  RuleTable table_for(Collective collective, const std::string& hint) const;
  bool make_twin();

  MPI_Comm user_;
  MPI_Comm twin_;
  bool twin_failed_ = false;
  int spoiled_code_ = MPI_SUCCESS;  // once set, what every run returns
  int ranks_ = 0;
  int rank_ = 0;
  int first_world_rank_ = 0;
  std::string shape_;
  std::string obstacle_;  // why only native is possible, or empty
  std::optional<Topology> topology_;
  std::array<Plan, collective_names.size()> plans_;
  std::array<bool, collective_names.size()> untouched_{};
};

}  // namespace suiro::mpi
