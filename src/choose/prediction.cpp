// SPDX-License-Identifier: BSD-3-Clause
#include "choose/prediction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "choose/margins.hpp"
#include "choose/native_courses.hpp"
#include "choose/rivals.hpp"
#include "choose/sample.hpp"
#include "choose/shown.hpp"

namespace suiro {

namespace {

/// Native's time over a candidate's, on all possible networks.
struct Gain {
  double product = 1;  // in which more than twice as fast counts as that
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  std::vector<double> seconds = {};  // on each network, the last first
  bool is_there = false;             // or it may be slower on one by too much
};

/// A candidate, and what is known of it.
struct Runner {
  explicit Runner(Course its) : course(std::move(its)) {}
  Course course;
  Candidate candidate = {};
  Gain gain = {};
};

}  // namespace

class Prediction::State {
 public:
  State(const Surroundings& surroundings, const Collective& collective, const Topology& topology,
        std::int64_t bytes, std::int64_t moves, double shown_s)
      : surroundings_(surroundings),
        collective_(collective),
        asked_(topology),
        topology_(sample(collective, topology)),
        networks_(possible_networks(surroundings, topology_)),
        stage_{surroundings, collective, topology_, networks_, bytes},
        native_(networks_.size()),
        shown_s_(shown_s),
        moves_(moves),
        moves_left_(moves) {}

  void begin_native();
  bool advance(std::int64_t moves);
  Ranking ranking() const;
  bool has_begun_well() const;
  bool is_over() const {
    return moves_left_ <= 0 || (at_ == order_.size() && (!of_native_ || !knows_native()));
  }

 private:
  bool knows_native() const {
    return std::ranges::all_of(native_, [](const Foretold& its) { return its.is_known(); });
  }
  bool play_on(std::int64_t& moves);
  bool explain_native();
  void cut_for_shown_links();
  void begin_rivals();
  void begin(const Candidate& candidate);
  void put_in_order();
  double limit_s(std::size_t network) const;
  bool take(Runner& runner, std::size_t network, const Foretold& its);
  double sure_tolerance() const { return native_known_ ? margins.tolerance : 1 / margins.gain_min; }
  bool tries() const { return surroundings_.are_tried(collective_); }
  double each(double factor) const;
  bool departs_with_reason(const Runner& one, const Runner& chosen) const;
  double worth_of(const Runner& one) const;
  bool is_better(const Runner& one, const Runner& best) const;
  template <class Listed>
  const Runner* best_of(const Listed& is_listed, double worth, double least) const;
  Decision told(const Runner& one, const char* how) const;
  Decision as_is_sure(const Runner& one) const;
  std::vector<Rival> rivals() const;

  const Surroundings& surroundings_;
  const Collective& collective_;
  const Topology asked_;
  const Topology topology_;  // on which schedules are played
  std::vector<Network> networks_;
  Stage stage_;
  std::vector<Foretold> native_;  // on each network
  std::string native_said_;
  bool native_known_ = true;
  bool of_native_ = true;  // what is played now
  bool all_played_ = true;
  bool has_winner_ = false;  // others may only be its rivals
  const double shown_s_;     // that native takes, or 0
  int links_changed_ = 0;    // so many times
  struct {
    std::vector<Network> networks;
    std::vector<Foretold> native;
    std::string said;
  } told_;                    // before that
  const std::int64_t moves_;  // for all
  std::int64_t moves_left_;
  std::vector<Runner> runners_;
  std::vector<std::size_t> order_;  // of runners, as they are played
  std::size_t at_ = 0;              // in that order
};

void Prediction::State::begin(const Candidate& candidate) {
  runners_.push_back(Runner(course_of(candidate, stage_)));
  runners_.back().candidate = candidate;
}

/// What takes few steps is played first: it limits the others, and the last are perhaps not played.
/// Of about as many, usual values come before others.
void Prediction::State::put_in_order() {
  order_.resize(runners_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::ranges::stable_sort(order_, {}, [&](std::size_t i) {
    return std::pair(runners_[i].course.class_of_steps(), runners_[i].candidate.parameters.size());
  });
  at_ = 0;
}

bool Prediction::State::advance(std::int64_t moves) {
  while (moves > 0 && moves_left_ > 0) {
    const std::int64_t given = std::min(moves, moves_left_);
    std::int64_t left = given;
    const bool goes_on = play_on(left);
    moves -= given - left;
    moves_left_ -= given - left;
    if (!goes_on) return true;
  }
  return moves_left_ <= 0;
}

/// On one network, or as long as moves are left. False when nothing is left to play. What is in the
/// books leaves the half to those that are held against it.
bool Prediction::State::play_on(std::int64_t& moves) {
  const bool is_enough = of_native_ && !native_known_ && knows_native() && moves_left_ < moves_ / 2;
  if (is_enough && at_ < order_.size()) {
    all_played_ = false;
    at_ = order_.size();
  }
  if (at_ == order_.size()) {
    if (of_native_ && !knows_native()) return false;
    if (of_native_ && !explain_native()) return true;
    if (of_native_) begin_rivals();
    return at_ < order_.size();
  }
  Runner& runner = runners_[order_[at_]];
  const std::size_t network = runner.course.networks_left() - 1;
  const bool is_too_long = !runner.course.has_begun() && runner.course.steps() > moves_left_;
  if (is_too_long) {
    all_played_ = false;
  } else {
    const std::optional<Foretold> its = runner.course.advance(limit_s(network), moves);
    if (!its) return true;
    if (take(runner, network, *its) && network > 0) return true;
  }
  runner.course.stop();
  ++at_;
  has_winner_ = has_winner_ || has_begun_well();
  return true;
}

/// False: native is to be played on other links first, since these do not explain what it takes.
/// In the end only those are left on which it comes near that, or all as they were told.
bool Prediction::State::explain_native() {
  constexpr int changes_max = 3;
  if (shown_s_ <= 0 || !native_known_) return true;
  const auto explained =
      std::ranges::count_if(native_, [&](const Foretold& its) { return explains(its, shown_s_); });
  if (links_changed_ == 0 && explained > 0) return true;
  if (links_changed_ == changes_max || explained == std::ssize(native_)) {
    if (explained > 0) {
      cut_for_shown_links();
      leave_out_what_does_not_explain(networks_, native_, shown_s_);
    } else {
      networks_ = told_.networks;
      native_ = told_.native;
      native_said_ = told_.said;
    }
    return true;
  }
  if (links_changed_++ == 0) told_ = {networks_, native_, native_said_};
  networks_ = with_other_links(std::move(networks_), native_, shown_s_);
  native_.assign(networks_.size(), {});
  runners_.clear();
  moves_left_ = moves_;
  begin_native();
  native_said_ += ", with links as its calls show them";
  return false;
}

/// On the first network on which that explains native, as one schedule runs whatever it is.
void Prediction::State::cut_for_shown_links() {
  const auto first =
      std::ranges::find_if(native_, [&](const Foretold& its) { return explains(its, shown_s_); });
  const auto network = static_cast<std::size_t>(first - native_.begin());
  const double times = networks_[network].link_Bps / told_.networks[network].link_Bps;
  stage_.link_Bps = std::llround(times * surroundings_.link.Bps);
}

double Prediction::State::limit_s(std::size_t network) const {
  const double trial_loss = has_winner_ ? margins.rival_loss : margins.trial_loss;
  const double loss = tries() ? trial_loss : sure_tolerance();
  return native_[network].seconds * (of_native_ ? 1 : loss);
}

/// False: that is enough to know.
bool Prediction::State::take(Runner& runner, std::size_t network, const Foretold& its) {
  Foretold& natives = native_[network];
  if (of_native_) {
    if (its.seconds < natives.seconds) natives = its;
    return true;
  }
  const bool is_told = collective_.reduces && !tries();
  const bool doubtful = is_told && !runner.candidate.algorithm->in_shared_memory;
  const double bearable = doubtful ? 1 / margins.work : margins.work;
  const bool toils = its.by_processors && its.worked_s > bearable * natives.worked_s;
  const double faster = natives.seconds / its.seconds;
  const bool is_vague = doubtful && its.by_turns && faster < margins.turns;
  if (its.seconds > limit_s(network) || ((toils || is_vague) && native_known_)) return false;
  Gain& gain = runner.gain;
  gain.product *= std::min(faster, margins.gain_max);
  gain.least = std::min(gain.least, faster);
  gain.most = std::max(gain.most, faster);
  gain.seconds.push_back(its.seconds);
  gain.is_there = network == 0;
  return true;
}

void Prediction::State::begin_native() {
  NativeCourses native = native_courses(stage_, asked_);
  for (NativeCourses::Played& played : native.played) {
    runners_.push_back(Runner(std::move(played.course)));
    runners_.back().candidate = std::move(played.candidate);
  }
  native_known_ = native.known;
  native_said_ = std::move(native.said);
  put_in_order();
}

void Prediction::State::begin_rivals() {
  of_native_ = false;
  runners_.clear();
  for (const Candidate& candidate : suiro::rivals(stage_, native_)) begin(candidate);
  std::erase_if(runners_, [](const Runner& runner) {
    const auto piece_bytes = static_cast<std::int64_t>(runner.course.block_bytes());
    return shared_bytes(runner.course.schedule(), piece_bytes) > shared_bytes_max;
  });
  put_in_order();
}

/// Of the same algorithm, with other values: `one` is faster than `chosen`, and by more than the
/// model's doubt for each value that is not the usual one.
bool Prediction::State::departs_with_reason(const Runner& one, const Runner& chosen) const {
  const auto departures = [](const Runner& its) {
    return static_cast<double>(its.candidate.parameters.size());
  };
  const double more = departures(one) - departures(chosen);
  double faster = 1;
  double asked = 1;
  for (std::size_t i = 0; i < networks_.size(); ++i) {
    const double ratio = chosen.gain.seconds[i] / one.gain.seconds[i];
    faster *= std::clamp(ratio, 1 / margins.gain_max, margins.gain_max);
    asked *= 1 + more * (margins.departing - 1);
  }
  return faster > asked;
}

/// `factor` on each network.
double Prediction::State::each(double factor) const {
  double product = 1;
  for (std::size_t i = 0; i < networks_.size(); ++i) product *= factor;
  return product;
}

double Prediction::State::worth_of(const Runner& one) const {
  return one.gain.product /
         (joins(collective_, *one.candidate.algorithm) ? each(margins.joining) : 1);
}

bool Prediction::State::is_better(const Runner& one, const Runner& best) const {
  if (one.candidate.algorithm == best.candidate.algorithm) return departs_with_reason(one, best);
  const double worth = worth_of(one);
  const double best_worth = worth_of(best);
  return worth > best_worth || (worth == best_worth && one.gain.least > best.gain.least);
}

Decision Prediction::State::told(const Runner& one, const char* how) const {
  char text[96];
  std::snprintf(text, sizeof text, "%s: %.3g ms or more, %.2f to %.2f times as fast as ", how,
                1e3 * one.gain.seconds.back(), one.gain.least, one.gain.most);
  return {.algorithm = std::string(one.candidate.algorithm->name),
          .parameters = one.candidate.parameters,
          .reason = text + native_said_,
          .unasked = true,
          .link_Bps = stage_.link_Bps};
}

/// What is not sure is to be tried.
Decision Prediction::State::as_is_sure(const Runner& one) const {
  const bool is_sure = one.gain.least >= 1 / sure_tolerance();
  if (is_sure && worth_of(one) > each(margins.gain_min)) return told(one, "predicted");
  Decision decision = told(one, "perhaps");
  decision.tried_after = std::max(1, calls_before_trial(1 / one.gain.least));
  return decision;
}

std::vector<Rival> Prediction::State::rivals() const {
  std::vector<Rival> all;
  for (const Runner& one : runners_) {
    if (one.gain.is_there) all.push_back({as_is_sure(one), one.gain.seconds});
  }
  return all;
}

/// Of those that are not listed, are worth more, and on no network less fast than `least`.
template <class Listed>
const Runner* Prediction::State::best_of(const Listed& is_listed, double worth,
                                         double least) const {
  const Runner* best = nullptr;
  for (const Runner& one : runners_) {
    if (!one.gain.is_there || one.gain.least < least || is_listed(one.candidate)) continue;
    if (best != nullptr ? is_better(one, *best) : worth_of(one) > worth) best = &one;
  }
  return best;
}

/// What is not sure is left to a trial, where there is one. Each algorithm stands there once.
Ranking Prediction::State::ranking() const {
  if (of_native_) {
    return {.none = native("ignorance: it takes too long to foretell " + native_said_)};
  }
  Ranking ranking;
  std::vector<const Runner*> listed;
  const double sure = 1 / sure_tolerance();
  const double bearable = 1 / margins.trial_loss;
  const auto is_listed = [&](const Candidate& one) {
    return std::ranges::any_of(
        listed, [&](const Runner* its) { return its->candidate.algorithm == one.algorithm; });
  };
  const auto list_all = [&](std::vector<Decision>& list, double worth, double least) {
    while (const Runner* best = best_of(is_listed, worth, least)) {
      list.push_back(as_is_sure(*best));
      listed.push_back(best);
    }
  };
  list_all(ranking.ordered, each(margins.gain_min), sure);
  list_all(ranking.ordered, each(margins.gain_min), bearable);
  if (tries()) list_all(ranking.rest, each(bearable), bearable);
  if (tries()) ranking.rivals = rivals();
  const bool all = all_played_ && at_ == order_.size();
  const std::string_view what = all ? "nothing" : not_all_foretold;
  if (native_known_) ranking.native = native_;
  ranking.none = native("predicted: " + std::string(what) + " surely beats " + native_said_);
  return ranking;
}

/// With which values it is best, trials of rivals tell.
bool Prediction::State::has_begun_well() const {
  if (!tries() || of_native_) return false;
  const auto none = [](const Candidate&) { return false; };
  return best_of(none, each(margins.gain_min), 1 / sure_tolerance()) != nullptr;
}

Prediction::Prediction(const Surroundings& surroundings, const Collective& collective,
                       const Topology& topology, std::int64_t bytes, std::int64_t moves,
                       double shown_s)
    : state_(std::make_unique<State>(surroundings, collective, topology, bytes, moves, shown_s)) {
  state_->begin_native();
}

Prediction::~Prediction() = default;

bool Prediction::advance(std::int64_t moves) { return state_->advance(moves); }

Ranking Prediction::ranking() const { return state_->ranking(); }

bool Prediction::is_over() const { return state_->is_over(); }

bool Prediction::has_begun_well() const { return state_->has_begun_well(); }

}  // namespace suiro
