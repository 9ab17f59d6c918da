// SPDX-License-Identifier: BSD-3-Clause
#include "choose/choose.hpp"

#include <algorithm>
#include <bit>
#include <exception>
#include <limits>
#include <new>

#include "choose/challengers.hpp"
#include "choose/effort.hpp"
#include "choose/margins.hpp"
#include "choose/shown.hpp"
#include "rules/candidates.hpp"

namespace suiro {
namespace {

bool is_among(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

/// The first that is not among the losers; nullptr if there is none.
const Decision* next_of(const std::vector<Decision>& some, const std::vector<std::string>& lost) {
  const auto next = std::ranges::find_if(
      some, [&](const Decision& one) { return !is_among(lost, one.algorithm); });
  return next != some.end() ? &*next : nullptr;
}

/// Middles of size classes are powers of two, or 0.
std::uint64_t bit_of(std::int64_t middle) {
  return std::uint64_t{1} << std::bit_width(static_cast<std::uint64_t>(middle));
}

constexpr std::string_view too_many = "ignorance: too many ranks for a prediction";

/// What saves messages pays for messages of any size.
bool shares_memory(const Collective& collective) {
  return std::ranges::any_of(candidate_names(collective.name), [&](std::string_view name) {
    const Algorithm* algorithm = find_candidate(collective.name, name);
    return algorithm != nullptr && algorithm->in_shared_memory;
  });
}

}  // namespace

/// From three quarters of the power of two to below one and a half of it.
SizeClass size_class(std::int64_t bytes) {
  if (bytes < 3) return {bytes, bytes, bytes};
  std::int64_t middle = std::int64_t{1} << (std::bit_width(static_cast<std::uint64_t>(bytes)) - 1);
  if (bytes >= middle + (middle / 2)) middle *= 2;
  return {middle - (middle / 4), middle + (middle / 2) - 1, middle};
}

Chooser::Chooser(Surroundings surroundings, RuleTable rules)
    : surroundings_(std::move(surroundings)), rules_(std::move(rules)) {
  for (const Collective& collective : collectives()) {
    shares_memory_.push_back(surroundings_.node_memory && shares_memory(collective) ? 1 : 0);
  }
}

std::int64_t Chooser::least_bytes(const Collective& collective, const Topology& topology) const {
  constexpr double through_port = 2048;  // a frame or two: what counts is the way there
  const double share = collective.busiest_link(topology);
  if (shares_memory_[index_of(collective)] != 0) return share > 0 ? 1 : 0;
  if (share <= 0) return INT64_MAX;
  // Of all-to-all even the least blocks are many messages, and their starts are what counts.
  if (collective.bytes == Measure::per_pair) return 1;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(through_port / share));
}

double Chooser::price_s(const Collective& collective, const Topology& topology,
                        std::int64_t bytes) const {
  const bool ruled = rule_for(collective, topology, size_class(bytes).middle).has_value();
  return ruled ? 0 : prediction_s(collective, topology, bytes);
}

double Chooser::prediction_s(const Collective& collective, const Topology& topology,
                             std::int64_t bytes) const {
  return answer_s(surroundings_, collective, topology, size_class(bytes).middle);
}

std::int64_t Chooser::moves(const Collective& collective, const Topology& topology,
                            std::int64_t bytes) const {
  return moves_for(surroundings_, collective, topology, size_class(bytes).middle);
}

std::string_view Chooser::refusal(const Collective& collective, const Topology& topology,
                                  std::optional<std::int64_t> bytes) const {
  if (collective.sizes == Sizes::at_root) return "ignorance: only the root knows sizes";
  if (bytes && rule_for(collective, topology, size_class(*bytes).middle)) return "";
  if (are_too_many(collective, topology)) return too_many;
  if (!bytes) return "ignorance: no size, no prediction";
  if (*bytes < least_bytes(collective, topology)) return "ignorance: too few bytes to tell";
  return "";
}

Chooser::Key Chooser::key_of(const Collective& collective, const Topology& topology,
                             std::int64_t bytes) {
  std::vector<int> places;
  places.reserve(static_cast<std::size_t>(topology.ranks()) +
                 3 * static_cast<std::size_t>(topology.nodes()));
  for (int rank = 0; rank < topology.ranks(); ++rank) places.push_back(topology.node(rank));
  for (int node = 0; node < topology.nodes(); ++node) {
    places.insert(places.end(),
                  {topology.site(node), topology.links(node), topology.neighbours(node)});
  }
  return {index_of(collective), size_class(bytes).middle, std::move(places)};
}

std::optional<Decision> Chooser::rule_for(const Collective& collective, const Topology& topology,
                                          std::int64_t bytes) const {
  return rules_.decide({collective.name, topology, bytes});
}

Decision Chooser::choose(const Collective& collective, const Topology& topology, std::int64_t bytes,
                         bool takes_long_shots) {
  const std::string_view why_not = refusal(collective, topology, bytes);
  if (!why_not.empty()) return native(std::string(why_not));
  const Key key = key_of(collective, topology, bytes);
  const std::scoped_lock lock(mutex_);
  if (auto decision = known(collective, topology, key)) return *decision;
  if (are_too_many(collective, topology)) return native(std::string(too_many));
  const Ranking ranking = this->ranking(collective, topology, key);
  const std::vector<std::string> lost = slower(topology, key);
  const Decision* next = next_of(ranking.ordered, lost);
  if (next == nullptr && takes_long_shots) next = next_of(ranking.rest, lost);
  Decision decision = ranking.none;
  if (next != nullptr && std::ssize(lost) < margins.trials_max) {
    decision = *next;
    if (!lost.empty()) decision.tried_after = std::max(decision.tried_after, 1);
  }
  if (const Lesson* const lesson = lesson_of(topology, key)) {
    for (const std::string& name : lesson->slower) {
      decision.reason += "; slower in earlier jobs: " + name;
    }
  }
  return decision;
}

std::optional<Decision> Chooser::challenger(const Collective& collective, const Topology& topology,
                                            std::int64_t bytes, const Decision& champion,
                                            double may_lose) {
  const Key key = key_of(collective, topology, bytes);
  const std::scoped_lock lock(mutex_);
  if (are_too_many(collective, topology)) return std::nullopt;
  const std::vector<std::string> lost = slower(topology, key);
  const std::vector<Decision>& beaten = beaten_[key];
  if (std::ssize(beaten) >= margins.challenges_max) return std::nullopt;
  const std::vector<Rival>& rivals = predict(collective, topology, key).rivals;
  const auto its = std::ranges::find_if(rivals, [&](const Rival& one) {
    return has_same_values(collective, one.decision, champion);
  });
  const Link& link = surroundings_.link;
  const auto may_run = [&](const Decision& one) {
    return !is_same(collective, link, one, champion) && !is_among(lost, one.algorithm) &&
           std::ranges::none_of(beaten, [&](const Decision& loser) {
             return is_same(collective, link, one, loser);
           });
  };
  return challenger_of(its != rivals.end() ? &*its : nullptr, rivals, may_lose, may_run);
}

bool has_neighbours(const Topology& topology) {
  for (int node = 0; node < topology.nodes(); ++node) {
    if (topology.neighbours(node) > 0) return true;
  }
  return false;
}

const Chooser::Lesson* Chooser::lesson_of(const Topology& topology, const Key& key) const {
  if (has_neighbours(topology)) return nullptr;
  const auto& [index, middle, places] = key;
  const auto found =
      lessons_.find({index, middle, {places.begin(), places.begin() + topology.ranks()}});
  return found != lessons_.end() ? &found->second : nullptr;
}

/// By this job's calls, and by those of earlier ones.
std::vector<std::string> Chooser::slower(const Topology& topology, const Key& key) const {
  std::vector<std::string> all;
  if (const auto found = refuted_.find(key); found != refuted_.end()) all = found->second;
  if (const Lesson* const lesson = lesson_of(topology, key)) {
    all.insert(all.end(), lesson->slower.begin(), lesson->slower.end());
  }
  return all;
}

/// What a job of this cluster had may not be had in another, whose ranks find each other's memory
/// no more.
bool Chooser::may_run(const Collective& collective, const Decision& decision) const {
  const Algorithm* const found = find_candidate(collective.name, decision.algorithm);
  return found == nullptr || !found->in_shared_memory || surroundings_.node_memory;
}

/// Without a prediction.
std::optional<Decision> Chooser::known(const Collective& collective, const Topology& topology,
                                       const Key& key) const {
  if (const auto learnt = learnt_.find(key); learnt != learnt_.end()) return learnt->second;
  const std::vector<std::string> lost = slower(topology, key);
  const Lesson* const lesson = lesson_of(topology, key);
  if (lesson != nullptr && lesson->faster && !is_among(lost, lesson->faster->algorithm) &&
      may_run(collective, *lesson->faster)) {
    return lesson->faster;
  }
  auto rule = rule_for(collective, topology, std::get<std::int64_t>(key));
  return rule && !is_among(lost, rule->algorithm) ? rule : std::nullopt;
}

/// What plays on what has been prepared. Those that are never played to their end keep memory.
Prediction& Chooser::begin(const Collective& collective, const Topology& topology, const Key& key) {
  constexpr std::size_t begun_max = 16;
  const auto found = begun_.find(key);
  if (found != begun_.end()) return *found->second;
  if (begun_.size() == begun_max) begun_.erase(begun_.begin());
  const auto bytes = std::get<std::int64_t>(key);
  const auto shown = shown_.find(key);
  auto prediction = std::make_unique<Prediction>(surroundings_, collective, topology, bytes,
                                                 moves(collective, topology, bytes),
                                                 shown != shown_.end() ? shown->second : 0);
  return *begun_.emplace(key, std::move(prediction)).first->second;
}

bool Chooser::advance(const Collective& collective, const Topology& topology, const Key& key,
                      std::int64_t moves, Until until) {
  constexpr std::int64_t between_looks = 5000;
  if (kept_.contains(key)) return true;
  try {
    Prediction& prediction = begin(collective, topology, key);
    const bool may_be_early = until == Until::something_to_try && slower(topology, key).empty();
    const auto is_ready = [&] {
      return prediction.is_over() || (may_be_early && prediction.has_begun_well());
    };
    for (; !is_ready() && moves > 0; moves -= between_looks) {
      prediction.advance(std::min(moves, between_looks));
    }
    return is_ready();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    begun_.erase(key);
    return true;  // who asks meets it again, and tells
  }
}

bool Chooser::prepare(const Collective& collective, const Topology& topology, std::int64_t bytes,
                      std::int64_t moves) {
  if (!refusal(collective, topology, bytes).empty()) return true;
  const Key key = key_of(collective, topology, bytes);
  const std::scoped_lock lock(mutex_);
  return known(collective, topology, key) || are_too_many(collective, topology) ||
         advance(collective, topology, key, moves, Until::something_to_try);
}

bool Chooser::prepare_challenger(const Collective& collective, const Topology& topology,
                                 std::int64_t bytes, std::int64_t moves) {
  if (are_too_many(collective, topology)) return true;
  const std::scoped_lock lock(mutex_);
  return advance(collective, topology, key_of(collective, topology, bytes), moves, Until::the_end);
}

void Chooser::recall(const Collective& collective, std::int64_t bytes,
                     std::vector<int> node_of_rank, Lesson lesson) {
  const std::scoped_lock lock(mutex_);
  lessons_.insert_or_assign(
      {index_of(collective), size_class(bytes).middle, std::move(node_of_rank)}, std::move(lesson));
}

Chooser::Recalled Chooser::recalled() {
  const std::scoped_lock lock(mutex_);
  Recalled found{};
  for (const auto& [key, lesson] : lessons_) {
    const auto& [collective, middle, places] = key;
    if (lesson.faster) found[collective] |= bit_of(middle);
  }
  return found;
}

bool Chooser::is_expected(const Collective& collective, std::int64_t bytes) const {
  return (expected_[index_of(collective)] & bit_of(size_class(bytes).middle)) != 0;
}

bool Chooser::is_known(const Collective& collective, const Topology& topology, std::int64_t bytes) {
  const std::scoped_lock lock(mutex_);
  const Key key = key_of(collective, topology, bytes);
  return kept_.contains(key) || known(collective, topology, key);
}

void Chooser::learn(const Collective& collective, const Topology& topology, std::int64_t bytes,
                    Decision decision) {
  const std::scoped_lock lock(mutex_);
  learnt_.insert_or_assign(key_of(collective, topology, bytes), std::move(decision));
}

void Chooser::refute(const Collective& collective, const Topology& topology, std::int64_t bytes,
                     std::string algorithm) {
  const std::scoped_lock lock(mutex_);
  const Key key = key_of(collective, topology, bytes);
  const auto learnt = learnt_.find(key);
  if (learnt != learnt_.end() && learnt->second.algorithm == algorithm) {
    learnt_.erase(learnt);
    beaten_.erase(key);
  }
  std::vector<std::string>& refuted = refuted_[key];
  if (!is_among(refuted, algorithm)) refuted.push_back(std::move(algorithm));
}

void Chooser::beat(const Collective& collective, const Topology& topology, std::int64_t bytes,
                   Decision loser) {
  const std::scoped_lock lock(mutex_);
  std::vector<Decision>& beaten = beaten_[key_of(collective, topology, bytes)];
  const bool is_known = std::ranges::any_of(beaten, [&](const Decision& its) {
    return is_same(collective, surroundings_.link, its, loser);
  });
  if (!is_known) beaten.push_back(std::move(loser));  // other communicators tell it, too
}

void Chooser::show_native(const Collective& collective, const Topology& topology,
                          std::int64_t bytes, double seconds) {
  const std::scoped_lock lock(mutex_);
  const Key key = key_of(collective, topology, bytes);
  const auto kept = kept_.find(key);
  const auto begun = begun_.find(key);
  const auto shown = shown_.find(key);
  if (kept != kept_.end() || begun != begun_.end()) {
    const std::vector<Foretold> native =
        kept != kept_.end() ? kept->second.native : begun->second->ranking().native;
    if (native.empty() || is_explained(native, seconds)) return;
    if (shown != shown_.end() && is_near(shown->second, seconds)) return;  // nothing explains it
    foretell_anew(key);
  }
  shown_.insert_or_assign(key, seconds);
}

void Chooser::foretell_anew(const Key& key) {
  kept_.erase(key);
  begun_.erase(key);
}

void Chooser::forget(const Collective& collective, const Topology& topology, std::int64_t bytes) {
  const std::scoped_lock lock(mutex_);
  const Key key = key_of(collective, topology, bytes);
  if (learnt_.contains(key)) return;  // since, on another communicator
  refuted_.erase(key);
  if (shown_.erase(key) > 0) foretell_anew(key);
}

/// As far as it was prepared, where that has found something to try. After a loser all is played:
/// few are tried, and these are to be the best.
Ranking Chooser::ranking(const Collective& collective, const Topology& topology, const Key& key) {
  const auto begun = begun_.find(key);
  const bool is_enough =
      begun != begun_.end() && slower(topology, key).empty() && begun->second->has_begun_well();
  return is_enough ? begun->second->ranking() : predict(collective, topology, key);
}

/// Where it fails, native is all that there is. A lack of memory is the caller's to tell.
const Ranking& Chooser::predict(const Collective& collective, const Topology& topology,
                                const Key& key) {
  constexpr std::size_t kept_max = 256;  // of a program that places ranks ever anew
  const auto found = kept_.find(key);
  if (found != kept_.end()) return found->second;
  Ranking ranking;
  try {
    Prediction& prediction = begin(collective, topology, key);
    prediction.advance(std::numeric_limits<std::int64_t>::max());
    ranking = prediction.ranking();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    ranking.none = native(std::string(failed_prediction) + error.what());
  }
  begun_.erase(key);
  if (kept_.size() == kept_max) kept_.erase(kept_.begin());
  return kept_.emplace(key, std::move(ranking)).first->second;
}

}  // namespace suiro
