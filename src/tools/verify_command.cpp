// SPDX-License-Identifier: BSD-3-Clause
// Proves rows of the catalog on all small shapes, or one printed schedule.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <future>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>
#include <thread>
#include <utility>
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

/// Proofs of rows of the catalog for all numbers of ranks, small ones first, each by whichever core
/// is free: some rows take a hundred times as long as others.
class Proving {
 public:
  Proving(std::span<const Algorithm> algorithms, int ranks_wanted)
      : ranks_wanted_(ranks_wanted),
        progress_(algorithms.size() * static_cast<std::size_t>(ranks_wanted)) {
    for (const Algorithm& algorithm : algorithms) proofs_.push_back(begin_proof(algorithm));
  }

  std::vector<CatalogProof> on_all_cores() {
    std::vector<std::future<void>> workers(std::max(1U, std::thread::hardware_concurrency()));
    for (std::future<void>& worker : workers) {
      worker = std::async(std::launch::async, [this] { work(); });
    }
    for (std::future<void>& worker : workers) worker.get();
    return std::move(proofs_);
  }

 private:
  void work() {
    const std::size_t parts = proofs_.size() * static_cast<std::size_t>(ranks_wanted_);
    for (std::size_t next = next_++; next < parts; next = next_++) {
      CatalogProof& whole = proofs_[next % proofs_.size()];
      CatalogProof part = started(whole);
      prove(part, static_cast<int>(next / proofs_.size()) + 1);
      const std::scoped_lock lock(mutex_);
      add(std::move(part), whole);
      progress_.step();
    }
  }

  /// Properties of which a counterexample is known are not looked at again.
  CatalogProof started(const CatalogProof& whole) {
    CatalogProof part = begin_proof(*whole.algorithm);
    const std::scoped_lock lock(mutex_);
    part.properties = whole.properties;
    return part;
  }

  int ranks_wanted_;
  std::vector<CatalogProof> proofs_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  Progress progress_;
};

int verify_catalog(std::span<const Algorithm> algorithms, int ranks_wanted, bool json) {
  bool ok = true;
  Json list = Json::array();
  for (const CatalogProof& proof : Proving(algorithms, ranks_wanted).on_all_cores()) {
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
