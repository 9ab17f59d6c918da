// SPDX-License-Identifier: BSD-3-Clause
// Proves rows of the catalog on all small shapes, or one printed schedule.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tools/arguments.hpp"
#include "verify/catalog_proof.hpp"

namespace suiro::tools {

namespace {

using Json = nlohmann::ordered_json;

constexpr int ranks_default = 33;
constexpr int ranks_maximum = 128;
constexpr std::size_t file_bytes_maximum = std::size_t{64} << 20;

Json json_of(const Violation& violation) {
  return {{"rank", violation.rank},
          {"round", violation.round},
          {"block", violation.block},
          {"text", violation.text},
          {"line", violation.describe()}};
}

Json json_of(const ShapeFinding& finding) {
  Json json = json_of(finding.violation);
  json["schedule"] = finding.schedule;
  return json;
}

Json json_of(const PropertyProof& proof) {
  return {{"name", name(proof.property)},
          {"declared", proof.declared},
          {"holds", !proof.counterexample},
          {"counterexample", proof.counterexample ? json_of(*proof.counterexample) : Json()}};
}

Json json_of(const CatalogProof& proof) {
  Json failures = Json::array();
  for (const ShapeFinding& failure : proof.failures) failures.push_back(json_of(failure));
  Json properties = Json::array();
  for (const PropertyProof& property : proof.properties) properties.push_back(json_of(property));
  return {{"collective", proof.algorithm->collective},
          {"algorithm", proof.algorithm->name},
          {"ok", proof.ok()},
          {"schedules", proof.schedules},
          {"unsupported_shapes", proof.unsupported},
          {"failures", failures},
          {"properties", properties}};
}

void print_plain(const CatalogProof& proof) {
  std::printf("%s  %s/%s  %lld schedules\n", proof.ok() ? "proven" : "FAILED",
              std::string(proof.algorithm->collective).c_str(),
              std::string(proof.algorithm->name).c_str(), static_cast<long long>(proof.schedules));
  for (const ShapeFinding& failure : proof.failures) {
    std::printf("  %s: %s\n", failure.schedule.c_str(), failure.violation.describe().c_str());
  }
  for (const PropertyProof& property : proof.properties) {
    const std::string text = property.counterexample
                                 ? "does not hold, " + property.counterexample->schedule + ": " +
                                       property.counterexample->violation.describe()
                                 : "holds";
    std::printf("  %s: %s\n", std::string(name(property.property)).c_str(), text.c_str());
  }
}

CatalogProof prove_up_to(const Algorithm& algorithm, int ranks_wanted) {
  const bool terminal = isatty(STDERR_FILENO) != 0;
  CatalogProof proof = begin_proof(algorithm);
  for (int ranks = 1; ranks <= ranks_wanted; ++ranks) {
    if (terminal) {
      std::fprintf(stderr, "\r\033[Kproving %s, %d of %d ranks",
                   std::string(algorithm.name).c_str(), ranks, ranks_wanted);
    }
    prove(proof, ranks);
  }
  if (terminal) std::fputs("\r\033[K", stderr);
  return proof;
}

int verify_catalog(const Algorithm* only, int ranks_wanted, bool json) {
  bool ok = true;
  Json list = Json::array();
  for (const Algorithm& algorithm : catalog()) {
    if (only != nullptr && &algorithm != only) continue;
    const CatalogProof proof = prove_up_to(algorithm, ranks_wanted);
    ok = ok && proof.ok();
    if (json) {
      list.push_back(json_of(proof));
    } else {
      print_plain(proof);
    }
  }
  if (json) {
    const Json document = {{"ok", ok}, {"max_ranks", ranks_wanted}, {"algorithms", list}};
    std::puts(document.dump(2).c_str());
  }
  return ok ? 0 : 1;
}

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
  if (path != "-" && !file.is_open()) {
    throw UsageError("'" + path +
                     "' is neither a file that can be read nor an algorithm; there are " +
                     algorithm_names());
  }
  return text;
}

/// The declared properties that the schedule must have, if it says which algorithm it is and where
/// its ranks are.
std::vector<PropertyProof> prove_properties(const Schedule& schedule) {
  std::vector<PropertyProof> proofs;
  if (schedule.node_of_rank.empty()) return proofs;
  const Topology topology = Topology::from_nodes(schedule.node_of_rank);
  const Algorithm* algorithm = find_algorithm(schedule.collective, schedule.algorithm);
  for (const Property property : {Property::one_peer_per_node_per_round}) {
    const bool declared =
        algorithm != nullptr &&
        std::ranges::find(algorithm->properties, property) != algorithm->properties.end();
    PropertyProof proof{property, declared, std::nullopt};
    if (auto found = counterexample(property, schedule, topology)) {
      proof.counterexample = ShapeFinding{"this schedule", std::move(*found)};
    }
    proofs.push_back(std::move(proof));
  }
  return proofs;
}

void print_file_result(bool ok, const std::string& path, const std::vector<Violation>& violations,
                       const std::vector<PropertyProof>& properties) {
  std::printf("%s  %s\n", ok ? "proven" : "FAILED", path.c_str());
  for (const Violation& violation : violations) {
    std::printf("  %s\n", violation.describe().c_str());
  }
  for (const PropertyProof& property : properties) {
    const std::string text = property.counterexample
                                 ? "does not hold: " + property.counterexample->violation.describe()
                                 : "holds";
    std::printf("  %s: %s\n", std::string(name(property.property)).c_str(), text.c_str());
  }
}

int verify_file(const std::string& path, bool json) {
  const Schedule schedule = parse(read_text(path), path);
  const std::vector<Violation> violations = verify(schedule);
  std::vector<PropertyProof> properties;
  if (violations.empty()) properties = prove_properties(schedule);
  const bool ok =
      violations.empty() && std::ranges::none_of(properties, [](const PropertyProof& property) {
        return property.declared && property.counterexample;
      });
  if (!json) {
    print_file_result(ok, path, violations, properties);
    return ok ? 0 : 1;
  }
  Json violations_list = Json::array();
  for (const Violation& violation : violations) violations_list.push_back(json_of(violation));
  Json properties_list = Json::array();
  for (const PropertyProof& property : properties) properties_list.push_back(json_of(property));
  const Json document = {
      {"ok", ok}, {"file", path}, {"violations", violations_list}, {"properties", properties_list}};
  std::puts(document.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
  return ok ? 0 : 1;
}

}  // namespace

int verify_command(Arguments arguments) {
  const bool json = arguments.take_flag("--json");
  const auto ranks = arguments.take_number("--max-ranks", 1, ranks_maximum);
  const std::optional<std::string> what = arguments.take_positional();
  arguments.expect_none_left();
  const Algorithm* only = what ? find_named(*what) : nullptr;
  if (what && only == nullptr) {
    if (ranks) throw UsageError("--max-ranks is for the catalog; a file has its own ranks");
    return verify_file(*what, json);
  }
  return verify_catalog(only, static_cast<int>(ranks.value_or(ranks_default)), json);
}

}  // namespace suiro::tools
