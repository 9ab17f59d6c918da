// SPDX-License-Identifier: BSD-3-Clause
#include "choose/choose.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <exception>
#include <new>

#include "model/estimate.hpp"
#include "rules/candidates.hpp"

namespace suiro {
namespace {

/// What is not time of bytes on links (starts of messages, ways, copies) may take so many times
/// what the model says: hosts are busy, and TCP has habits that the model leaves out.
constexpr double pessimism = 3;
/// So much slower than native nobody notices.
constexpr double tolerance = 1.01;
/// Less is not worth a word, nor the risk.
constexpr double gain_min = 1.1;
/// One kind of network alone does not decide for all.
constexpr double gain_max = 2;

/// Above, an answer takes longer than anyone would wait for it.
constexpr std::int64_t messages_max = 1 << 18;

Decision native(std::string reason) {
  return {std::string(native_algorithm), {}, std::move(reason)};
}

struct Candidate {
  const Algorithm* algorithm = nullptr;
  Parameters parameters;
};

class Prediction {
 public:
  Prediction(const Surroundings& surroundings, const Collective& collective,
             const Topology& topology, std::int64_t bytes)
      : surroundings_(surroundings),
        collective_(collective),
        topology_(topology),
        bytes_(bytes),
        networks_(possible_networks(surroundings, topology)) {}

  Decision answer();

 private:
  double seconds(const Candidate& candidate, const Network& network) const;
  std::vector<Candidate> rivals() const;
  bool may_win(const Algorithm& algorithm) const;
  void estimate_native();
  Candidate unsegmented(const Algorithm& algorithm, Parameters parameters) const;
  std::vector<Candidate> textbook() const;
  double gain(const Candidate& candidate) const;
  double bound(const Network& network) const {
    return bound_s(collective_, topology_, bytes_, network.link_Bps);
  }

  const Surroundings& surroundings_;
  const Collective& collective_;
  const Topology& topology_;
  std::int64_t bytes_;
  std::vector<Network> networks_;
  std::vector<double> native_s_;  // on each network
  std::string native_said_;
};

double Prediction::seconds(const Candidate& candidate, const Network& network) const {
  const std::int64_t bytes = collective_.cut_bytes(bytes_, topology_.ranks());
  const Call call{.topology = topology_, .bytes = bytes, .link = surroundings_.link};
  const Schedule schedule = build(*candidate.algorithm, call, candidate.parameters);
  const auto pieces = static_cast<double>(collective_.cut() ? schedule.pieces : 1);
  return estimate(schedule, topology_, network, static_cast<double>(bytes) / pieces).seconds;
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
    if (algorithm != nullptr) found.push_back(unsegmented(*algorithm, {}));
  }
  return found;
}

/// What the catalog does not have may be faster than anything that is like it: it is taken for the
/// best that is in the books, as is what an MPI runs that was not read.
void Prediction::estimate_native() {
  const NativeCall call{collective_, topology_, 0, bytes_};
  const auto native = native_of({surroundings_.mpi, surroundings_.release}, call);
  const bool known = native && moves_the_same(*native, call);
  const Algorithm* algorithm =
      known ? find_algorithm(collective_.regular, native->algorithm) : nullptr;
  std::vector<Candidate> alike;
  if (algorithm != nullptr) {
    Parameters parameters = native->parameters;
    std::erase_if(parameters, [&](const auto& parameter) {
      return !wrong_parameter(algorithm, parameter.first, parameter.second).empty();
    });
    alike.push_back(unsegmented(*algorithm, std::move(parameters)));
    native_said_ = "native's " + native->said;
  } else {
    alike = textbook();
    native_said_ = "the best in the books" + (native ? " (native: " + native->said + ")" : "");
  }
  for (const Network& network : networks_) {
    double least = seconds(alike.front(), network);
    for (std::size_t i = 1; i < alike.size(); ++i) {
      least = std::min(least, seconds(alike[i], network));
    }
    native_s_.push_back(least);
  }
}

/// What its busiest link carries takes less time than native on some network.
bool Prediction::may_win(const Algorithm& algorithm) const {
  if (algorithm.cost == nullptr || collective_.cut()) return true;
  const Cost cost = algorithm.cost(topology_, complete(algorithm, {}));
  const double bytes = static_cast<double>(cost.wire_blocks) * static_cast<double>(bytes_);
  for (std::size_t i = 0; i < networks_.size(); ++i) {
    if (bytes / networks_[i].link_Bps > native_s_[i]) return false;
  }
  return true;
}

std::vector<Candidate> Prediction::rivals() const {
  std::vector<Candidate> found;
  for (const std::string_view name : candidate_names(collective_.name)) {
    const Algorithm* algorithm = find_candidate(collective_.name, name);
    if (algorithm == nullptr || !may_win(*algorithm)) continue;
    const bool for_sites = std::ranges::find(algorithm->parameters, wan_flows_parameter,
                                             &ParameterSpec::name) != algorithm->parameters.end();
    if (for_sites && topology_.sites() == 1) continue;
    found.push_back({algorithm, {}});
  }
  return found;
}

/// The product of what it gains on every network; 0 where it may be slower on one.
double Prediction::gain(const Candidate& candidate) const {
  double product = 1;
  for (std::size_t i = 0; i < networks_.size(); ++i) {
    const double takes_s = seconds(candidate, networks_[i]);
    const double at_worst_s = takes_s + ((pessimism - 1) * (takes_s - bound(networks_[i])));
    if (at_worst_s > native_s_[i] * tolerance) return 0;
    product *= std::min(native_s_[i] / takes_s, gain_max);
  }
  return product;
}

Decision Prediction::answer() {
  estimate_native();
  double best = 1;
  for (std::size_t i = 0; i < networks_.size(); ++i) best *= gain_min;
  const Candidate* chosen = nullptr;
  const std::vector<Candidate> all = rivals();
  for (const Candidate& candidate : all) {
    const double its = gain(candidate);
    if (its <= best) continue;
    best = its;
    chosen = &candidate;
  }
  if (chosen == nullptr) return native("predicted: nothing surely beats " + native_said_);
  const double takes_s = seconds(*chosen, networks_.front());
  char text[96];
  std::snprintf(text, sizeof text, "predicted: %.3g ms, %.3gx as fast as ", 1e3 * takes_s,
                native_s_.front() / takes_s);
  return {std::string(chosen->algorithm->name), chosen->parameters, text + native_said_, true};
}

}  // namespace

std::vector<Network> possible_networks(const Surroundings& surroundings, const Topology& topology) {
  if (surroundings.network) return {*surroundings.network};
  if (topology.sites() > 1) return {};
  constexpr double fast_Bps = 100 * 125e6;  // 100 Gbit/s
  std::vector<double> rates = {surroundings.link.Bps};
  if (!surroundings.rate_known) rates.push_back(fast_Bps);
  std::vector<Network> found;
  for (const double rate : rates) {
    for (const SwitchKind kind : {SwitchKind::voq, SwitchKind::hol, SwitchKind::shared}) {
      found.push_back({.kind = kind,
                       .link_Bps = rate,
                       .message_s = surroundings.link.startup_s,
                       .latency_s = surroundings.link.startup_s});
    }
  }
  return found;
}

/// From three quarters of the power of two to below one and a half of it.
SizeClass size_class(std::int64_t bytes) {
  if (bytes < 3) return {bytes, bytes, bytes};
  std::int64_t middle = std::int64_t{1} << (std::bit_width(static_cast<std::uint64_t>(bytes)) - 1);
  if (bytes >= middle + (middle / 2)) middle *= 2;
  return {middle - (middle / 4), middle + (middle / 2) - 1, middle};
}

std::int64_t least_bytes(const Collective& collective, const Topology& topology) {
  constexpr double through_port = 2048;  // a frame or two: what counts is the way there
  const double share = collective.busiest_link(topology);
  if (share <= 0) return INT64_MAX;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(through_port / share));
}

double Chooser::price_s(const Collective& collective, const Topology& topology) const {
  constexpr double message_s = 1e-6;
  constexpr double answers = 10;
  const double ranks = topology.ranks();
  const double messages = collective.bytes == Measure::per_pair ? ranks * ranks : ranks * 32;
  return message_s * answers * messages *
         static_cast<double>(possible_networks(surroundings_, topology).size());
}

std::string_view Chooser::refusal(const Collective& collective, const Topology& topology,
                                  std::optional<std::int64_t> bytes) const {
  if (collective.sizes == Sizes::at_root) return "ignorance: only the root knows sizes";
  if (topology.sites() > 1 && !surroundings_.network) {
    return "ignorance: nobody told how far the sites are from each other";
  }
  const std::int64_t ranks = topology.ranks();
  if ((collective.bytes == Measure::per_pair ? ranks * ranks : ranks * 64) > messages_max) {
    return "ignorance: too many ranks for a prediction";
  }
  if (!bytes) return "ignorance: no size, no prediction";
  if (*bytes < least_bytes(collective, topology)) return "ignorance: too few bytes to tell";
  return "";
}

Decision Chooser::choose(const Collective& collective, const Topology& topology,
                         std::int64_t bytes) {
  const std::string_view why_not = refusal(collective, topology, bytes);
  if (!why_not.empty()) return native(std::string(why_not));
  const SizeClass sizes = size_class(bytes);
  std::vector<int> places;
  places.reserve(static_cast<std::size_t>(topology.ranks()) +
                 static_cast<std::size_t>(topology.nodes()));
  for (int rank = 0; rank < topology.ranks(); ++rank) places.push_back(topology.node(rank));
  for (int node = 0; node < topology.nodes(); ++node) places.push_back(topology.site(node));
  Key key{index_of(collective), sizes.middle, std::move(places)};
  const std::scoped_lock lock(mutex_);
  const auto found = kept_.find(key);
  if (found != kept_.end()) return found->second;
  return kept_.emplace(std::move(key), predict(collective, topology, sizes.middle)).first->second;
}

/// What goes wrong goes wrong alike on all ranks, but for a lack of memory: one rank alone must not
/// run something else, so that ends the job, as it does elsewhere.
Decision Chooser::predict(const Collective& collective, const Topology& topology,
                          std::int64_t bytes) const {
  try {
    return Prediction(surroundings_, collective, topology, bytes).answer();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return native(std::string(failed_prediction) + error.what());
  }
}

}  // namespace suiro
