// SPDX-License-Identifier: BSD-3-Clause
// What is held against native, or against what has beaten it, and after how many calls.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "algorithms/catalog.hpp"
#include "collectives/collectives.hpp"
#include "rules/rules.hpp"

namespace suiro {

/// What may be held against what has won.
struct Rival {
  Decision decision;
  std::vector<double> seconds;  // as it is foretold on each network
};

/// The same algorithm with the same values.
bool has_same_values(const Collective& collective, const Decision& foretold, const Decision& other);

/// And messages are cut for about the same rate of links, if they are. `link`: as it is told.
bool is_same(const Collective& collective, const Link& link, const Decision& foretold,
             const Decision& other);

/// What may be so many times as slow loses little of so many calls in the first ones of its trial.
int calls_before_trial(double slower);

/// Of those that may run, what is foretold to take least on all networks taken together. If there
/// are such, its first calls lose no more than `may_lose` calls of what has won: `champion`,
/// nullptr where nothing was foretold of it. Nothing if none may run.
std::optional<Decision> challenger_of(const Rival* champion, const std::vector<Rival>& rivals,
                                      double may_lose,
                                      const std::function<bool(const Decision&)>& may_run);

}  // namespace suiro
