// SPDX-License-Identifier: BSD-3-Clause
// What suiro knows about one of the user's communicators: its topology, what was decided for each
// range of sizes, and the private twin that carries suiro's messages. The world has one from the
// beginning, others once something that is not native runs. Collectives on one communicator never
// overlap (the user's duty), so nothing here locks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "choose/regret.hpp"
#include "choose/trial.hpp"
#include "collectives/collectives.hpp"
#include "mpi/carry/reduction.hpp"
#include "mpi/carry/run.hpp"
#include "mpi/carry/size_agreement.hpp"
#include "mpi/decide/plan.hpp"
#include "mpi/decide/twin.hpp"
#include "rules/rules.hpp"

namespace suiro::mpi {

/// What runs for a range of sizes on one communicator, and what its calls have shown.
struct Choice : Answer {
  /// On rank 0, which works on what comes next.
  struct Work {
    double calls_s = 0;  // that calls have taken since
    std::int64_t calls = 0;
    double done_s = 0;       // of a processor
    double free_s = 0;       // of that, without an account of it
    double accounted_s = 0;  // as lost calls
    double one_call_s() const { return calls > 0 ? calls_s / static_cast<double>(calls) : 0; }
    /// What runs now is so many times as fast.
    void replace(double ratio) { calls_s /= ratio; }
  };
  Work work = {};
  std::int64_t rest = 0;  // calls until rank 0 may work on, as it told all

  /// Schedules are for a root, and of messages that are cut for a size: a few of each are kept.
  struct Kept {
    int root = 0;
    std::int64_t bytes = 0;
    WorkspacePointer workspace;
    std::int64_t steps = 0;     // that its memory goes with, the same on all ranks
    std::int64_t granted = -1;  // of so many bytes all ranks have once had the memory for it
  };
  std::vector<Kept> kept = {};  // the last used at the end

  Regret regret = {};

  /// What trials of algorithms that were slower have cost, in calls of native's. When native has
  /// run for many times as many more, the question is asked again.
  double lost_calls = 0;
  int asked_again = 0;
  bool is_asked_again = false;    // that is what it waits for
  std::int64_t calls_waited = 0;  // for answers, in all: the same on all ranks

  /// Held against another in the program's calls.
  struct Contest {
    Trial trial;
    Reduction times;
    static_assert(Trial::times_max <= Reduction::numbers_max);
  };
  /// With native, and once it has won.
  struct InTrial : Contest {
    std::int64_t bytes = 0;  // of the size class
  };
  std::unique_ptr<InTrial> in_trial = nullptr;

  /// What has won meets others, one after the other. `calls_until_asked` of its calls pass before
  /// each, in which it may be looked at again.
  struct Challenge : Contest {
    std::unique_ptr<Choice> rival;
  };
  bool is_challenged = false;  // there may be another rival
  std::unique_ptr<Challenge> challenge = nullptr;

  bool asks_for_rival() const { return is_challenged && !asked_bytes; }
  std::int64_t bytes_asked_about() const { return asked_bytes ? *asked_bytes : in_trial->bytes; }
};

/// A plan, and what has become of it on one communicator.
struct PlanInUse {
  explicit PlanInUse(std::shared_ptr<const Plan> begun);

  Choice& at(std::size_t place);
  Choice& choice(Plan::Sizeless sizeless) { return at(plan->place_of(sizeless)); }
  bool is_native(std::size_t place) const;  // and nothing is asked
  bool is_native() const;                   // whatever the size
  void begin_call() {
    waiting = counted = clocked = nullptr;
    timed = nullptr;
  }

  std::shared_ptr<const Plan> plan;
  std::vector<std::unique_ptr<Choice>> choices;  // by the place of the answer; made when used
  std::int64_t touched_from = 1;
  int early_calls = 0;
  bool was_early = false;     // the call that was counted last
  Choice* waiting = nullptr;  // what that call waited for
  Choice* counted = nullptr;  // whose call it was
  Trial* timed = nullptr;     // that call is part of
  Choice* clocked = nullptr;  // that call's time counts for, on rank 0
  SizeAgreement agreement;
};

/// Of the calls before a trial that are part of it. The first is not counted.
inline constexpr int calls_timed_ahead = 4;

/// In the reason of what a trial has shown.
inline constexpr const char* tried_note = "; tried: ";

/// Values of the info keys suiro_alltoall and so on, by the place of the collective in the table;
/// empty: none.
using Hints = std::vector<std::string>;

class Communicator {
 public:
  Communicator(MPI_Comm communicator, Hints hints);

  /// Native whatever the size, and nobody watches: the only thing that the fast path reads. False
  /// as long as nothing is decided.
  bool untouched(std::size_t collective) const { return (untouched_ >> collective & 1) != 0; }

  /// Decides for every size, once for each collective that is called.
  void plan(const Collective& collective);

  /// Messages of fewer bytes are native, and nobody watches. At least 1: nothing is native.
  std::int64_t touched_from(const Collective& collective) const {
    return plan_of(collective).touched_from;
  }

  /// For what has one size on all ranks. While there is no twin, the first small calls are native:
  /// a program that makes many communicators for a call or two each pays for nothing. A call that
  /// MPI refuses is taken back. `uneven`: the size is a mean, and says little.
  Choice& choose_and_count(const Collective& collective, std::int64_t bytes, bool uneven);

  /// For blocks of unequal sizes that not all ranks know: every call is told to agree_on_size(),
  /// which returns the code of an MPI error; then choose() goes by agreed_bytes(), which is empty
  /// as long as nothing is known.
  int agree_on_size(const Collective& collective, const UserBuffer& send,
                    const UserBuffer& receive);
  std::optional<std::int64_t> agreed_bytes(const Collective& collective) const;
  Choice& choose(const Collective& collective);

  /// The call that was counted last has not been made after all: the other ranks know nothing of
  /// it.
  void take_back(const Collective& collective);

  /// Whether the call that was chosen for last wants to be timed; then note_time() tells.
  bool is_timed(const Collective& collective) const {
    const PlanInUse& plan = plan_of(collective);
    return plan.clocked != nullptr || (plan.timed != nullptr && plan.timed->is_timed());
  }
  void note_time(const Collective& collective, double seconds) const;

  /// The code of MPI's error where a type of this rank's is not committed.
  int error_of_types(const Operation& operation) const;

  /// Makes what a choice that is not native needs for this call; the first time, all ranks make the
  /// twin. Why that is impossible, the same on all ranks, or empty: then run() must follow.
  std::string prepare(const Collective& collective, Choice& choice, const Operation& operation);

  /// What was prepared.
  Ending run(const Collective& collective, Choice& choice, const Operation& operation);

  /// Makes now what the first call would wait for, if any call may need it. All ranks call it.
  void prepare_twin();

  int ranks() const { return ranks_; }
  int rank() const { return rank_; }
  int first_world_rank() const { return first_world_rank_; }
  const std::string& shape() const { return shape_; }
  MPI_Comm user() const { return user_; }
  /// None with processes that this job did not start with.
  const Topology* topology() const { return topology_.get(); }

  /// Before the user's communicator goes: nothing of suiro's is under way or left on it. Ranks wait
  /// for each other there if something is open.
  bool is_open() const;
  void release();

 private:
  /// Until the job ends.
  bool lasts() const { return user_ == MPI_COMM_WORLD; }
  PlanInUse& plan_of(const Collective& collective) const { return *plans_[index_of(collective)]; }
  static void leave_small_untouched(PlanInUse& plan);
  Choice& choose(const Collective& collective, std::int64_t bytes);
  struct Told {
    Decision decision;
    bool is_ready = true;  // rank 0
  };
  Told told_prediction(const Collective& collective, Choice& choice) const;
  bool prepare(const Collective& collective, Choice& choice) const;
  Decision decision_of_rank_0(const Collective& collective, const Choice& choice) const;
  static void take_over(Choice& choice, std::int64_t bytes);
  void ask_later(const Collective& collective, PlanInUse& plan, Choice& choice);
  void wait_a_call(const Collective& collective, PlanInUse& plan, Choice& choice);
  void time_if_soon(const Collective& collective, Choice& choice) const;
  void predict(const Collective& collective, PlanInUse& plan, Choice& choice);
  void ask_next(const Collective& collective, Choice& choice, std::int64_t bytes) const;
  void ask_again_later(const Collective& collective, PlanInUse& plan, Choice& choice,
                       std::int64_t bytes);
  void ask_again(const Collective& collective, const PlanInUse& plan, Choice& choice) const;
  Choice& turn_in_trial(const Collective& collective, PlanInUse& plan, Choice& choice);
  void turn_to_rival(const Collective& collective, PlanInUse& plan, Choice& choice);
  void conclude_challenge(const Collective& collective, Choice& choice) const;
  bool is_judged(Choice::Contest& contest);
  void conclude(const Collective& collective, PlanInUse& plan, Choice& choice);
  bool may_run_anything();
  Workspace& workspace_for(const Collective& collective, Choice& choice,
                           const Operation& operation) const;
  RuleTable table_for(const Collective& collective) const;
  bool goes_over_net(const Collective& collective, const Choice& choice) const {
    return twin_.has_net() && !joins_unequal(collective, choice);
  }
  std::int64_t memory_at_stake(const Collective& collective, const Operation& operation,
                               std::optional<std::size_t> slot) const;
  void ask_for_nothing(Choice& choice);
  static void release(Choice& choice);

  MPI_Comm user_;
  Twin twin_;
  int spoiled_code_ = MPI_SUCCESS;  // once set, what every run returns
  int ranks_ = 0;
  int rank_ = 0;
  int first_world_rank_ = 0;
  std::string shape_;
  std::string obstacle_;  // why only native is possible, or empty
  std::shared_ptr<const Topology> topology_;
  Hints hints_;
  std::vector<std::unique_ptr<PlanInUse>>
      plans_;                    // by the place of the collective; made when called
  std::uint64_t untouched_ = 0;  // bits, likewise
};

}  // namespace suiro::mpi
