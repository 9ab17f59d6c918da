// SPDX-License-Identifier: BSD-3-Clause
#include "choose/prediction.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <utility>

#include "choose/margins.hpp"
#include "choose/native.hpp"
#include "choose/residual.hpp"
#include "choose/trial.hpp"
#include "model/estimate.hpp"
#include "rules/candidates.hpp"

namespace suiro {

Topology sample(const Collective& collective, const Topology& topology) {
  constexpr int ranks_enough = 64;
  constexpr int nodes_least = 4;
  const int kept = std::max(nodes_least, ranks_enough / topology.max_ppn());
  if (collective.bytes != Measure::per_pair || topology.nodes() <= kept) return topology;
  std::vector<char> is_kept(topology.nodes());
  for (int i = 0; i < kept; ++i) is_kept[std::int64_t{i} * topology.nodes() / kept] = 1;
  std::vector<int> node_of_rank;
  std::vector<int> site_of_node;
  std::vector<int> links_of_node;
  std::vector<int> neighbours_of_node;
  for (int rank = 0; rank < topology.ranks(); ++rank) {
    const int node = topology.node(rank);
    if (is_kept[node] == 0) continue;
    node_of_rank.push_back(node);
    if (topology.local(rank) > 0) continue;
    site_of_node.push_back(topology.site(node));
    links_of_node.push_back(topology.links(node));
    neighbours_of_node.push_back(topology.neighbours(node));
  }
  return Topology::from_nodes(node_of_rank, site_of_node, links_of_node, neighbours_of_node);
}

namespace {

struct Candidate {
  const Algorithm* algorithm = nullptr;
  Parameters parameters;
};

/// A candidate, ready to be played on any network.
struct Play {
  Schedule schedule;
  double block_bytes = 0;
  double residual = 1;
};

/// On one network. `worked_s` is of all processors; `by_processors`: what they have to do takes
/// twice as long as all else.
struct Foretold {
  double seconds = std::numeric_limits<double>::infinity();
  double worked_s = 0;
  bool by_processors = false;
};

/// On several networks. A play on one may have shown what would come of it on another.
struct Played {
  std::size_t network = 0;
  double limit_s = 0;
  Ports ports = Ports::flooded;
  Foretold its;
};

/// Native's time over a candidate's, on all possible networks.
struct Gain {
  double product = 1;  // in which more than twice as fast counts as that
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  std::vector<double> seconds = {};  // on each network, the last first
  bool is_there = false;             // or it may be slower on one by too much
};

/// The best of some candidates.
struct Best {
  Gain gain;
  double worth = 0;
  const Candidate* candidate = nullptr;
};

class Prediction {
 public:
  Prediction(const Surroundings& surroundings, const Collective& collective,
             const Topology& topology, std::int64_t bytes, const std::vector<std::string>& refuted)
      : surroundings_(surroundings),
        refuted_(refuted),
        collective_(collective),
        asked_(topology),
        topology_(sample(collective, topology)),
        bytes_(bytes),
        networks_(possible_networks(surroundings, topology_)) {}

  Decision answer();

 private:
  Play play_of(const Candidate& candidate) const;
  /// Takes infinite time for more than `limit_s`. `played`: the same on other networks.
  Foretold foretell(const Play& play, std::size_t network, double limit_s,
                    std::vector<Played>& played) const;
  std::vector<Candidate> rivals() const;
  bool joins(const Algorithm& algorithm) const {
    return collective_.bytes == Measure::per_pair && !declares(algorithm, Property::direct);
  }
  bool joins_in_vain(const Algorithm& algorithm) const;
  bool may_win(const Algorithm& algorithm) const;
  void estimate_native();
  Candidate unsegmented(const Algorithm& algorithm, Parameters parameters) const;
  std::vector<Candidate> textbook() const;
  Gain gain(const Candidate& candidate) const;
  double sure_tolerance() const { return native_known_ ? margins.tolerance : 1 / margins.gain_min; }
  bool tries() const { return surroundings_.tries && !collective_.reduces; }
  double each(double factor) const;
  bool departs_with_reason(const Candidate& candidate, const Gain& its, const Candidate& chosen,
                           const Gain& best) const;
  void consider(const Candidate& candidate, const Gain& its, Best& best) const;
  Decision told(const Best& best, const char* how) const;

  const Surroundings& surroundings_;
  const std::vector<std::string>& refuted_;
  const Collective& collective_;
  const Topology& asked_;
  Topology topology_;  // on which schedules are played
  std::int64_t bytes_;
  std::vector<Network> networks_;
  std::vector<Foretold> native_;  // on each network
  std::string native_said_;
  bool native_known_ = true;
};

Play Prediction::play_of(const Candidate& candidate) const {
  const std::int64_t bytes = collective_.cut_bytes(bytes_, topology_.ranks());
  const Call call{.topology = topology_, .bytes = bytes, .link = surroundings_.link};
  Play play{.schedule = build(*candidate.algorithm, call, candidate.parameters)};
  const auto pieces = static_cast<double>(collective_.cut() ? play.schedule.pieces : 1);
  play.block_bytes = static_cast<double>(bytes) / pieces;
  play.residual = residual(*candidate.algorithm, bytes_);
  return play;
}

Foretold Prediction::foretell(const Play& play, std::size_t network, double limit_s,
                              std::vector<Played>& played) const {
  const Network& wanted = networks_[network];
  for (const Played& other : played) {
    Network like = networks_[other.network];
    const bool same = same_time(like.kind, wanted.kind, other.ports);
    like.kind = wanted.kind;
    if (!same || like != wanted) continue;
    if (other.its.seconds <= other.limit_s || limit_s <= other.limit_s) return other.its;
  }
  const double played_s = limit_s / play.residual;
  const Estimate found =
      estimate(play.schedule, topology_, wanted, play.block_bytes, nullptr, played_s);
  const Foretold its{play.residual * found.seconds, found.worked_s,
                     found.spent.processors > found.seconds / 2};
  played.push_back({network, limit_s, found.ports, its});
  return its;
}

/// In one segment unless told otherwise, as MPIs run them that nobody has tuned.
Candidate Prediction::unsegmented(const Algorithm& algorithm, Parameters parameters) const {
  const auto takes =
      std::ranges::find(algorithm.parameters, segment_parameter, &ParameterSpec::name);
  if (takes != algorithm.parameters.end()) {
    parameters.try_emplace(std::string(segment_parameter),
                           std::clamp(bytes_, takes->minimum, takes->maximum));
  }
  return {&algorithm, std::move(parameters)};
}

std::vector<Candidate> Prediction::textbook() const {
  std::vector<Candidate> found;
  for (const std::string_view name : candidate_names(collective_.name)) {
    const Algorithm* algorithm = find_candidate(collective_.name, name);
    if (algorithm == nullptr || algorithm->in_shared_memory) continue;
    found.push_back(unsegmented(*algorithm, {}));
  }
  return found;
}

/// What the catalog does not have may be faster than anything that is like it: it is taken for the
/// best that is in the books, as is what an MPI runs that was not read.
void Prediction::estimate_native() {
  const NativeCall call{collective_, asked_, 0, bytes_};
  const auto native = native_of({surroundings_.mpi, surroundings_.release}, call);
  const bool known = native && moves_the_same(*native, call);
  const Algorithm* algorithm =
      known ? find_algorithm(collective_.regular, native->algorithm) : nullptr;
  std::vector<Candidate> alike;
  std::vector<Play> plays;
  if (native && native->tree != RankTree::none) {
    plays.push_back({.schedule = over_ranks(native->tree, topology_.ranks(), collective_),
                     .block_bytes = static_cast<double>(bytes_)});
    native_said_ = "native's " + native->said;
  } else if (algorithm != nullptr) {
    Parameters parameters = native->parameters;
    std::erase_if(parameters, [&](const auto& parameter) {
      return !wrong_parameter(algorithm, parameter.first, parameter.second).empty();
    });
    alike.push_back(unsegmented(*algorithm, std::move(parameters)));
    native_said_ = "native's " + native->said;
  } else {
    alike = textbook();
    native_known_ = false;
    native_said_ = "the best in the books" + (native ? " (native: " + native->said + ")" : "");
  }
  native_.assign(networks_.size(), {});
  for (const Candidate& candidate : alike) plays.push_back(play_of(candidate));
  // A short one limits how far others are played.
  std::ranges::stable_sort(plays, {}, [](const Play& play) { return play.schedule.rounds; });
  for (const Play& play : plays) {
    std::vector<Played> played;
    for (std::size_t i = 0; i < networks_.size(); ++i) {
      const Foretold its = foretell(play, i, native_[i].seconds, played);
      if (its.seconds < native_[i].seconds) native_[i] = its;
    }
  }
}

/// What its busiest link carries takes less time than native on some network.
bool Prediction::may_win(const Algorithm& algorithm) const {
  if (algorithm.cost == nullptr || collective_.cut()) return true;
  const Cost cost = algorithm.cost(topology_, complete(algorithm, {}));
  const double bytes = static_cast<double>(cost.wire_blocks) * static_cast<double>(bytes_);
  for (std::size_t i = 0; i < networks_.size(); ++i) {
    if (bytes / networks_[i].link_Bps > native_[i].seconds) return false;
  }
  return true;
}

bool Prediction::joins_in_vain(const Algorithm& algorithm) const {
  if (!joins(algorithm)) return false;
  const double bytes = static_cast<double>(bytes_);
  return std::ranges::all_of(networks_, [&](const Network& network) {
    return 2 * network.message_s < margins.starts_least * bytes / network.link_Bps;
  });
}

/// Each with its fallbacks, and with all other values that are best somewhere.
std::vector<Candidate> Prediction::rivals() const {
  std::vector<Candidate> found;
  for (const std::string_view name : candidate_names(collective_.name)) {
    const Algorithm* algorithm = find_candidate(collective_.name, name);
    if (algorithm == nullptr || !may_win(*algorithm) || joins_in_vain(*algorithm)) continue;
    if (std::ranges::find(refuted_, name) != refuted_.end()) continue;
    if (algorithm->for_sites && topology_.sites() == 1) continue;
    if (algorithm->in_shared_memory && !surroundings_.node_memory) continue;
    const std::size_t first = found.size();
    found.push_back({algorithm, {}});
    for (const ParameterSpec& spec : algorithm->parameters) {
      const std::size_t end = found.size();
      for (const std::int64_t value : spec.others) {
        for (std::size_t i = first; i < end; ++i) {
          found.push_back(found[i]);
          found.back().parameters.emplace(spec.name, value);
        }
      }
    }
  }
  return found;
}

/// The last networks are the hardest.
Gain Prediction::gain(const Candidate& candidate) const {
  const Play play = play_of(candidate);
  const auto piece_bytes = static_cast<std::int64_t>(play.block_bytes);
  if (shared_bytes(play.schedule, piece_bytes) > shared_bytes_max) return {};
  const bool doubtful = collective_.reduces && !candidate.algorithm->in_shared_memory;
  const double bearable = doubtful ? 1 / margins.work : margins.work;
  Gain gain;
  std::vector<Played> played;
  for (std::size_t i = networks_.size(); i-- > 0;) {
    const double limit_s = native_[i].seconds * (tries() ? margins.trial_loss : sure_tolerance());
    const Foretold its = foretell(play, i, limit_s, played);
    if (its.seconds > limit_s) return {};
    const bool toils = its.by_processors && its.worked_s > bearable * native_[i].worked_s;
    if (toils && native_known_) return {};
    const double faster = native_[i].seconds / its.seconds;
    gain.product *= std::min(faster, margins.gain_max);
    gain.least = std::min(gain.least, faster);
    gain.most = std::max(gain.most, faster);
    gain.seconds.push_back(its.seconds);
  }
  gain.is_there = true;
  return gain;
}

/// Of the same algorithm, with other values: `candidate` is faster than `chosen`, and by more than
/// the model's doubt for each value that is not the usual one.
bool Prediction::departs_with_reason(const Candidate& candidate, const Gain& its,
                                     const Candidate& chosen, const Gain& best) const {
  const auto departures = [](const Candidate& one) {
    return static_cast<double>(one.parameters.size());
  };
  const double more = departures(candidate) - departures(chosen);
  double faster = 1;
  double asked = 1;
  for (std::size_t i = 0; i < its.seconds.size(); ++i) {
    const double ratio = best.seconds[i] / its.seconds[i];
    faster *= std::clamp(ratio, 1 / margins.gain_max, margins.gain_max);
    asked *= 1 + more * (margins.departing - 1);
  }
  return faster > asked;
}

/// `factor` on each network.
double Prediction::each(double factor) const {
  double product = 1;
  for (std::size_t i = 0; i < networks_.size(); ++i) product *= factor;
  return product;
}

void Prediction::consider(const Candidate& candidate, const Gain& its, Best& best) const {
  const double worth = its.product / (joins(*candidate.algorithm) ? each(margins.joining) : 1);
  const bool is_variant =
      best.candidate != nullptr && best.candidate->algorithm == candidate.algorithm;
  const bool better =
      is_variant ? departs_with_reason(candidate, its, *best.candidate, best.gain)
                 : worth > best.worth || (worth == best.worth && its.least > best.gain.least);
  if (better) best = {its, worth, &candidate};
}

Decision Prediction::told(const Best& best, const char* how) const {
  char text[96];
  std::snprintf(text, sizeof text, "%s: %.3g ms or more, %.2f to %.2f times as fast as ", how,
                1e3 * best.gain.seconds.back(), best.gain.least, best.gain.most);
  return {.algorithm = std::string(best.candidate->algorithm->name),
          .parameters = best.candidate->parameters,
          .reason = text + native_said_,
          .unasked = true};
}

/// What is not sure is left to a trial, where there is one.
Decision Prediction::answer() {
  estimate_native();
  const bool has_tried_enough = std::ssize(refuted_) >= margins.trials_max;
  const std::vector<Candidate> all = has_tried_enough ? std::vector<Candidate>{} : rivals();
  Best sure{.gain = {}, .worth = each(margins.gain_min)};
  Best perhaps = sure;
  for (const Candidate& candidate : all) {
    const Gain its = gain(candidate);
    if (!its.is_there) continue;
    consider(candidate, its, its.least >= 1 / sure_tolerance() ? sure : perhaps);
  }
  if (sure.candidate != nullptr && refuted_.empty()) return told(sure, "predicted");
  if (sure.candidate != nullptr) perhaps = sure;  // of a model that was wrong here
  if (perhaps.candidate == nullptr) {
    return native("predicted: nothing surely beats " + native_said_);
  }
  Decision decision = told(perhaps, "perhaps");
  const double loss = Trial::risky_calls * std::max(0.0, 1 / perhaps.gain.least - 1);
  decision.tried_after =
      static_cast<int>(std::max(loss / margins.trial_share, margins.trial_calls_min)) *
      static_cast<int>(1 + margins.trial_patience * std::ssize(refuted_));
  return decision;
}

}  // namespace

Decision predict(const Surroundings& surroundings, const Collective& collective,
                 const Topology& topology, std::int64_t bytes,
                 const std::vector<std::string>& refuted) {
  return Prediction(surroundings, collective, topology, bytes, refuted).answer();
}

}  // namespace suiro
