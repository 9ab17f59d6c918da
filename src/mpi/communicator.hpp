// SPDX-License-Identifier: BSD-3-Clause
// What suiro knows about one of the user's communicators: its topology, what was decided for each
// range of sizes, and, once something other than native ran, the private twin that carries suiro's
// messages. Collectives on one communicator never overlap (the user's duty), so nothing here locks.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mpi/run_on_net.hpp"
#include "mpi/size_agreement.hpp"
#include "rules/rules.hpp"

namespace suiro::mpi {

enum class Collective : std::uint8_t { alltoall, alltoallv, alltoallw };
inline constexpr std::array collectives{Collective::alltoall, Collective::alltoallv,
                                        Collective::alltoallw};
inline constexpr std::array collective_names{"alltoall", "alltoallv", "alltoallw"};
inline const char* name_of(Collective collective) {
  return collective_names[static_cast<std::size_t>(collective)];
}

/// What runs for a range of sizes.
struct Choice {
  bool native = true;
  std::string algorithm;  // with its parameters, as in SUIRO_ALLTOALL
  std::string reason;
  Decision decision;
  WorkspacePointer workspace;  // made when it first runs
  double wire_blocks = 0;      // that the busiest link must carry, whatever the algorithm
  bool patient = false;        // so small that a few calls do not pay for the twin
};

/// Values of the info keys suiro_alltoall and so on; empty: none.
using Hints = std::array<std::string, collective_names.size()>;

class Communicator {
 public:
  Communicator(MPI_Comm communicator, const Hints& hints);

  /// Native whatever the size, and nobody watches: the only thing that the fast path reads.
  bool untouched(Collective collective) const {
    return untouched_[static_cast<std::size_t>(collective)];
  }

  /// For blocks of one size. While there is no twin, the first small calls are native: a program
  /// that makes many communicators for a call or two each pays for nothing. A call that MPI refuses
  /// is taken back.
  Choice& choose_and_count(Collective collective, std::int64_t bytes);

  /// For blocks of unequal sizes: every call is told to agree_on_size(), which returns the code of
  /// an MPI error; then choose() goes by agreed_bytes(), which is empty as long as nothing is
  /// known.
  int agree_on_size(Collective collective, const UserBuffer& send, const UserBuffer& receive);
  std::optional<std::int64_t> agreed_bytes(Collective collective) const;
  Choice& choose(Collective collective);

  /// The call that was counted last has not been made after all: the other ranks know nothing of
  /// it.
  void take_back(Collective collective);

  /// Runs a choice that is not native; the first time, all ranks make the twin. Empty when that is
  /// impossible, on all ranks: then native must run.
  std::optional<Ending> run(Collective collective, Choice& choice, const UserBuffer& send,
                            const UserBuffer& receive, bool in_place);

  int ranks() const { return ranks_; }
  int rank() const { return rank_; }
  int first_world_rank() const { return first_world_rank_; }
  const std::string& shape() const { return shape_; }

  /// Before the user's communicator goes: nothing of suiro's is under way or left on it.
  void release();

 private:
  /// choices[i] holds for thresholds[i - 1] <= bytes < thresholds[i]. Where blocks are unequal and
  /// the choice depends on their size, the others hold while the size is unknown.
  struct Plan {
    std::vector<std::int64_t> thresholds;
    std::vector<Choice> choices;
    Choice unagreed;
    Choice too_uneven;
    Choice too_early;
    int early_calls = 0;
    bool was_early = false;  // the call that was counted last
    bool agrees = false;     // ranks agree on a size
    SizeAgreement agreement;
  };

  Plan& plan_of(Collective collective) { return plans_[static_cast<std::size_t>(collective)]; }
  const Plan& plan_of(Collective collective) const {
    return plans_[static_cast<std::size_t>(collective)];
  }
  void plan(Collective collective, const std::string& hint);
  void plan_sizes(Collective collective, const RuleTable& table);
  Choice& choose(Collective collective, std::int64_t bytes);
  bool joins_unequal(Collective collective, const Choice& choice) const;
  Ending run_joined(Collective collective, Choice& choice, const UserBuffer& send,
                    const UserBuffer& receive, bool in_place);
  Choice make_choice(Collective collective, std::optional<std::int64_t> bytes,
                     const RuleTable& table, const std::string& size_note = "") const;
  RuleTable table_for(Collective collective, const std::string& hint) const;
  bool make_twin();
  void free_twin();

  MPI_Comm user_;
  MPI_Comm twin_;
  bool twin_failed_ = false;
  std::unique_ptr<NetGroup> net_;   // where messages go on suiro's own transport
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
