// SPDX-License-Identifier: BSD-3-Clause
// Proves rows of the catalog on all small shapes, or one printed schedule.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <future>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "tools/schedules.hpp"

namespace suiro::tools {

namespace {

using Json = nlohmann::ordered_json;

constexpr int ranks_default = 33;
constexpr int ranks_maximum = 128;

Json document_of(const CatalogProof& proof) {
  Json failures = Json::array();
  for (const ShapeFinding& failure : proof.failures) failures.push_back(json_of(failure));
  Json properties = Json::array();
  for (const PropertyProof& property : proof.properties) properties.push_back(json_of(property));
  return {{"collective", proof.algorithm->collective},
          {"algorithm", proof.algorithm->name},
          {"ok", proof.ok()},
          {"schedules", proof.schedules},
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

/// Shown while the proofs go on, which is on all cores at once.
class Progress {
 public:
  explicit Progress(std::size_t steps) : steps_(steps) {}
  ~Progress() {
    if (terminal_) std::fputs("\r\033[K", stderr);
  }
  void step() {
    const std::size_t done = ++done_;
    if (terminal_) std::fprintf(stderr, "\r\033[Kproving, %zu %%", 100 * done / steps_);
  }

 private:
  bool terminal_ = isatty(STDERR_FILENO) != 0;
  std::size_t steps_;
  std::atomic<std::size_t> done_ = 0;
};

CatalogProof prove_up_to(const Algorithm& algorithm, int ranks_wanted, Progress& progress) {
  CatalogProof proof = begin_proof(algorithm);
  for (int ranks = 1; ranks <= ranks_wanted; ++ranks) {
    prove(proof, ranks);
    progress.step();
  }
  return proof;
}

std::vector<CatalogProof> prove_all(std::span<const Algorithm> algorithms, int ranks_wanted) {
  Progress progress(algorithms.size() * static_cast<std::size_t>(ranks_wanted));
  std::vector<std::future<CatalogProof>> running;
  running.reserve(algorithms.size());
  for (const Algorithm& algorithm : algorithms) {
    running.push_back(std::async(std::launch::async, [&algorithm, ranks_wanted, &progress] {
      return prove_up_to(algorithm, ranks_wanted, progress);
    }));
  }
  std::vector<CatalogProof> proofs;
  proofs.reserve(running.size());
  for (std::future<CatalogProof>& proof : running) proofs.push_back(proof.get());
  return proofs;
}

int verify_catalog(std::span<const Algorithm> algorithms, int ranks_wanted, bool json) {
  bool ok = true;
  Json list = Json::array();
  for (const CatalogProof& proof : prove_all(algorithms, ranks_wanted)) {
    ok = ok && proof.ok();
    if (json) {
      list.push_back(document_of(proof));
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
  if (ok && properties.empty()) {
    std::puts("  no `nodes` line says where ranks are, so no property of nodes was looked at");
  }
}

int verify_file(const std::string& path, bool json) {
  const Schedule schedule = read_schedule(path);
  const std::vector<Violation> violations = verify(schedule);
  std::vector<PropertyProof> properties;
  if (violations.empty() && !schedule.node_of_rank.empty()) {
    properties = prove_properties(schedule, Topology::from_nodes(schedule.node_of_rank));
  }
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
  if (what && find_named(*what) == nullptr && find_collective(*what) == nullptr) {
    if (ranks) throw UsageError("--max-ranks is for the catalog; a file has its own ranks");
    return verify_file(*what, json);
  }
  return verify_catalog(find_rows(what), static_cast<int>(ranks.value_or(ranks_default)), json);
}

}  // namespace suiro::tools
