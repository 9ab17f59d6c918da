// SPDX-License-Identifier: BSD-3-Clause
#include "verify/catalog_proof.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "verify/shapes.hpp"

namespace suiro {

namespace {

// More ranks than this are proven with the fallbacks only where they are placed unevenly, with two
// segments and one root: twice the ranks take four times the time, and show nothing more of what a
// parameter or a root does.
constexpr int all_variants_ranks = 12;

// Up to so many, every root meets every variant.
constexpr int all_pairs_ranks = 5;

// With more ranks than this, three roots stand for all.
constexpr int all_roots_ranks = 9;

// Failures beyond this many per algorithm say nothing new.
constexpr std::size_t failures_maximum = 16;

/// The fallbacks, and each parameter at small values and at its edges while the others keep theirs.
std::set<Parameters> variants(const Algorithm& algorithm) {
  const Parameters fallbacks = complete(algorithm, {});
  std::set<Parameters> result{fallbacks};
  for (const ParameterSpec& spec : algorithm.parameters) {
    if (spec.name == segment_parameter) continue;  // sizes() varies the number of segments
    for (const std::int64_t value :
         {spec.minimum, std::int64_t{1}, std::int64_t{2}, spec.maximum}) {
      Parameters parameters = fallbacks;
      parameters.insert_or_assign(std::string(spec.name),
                                  std::clamp(value, spec.minimum, spec.maximum));
      result.insert(std::move(parameters));
    }
  }
  return result;
}

std::string described(const Schedule& schedule) {
  std::string text = std::to_string(schedule.ranks) + " ranks on nodes";
  for (const int node : schedule.node_of_rank) text += " " + std::to_string(node);
  if (schedule.root != 0) text += ", root " + std::to_string(schedule.root);
  if (schedule.pieces != 1) text += ", " + std::to_string(schedule.pieces) + " pieces";
  for (const auto& [name, value] : schedule.parameters) {
    text += ", " + name + " " + std::to_string(value);
  }
  return text;
}

void fail(CatalogProof& proof, const Schedule& schedule, Violation violation) {
  if (proof.failures.size() >= failures_maximum) return;
  proof.failures.push_back({schedule.ranks, described(schedule), std::move(violation)});
}

std::string text_of_cost(const Cost& cost) {
  return std::to_string(cost.rounds) + " rounds, " + std::to_string(cost.wire_blocks) +
         " blocks on the wire, " + std::to_string(cost.scratch) + " of scratch";
}

void check_cost(CatalogProof& proof, const Schedule& schedule, const Topology& topology) {
  if (proof.algorithm->cost == nullptr) return;
  const Cost stated = proof.algorithm->cost(topology, schedule.parameters);
  const Cost counted = count_cost(schedule, topology);
  if (stated == counted) return;
  fail(proof, schedule,
       {.text = "states a cost of " + text_of_cost(stated) + ", but has " + text_of_cost(counted)});
}

void check_properties(CatalogProof& proof, const Schedule& schedule, const Topology& topology) {
  for (PropertyProof& entry : proof.properties) {
    if (entry.counterexample) continue;
    std::optional<Violation> found = counterexample(entry.property, schedule, topology);
    if (!found) continue;
    if (entry.declared) {
      Violation violation = *found;
      violation.text = "declares " + std::string(name(entry.property)) + ", but " + violation.text;
      fail(proof, schedule, std::move(violation));
    }
    entry.counterexample = ShapeFinding{schedule.ranks, described(schedule), std::move(*found)};
  }
}

/// A parameter may change nothing on a shape: then there is nothing new to prove.
bool is_known(std::vector<Schedule>& proven, Schedule schedule) {
  schedule.parameters.clear();
  const auto same = [&](const Schedule& other) { return equal(other, schedule); };
  if (std::ranges::any_of(proven, same)) return true;
  proven.push_back(std::move(schedule));
  return false;
}

void prove_schedule(CatalogProof& proof, const Call& call, const Parameters& parameters,
                    std::vector<Schedule>& proven) {
  // Every check asks for all rounds, which composed builders take long to make.
  const Schedule schedule = materialise(build(*proof.algorithm, call, parameters));
  if (is_known(proven, schedule)) return;
  ++proof.schedules;
  std::vector<Violation> violations = verify(schedule);
  if (!violations.empty()) {
    fail(proof, schedule, std::move(violations.front()));
    return;  // the other checks rely on sound steps
  }
  check_cost(proof, schedule, call.topology);
  check_properties(proof, schedule, call.topology);
}

/// Every root of few ranks; of more the first, the last, and one within, or that alone.
std::vector<int> roots(const Collective& collective, int ranks) {
  if (!collective.rooted) return {0};
  if (ranks > all_variants_ranks) return {ranks / 2};
  std::vector<int> all{0};
  for (int rank = 1; rank < ranks; ++rank) {
    if (ranks <= all_roots_ranks || rank == ranks / 2 || rank == ranks - 1) all.push_back(rank);
  }
  return all;
}

bool takes_segments(const Algorithm& algorithm) {
  return std::ranges::find(algorithm.parameters, segment_parameter, &ParameterSpec::name) !=
         algorithm.parameters.end();
}

/// Messages whose parts are 1 and 2 segments of a byte, and, of few ranks, one more than may be
/// under way.
std::vector<std::int64_t> sizes(const Algorithm& algorithm, const Topology& topology) {
  if (!takes_segments(algorithm)) return {1};
  constexpr std::int64_t many = 64;
  const auto cut = [&](std::int64_t bytes) {
    return build(algorithm, Call{.topology = topology, .bytes = bytes},
                 {{std::string(segment_parameter), 1}});
  };
  // A segment is of each part, or of the whole message.
  const std::int64_t pieces = cut(1).pieces;
  const std::int64_t parts = cut(2).pieces > pieces ? 1 : pieces;
  if (topology.ranks() > all_variants_ranks) return {2 * parts};
  // Where a window grows with the message, as many segments as that are not needed.
  constexpr std::int64_t window_max = 8;
  const std::int64_t under_way = std::min(cut(many * parts).window, window_max);
  std::vector<std::int64_t> found{parts, 2 * parts, (under_way + 1) * parts};
  // Phases that follow each other at a distance must meet: with fewer segments than the first is
  // ahead of the last, they run one after the other.
  constexpr std::int64_t apart_max = 24;
  const std::int64_t apart = std::min(cut(1).rounds, apart_max);
  if (topology.ranks() <= all_roots_ranks) found.push_back((apart + under_way + 1) * parts);
  return found;
}

void prove_shape(CatalogProof& proof, const Topology& topology,
                 const std::set<Parameters>& variants) {
  const Algorithm& algorithm = *proof.algorithm;
  const Collective& collective = *find_collective(algorithm.collective);
  const std::set<Parameters> fallbacks = {complete(algorithm, {})};
  for (const std::int64_t bytes : sizes(algorithm, topology)) {
    for (const int root : roots(collective, topology.ranks())) {
      std::vector<Schedule> proven;
      // Of many roots one meets every variant, the others the fallbacks.
      const bool all =
          topology.ranks() <= all_pairs_ranks || root == topology.ranks() / 2 || !collective.rooted;
      for (Parameters parameters : all ? variants : fallbacks) {
        if (takes_segments(algorithm)) parameters[std::string(segment_parameter)] = 1;
        prove_schedule(proof, {.topology = topology, .root = root, .bytes = bytes}, parameters,
                       proven);
      }
    }
  }
}

}  // namespace

CatalogProof begin_proof(const Algorithm& algorithm) {
  CatalogProof proof;
  proof.algorithm = &algorithm;
  const Collective& collective = *find_collective(algorithm.collective);
  for (const Property property : every_property) {
    if (!applies(property, collective)) continue;
    proof.properties.push_back({property, declares(algorithm, property), std::nullopt});
  }
  return proof;
}

void add(CatalogProof part, CatalogProof& whole) {
  whole.schedules += part.schedules;
  std::ranges::move(part.failures, std::back_inserter(whole.failures));
  std::ranges::stable_sort(whole.failures, {}, &ShapeFinding::ranks);
  whole.failures.resize(std::min(whole.failures.size(), failures_maximum));
  for (std::size_t i = 0; i < whole.properties.size(); ++i) {
    std::optional<ShapeFinding>& found = part.properties[i].counterexample;
    std::optional<ShapeFinding>& smallest = whole.properties[i].counterexample;
    if (found && (!smallest || found->ranks < smallest->ranks)) smallest = std::move(found);
  }
}

void prove(CatalogProof& proof, int ranks) {
  const std::set<Parameters> all = variants(*proof.algorithm);
  const std::set<Parameters> fallbacks = {complete(*proof.algorithm, {})};
  for (const Topology& topology : shapes(ranks)) {
    const bool many = ranks > all_variants_ranks && !topology.even();
    prove_shape(proof, topology, many ? fallbacks : all);
  }
}

}  // namespace suiro
