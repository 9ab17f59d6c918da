// SPDX-License-Identifier: BSD-3-Clause
#include "tools/schedules.hpp"

#include <fstream>
#include <iostream>

#include "rules/rules.hpp"

namespace suiro::tools {

namespace {

constexpr std::size_t file_bytes_maximum = std::size_t{64} << 20;

}  // namespace

std::string read_text(const std::string& path) {
  std::ifstream file;
  if (path != "-") file.open(path, std::ios::binary);
  std::istream& stream = path == "-" ? std::cin : file;
  std::string text;
  char chunk[1 << 16];
  while (stream.read(chunk, sizeof chunk) || stream.gcount() > 0) {
    text.append(chunk, static_cast<std::size_t>(stream.gcount()));
    if (text.size() > file_bytes_maximum) throw UsageError(path + " is larger than 64 MiB");
  }
  if (stream.bad() || (path != "-" && !file.is_open())) {
    throw UsageError("'" + path + "' is not a file that can be read");
  }
  return text;
}

Schedule build_named(const std::string& text, const Call& call) {
  const std::size_t slash = text.find('/');
  const std::string collective = slash == std::string::npos ? "alltoall" : text.substr(0, slash);
  const std::string value = slash == std::string::npos ? text : text.substr(slash + 1);
  const RuleTable forced = RuleTable::forced(collective, value);
  const Algorithm* algorithm = forced.rules().empty()
                                   ? nullptr
                                   : find_algorithm(collective, forced.rules().front().algorithm);
  if (algorithm == nullptr) {
    throw UsageError("'" + text + "' has no schedule" + what_there_is(collective));
  }
  if (call.root != 0 && !find_collective(collective)->rooted) {
    throw UsageError("--root is for collectives that have one, and " + collective + " has none");
  }
  return build(*algorithm, call, forced.rules().front().parameters);
}

double bound_blocks(const Schedule& schedule, const Topology& topology) {
  const Collective& collective = *find_collective(schedule.collective);
  const bool cut = collective.cut();
  return bound_s(collective, topology, cut ? schedule.pieces : 1, 1);
}

Schedule read_schedule(const std::string& path) {
  if (path != "-" && !std::ifstream(path).is_open()) {
    throw UsageError("'" + path + "' is neither a file that can be read nor an algorithm" +
                     what_there_is(path));
  }
  return parse(read_text(path), path);
}

std::vector<PropertyProof> prove_properties(const Schedule& schedule, const Topology& topology) {
  std::vector<PropertyProof> proofs;
  const Algorithm* algorithm = find_algorithm(schedule.collective, schedule.algorithm);
  for (const Property property : every_property) {
    if (!applies(property, *find_collective(schedule.collective))) continue;
    const bool declared = algorithm != nullptr && declares(*algorithm, property);
    PropertyProof proof{property, declared, std::nullopt};
    if (auto found = counterexample(property, schedule, topology)) {
      proof.counterexample = ShapeFinding{schedule.ranks, "this schedule", std::move(*found)};
    }
    proofs.push_back(std::move(proof));
  }
  return proofs;
}

nlohmann::ordered_json json_of(const Violation& violation) {
  return {{"rank", violation.rank},
          {"round", violation.round},
          {"block", violation.block},
          {"text", violation.text},
          {"line", violation.describe()}};
}

nlohmann::ordered_json json_of(const ShapeFinding& finding) {
  nlohmann::ordered_json json = json_of(finding.violation);
  json["schedule"] = finding.schedule;
  return json;
}

nlohmann::ordered_json json_of(const PropertyProof& proof) {
  return {{"name", name(proof.property)},
          {"declared", proof.declared},
          {"holds", !proof.counterexample},
          {"counterexample",
           proof.counterexample ? json_of(*proof.counterexample) : nlohmann::ordered_json()}};
}

}  // namespace suiro::tools
