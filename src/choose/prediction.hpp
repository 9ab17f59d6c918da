// SPDX-License-Identifier: BSD-3-Clause
// What the model foretells of one call: native, what is surely faster on all networks that this may
// be, or, where it may be tried (trial.hpp), what perhaps is.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "choose/challengers.hpp"
#include "choose/course.hpp"
#include "choose/possible_networks.hpp"
#include "collectives/collectives.hpp"
#include "rules/rules.hpp"
#include "topology/topology.hpp"

namespace suiro {

/// How a reason begins where nobody knows, and what it says where some were not played for want of
/// time.
inline constexpr std::string_view ignorance_begins = "ignorance: ";
inline constexpr std::string_view not_all_foretold = "nothing that is soon foretold";

inline Decision native(std::string reason) {
  return {std::string(native_algorithm), {}, std::move(reason)};
}

/// What may run in place of native, what is foretold to be best first.
struct Ranking {
  std::vector<Decision> ordered = {};  // what is sure to be faster, then what perhaps is
  std::vector<Decision> rest = {};  // what is not foretold to be, but not to be much slower either
  Decision none = {};               // native, and why
  std::vector<Foretold> native = {};  // on each network; empty if nobody knows what it runs
  std::vector<Rival> rivals = {};     // to what has won; they have other values of parameters, too
};

/// Schedules are played little by little, as long as whoever asks has the time: first what native
/// runs, then what takes few steps.
class Prediction {
 public:
  /// `moves`: of the model, for all plays together (margins.hpp). `shown_s`: what native takes in
  /// calls, or 0; where the model is far from it, links are taken for slower or faster than they
  /// are told to be. Refers to `surroundings` and `collective`. Throws std::bad_alloc, and
  /// std::exception where a schedule cannot be made.
  Prediction(const Surroundings& surroundings, const Collective& collective,
             const Topology& topology, std::int64_t bytes, std::int64_t moves, double shown_s = 0);
  ~Prediction();

  /// For some moves more. True when nothing is left to play. Throws as the constructor, and where
  /// a schedule cannot be played.
  bool advance(std::int64_t moves);

  /// By what has been played.
  Ranking ranking() const;

  /// Nothing is left to play.
  bool is_over() const;

  /// Whether that has something at its head that calls may try at once: the rest can follow.
  bool has_begun_well() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace suiro
