// SPDX-License-Identifier: BSD-3-Clause
#include "verify/catalog_proof.hpp"

#include <algorithm>
#include <set>

#include "verify/shapes.hpp"

namespace suiro {

namespace {

// Uneven placements of more ranks than this are proven with the fallbacks only: twice the ranks
// take four times the time, and show nothing more of what a parameter does.
constexpr int all_variants_ranks = 16;

// Failures beyond this many per algorithm say nothing new.
constexpr std::size_t failures_maximum = 16;

/// The fallbacks, and each parameter at small values and at its edges while the others keep theirs.
std::set<Parameters> variants(const Algorithm& algorithm) {
  const Parameters fallbacks = complete(algorithm, {});
  std::set<Parameters> result{fallbacks};
  for (const ParameterSpec& spec : algorithm.parameters) {
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
  for (const auto& [name, value] : schedule.parameters) {
    text += ", " + name + " " + std::to_string(value);
  }
  return text;
}

void fail(CatalogProof& proof, const Schedule& schedule, Violation violation) {
  if (proof.failures.size() >= failures_maximum) return;
  proof.failures.push_back({described(schedule), std::move(violation)});
}

std::string text_of(const Cost& cost) {
  return std::to_string(cost.rounds) + " rounds, " + std::to_string(cost.wire_blocks) +
         " blocks on the wire, " + std::to_string(cost.scratch) + " of scratch";
}

void check_cost(CatalogProof& proof, const Schedule& schedule, const Topology& topology) {
  const Cost stated = proof.algorithm->cost(topology, schedule.parameters);
  const Cost counted = count_cost(schedule, topology);
  if (stated == counted) return;
  fail(proof, schedule,
       {.text = "states a cost of " + text_of(stated) + ", but has " + text_of(counted)});
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
    entry.counterexample = ShapeFinding{described(schedule), std::move(*found)};
  }
}

void prove_schedule(CatalogProof& proof, const Topology& topology, const Parameters& parameters) {
  const Schedule schedule = build(*proof.algorithm, topology, parameters);
  ++proof.schedules;
  std::vector<Violation> violations = verify(schedule);
  if (!violations.empty()) {
    fail(proof, schedule, std::move(violations.front()));
    return;  // the other checks rely on sound steps
  }
  check_cost(proof, schedule, topology);
  check_properties(proof, schedule, topology);
}

}  // namespace

CatalogProof begin_proof(const Algorithm& algorithm) {
  CatalogProof proof;
  proof.algorithm = &algorithm;
  for (const Property property : every_property) {
    proof.properties.push_back({property, declares(algorithm, property), std::nullopt});
  }
  return proof;
}

void prove(CatalogProof& proof, int ranks) {
  const std::set<Parameters> all = variants(*proof.algorithm);
  const std::set<Parameters> fallbacks = {complete(*proof.algorithm, {})};
  for (const Topology& topology : shapes(ranks)) {
    const bool many = ranks > all_variants_ranks && !topology.even();
    for (const Parameters& parameters : many ? fallbacks : all) {
      prove_schedule(proof, topology, parameters);
    }
  }
}

}  // namespace suiro
