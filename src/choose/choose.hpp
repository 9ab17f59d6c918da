// SPDX-License-Identifier: BSD-3-Clause
// What takes least time here? The MPI's own algorithm and those of the catalog are estimated on
// every network that this may be, and native runs unless something is surely faster.
//
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "choose/native.hpp"
#include "choose/possible_networks.hpp"
#include "choose/prediction.hpp"
#include "rules/rules.hpp"

namespace suiro {

/// Sizes of a class are all answered for the power of two that is among them.
struct SizeClass {
  std::int64_t first = 0;  // bytes
  std::int64_t last = 0;
  std::int64_t middle = 0;
};
SizeClass size_class(std::int64_t bytes);

/// How the reason for native begins where the model could not tell.
inline constexpr std::string_view failed_prediction = "ignorance: the prediction failed: ";

/// Whether other communicators of its nodes may talk at once.
bool has_neighbours(const Topology& topology);

/// May be called by several threads at once.
class Chooser {
 public:
  /// `rules` need no prediction; of several the first that matches.
  explicit Chooser(Surroundings surroundings, RuleTable rules = {});

  /// Below, next to nothing goes through the busiest link, and no messages inside nodes are saved.
  std::int64_t least_bytes(const Collective& collective, const Topology& topology) const;

  /// Why native runs and nothing is predicted; empty where something is. `bytes` is empty as long
  /// as ranks have not agreed on a size.
  std::string_view refusal(const Collective& collective, const Topology& topology,
                           std::optional<std::int64_t> bytes) const;

  /// For the middle of the class of `bytes`: what calls have shown, what earlier jobs have, what a
  /// rule says, what is foretold. Kept, so that the same placement is asked but once. Takes as many
  /// moves as moves() say, or what prepare() has left of them; none where that has found something
  /// to try. `takes_long_shots`: a trial is worth what is not foretold to be faster, before native
  /// is left alone.
  Decision choose(const Collective& collective, const Topology& topology, std::int64_t bytes,
                  bool takes_long_shots = false);

  /// So many moves of what choose() takes. True when nothing is left to prepare, or something to
  /// try is found; then prepare_challenger() goes on.
  bool prepare(const Collective& collective, const Topology& topology, std::int64_t bytes,
               std::int64_t moves);

  /// What may be faster than `champion`, which has beaten native: another algorithm, or the same
  /// with other values of its parameters; nothing where all of that was refuted, or is foretold to
  /// be much slower than native. What loses no more than `may_lose` calls of the champion's comes
  /// first. prepare_challenger() as prepare().
  std::optional<Decision> challenger(const Collective& collective, const Topology& topology,
                                     std::int64_t bytes, const Decision& champion,
                                     double may_lose = 0);
  bool prepare_challenger(const Collective& collective, const Topology& topology,
                          std::int64_t bytes, std::int64_t moves);

  /// What calls have shown for that class: the decision is right; its algorithm is slower than
  /// native, so that the next answer is another one; or it is slower, with these values, than what
  /// is learnt.
  void learn(const Collective& collective, const Topology& topology, std::int64_t bytes,
             Decision decision);
  void refute(const Collective& collective, const Topology& topology, std::int64_t bytes,
              std::string algorithm);

  void beat(const Collective& collective, const Topology& topology, std::int64_t bytes,
            Decision loser);

  /// So many seconds native takes there. Where the model is far from it, it foretells anew.
  void show_native(const Collective& collective, const Topology& topology, std::int64_t bytes,
                   double seconds);

  /// What this job's calls have shown for that class may no longer be so.
  void forget(const Collective& collective, const Topology& topology, std::int64_t bytes);

  /// What earlier jobs have shown for that class, where ranks are on these nodes, and no neighbours
  /// talk at once. What was faster is the answer, until it is refuted; what was slower is none.
  struct Lesson {
    std::optional<Decision> faster;
    std::vector<std::string> slower = {};
  };
  void recall(const Collective& collective, std::int64_t bytes, std::vector<int> node_of_rank,
              Lesson lesson);

  /// The collectives and size classes of which something faster was recalled, whatever the
  /// placement. All ranks expect() what the rank that predicts has recalled.
  using Recalled = std::array<std::uint64_t, 64>;  // by collective, a bit for each class
  Recalled recalled();
  void expect(const Recalled& known) { expected_ = known; }
  bool is_expected(const Collective& collective, std::int64_t bytes) const;

  /// Whether an answer needs no prediction.
  bool is_known(const Collective& collective, const Topology& topology, std::int64_t bytes);

  /// About how many seconds an answer takes that is not kept, all calls together: those of a
  /// prediction, or none where there is a rule.
  double price_s(const Collective& collective, const Topology& topology, std::int64_t bytes) const;
  double prediction_s(const Collective& collective, const Topology& topology,
                      std::int64_t bytes) const;

  /// Of the model, that an answer may take.
  std::int64_t moves(const Collective& collective, const Topology& topology,
                     std::int64_t bytes) const;

 private:
  /// Collective, middle of the size class, and the places: nodes of ranks, then all that is known
  /// of the nodes. Ranks ask in different orders, so what one keeps must be what others find.
  using Key = std::tuple<std::size_t, std::int64_t, std::vector<int>>;
  static Key key_of(const Collective& collective, const Topology& topology, std::int64_t bytes);

  /// Of this placement, in earlier jobs; nullptr if there is none.
  const Lesson* lesson_of(const Topology& topology, const Key& key) const;
  std::vector<std::string> slower(const Topology& topology, const Key& key) const;
  std::optional<Decision> rule_for(const Collective& collective, const Topology& topology,
                                   std::int64_t bytes) const;
  bool may_run(const Collective& collective, const Decision& decision) const;
  std::optional<Decision> known(const Collective& collective, const Topology& topology,
                                const Key& key) const;
  enum class Until : std::uint8_t { something_to_try, the_end };
  bool advance(const Collective& collective, const Topology& topology, const Key& key,
               std::int64_t moves, Until until);
  void foretell_anew(const Key& key);
  Ranking ranking(const Collective& collective, const Topology& topology, const Key& key);
  Prediction& begin(const Collective& collective, const Topology& topology, const Key& key);
  const Ranking& predict(const Collective& collective, const Topology& topology, const Key& key);

  Surroundings surroundings_;
  RuleTable rules_;
  std::vector<char> shares_memory_;  // by collective: whether an algorithm does that may run
  std::mutex mutex_;
  std::map<Key, Ranking> kept_;
  std::map<Key, Decision> learnt_;
  std::map<Key, std::vector<std::string>> refuted_;
  std::map<Key, Lesson> lessons_;                // by nodes of ranks alone
  std::map<Key, std::vector<Decision>> beaten_;  // by what is learnt
  Recalled expected_{};
  std::map<Key, double> shown_;  // that native takes, s
  std::map<Key, std::unique_ptr<Prediction>> begun_;
};

}  // namespace suiro
