// SPDX-License-Identifier: BSD-3-Clause
// suiro-schedule predict: what the models say of an algorithm on a shape, phase by phase. Times are
// in block times, what one block takes on one link; with a size and a rate they are seconds too.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "collectives/collectives.hpp"
#include "model/head_of_line.hpp"
#include "tools/schedules.hpp"
#include "tools/shape.hpp"

namespace suiro::tools {

namespace {

using Json = nlohmann::ordered_json;

/// What one block takes on one link; given by --bytes and --goodput-Bps together.
struct Link {
  std::int64_t block_bytes = 0;
  std::int64_t goodput_Bps = 0;
  double block_s() const {
    return static_cast<double>(block_bytes) / static_cast<double>(goodput_Bps);
  }
};

struct Prediction {
  Schedule schedule;
  Topology topology;
  std::vector<Phase> phases;
  double bound_blocks = 0;
  double head_of_line_blocks = 0;
};

Prediction predict(const std::string& text, const Topology& topology) {
  Prediction prediction{build_named(text, topology), topology, {}};
  prediction.phases = head_of_line_phases(prediction.schedule, topology);
  prediction.bound_blocks =
      bound_s(*find_collective(prediction.schedule.collective), topology, 1, 1);
  prediction.head_of_line_blocks = total_time_blocks(prediction.phases);
  return prediction;
}

/// How much longer than the bound; nothing when nothing crosses the network.
Json slowdown(double time_blocks, double bound_blocks) {
  return bound_blocks > 0 ? Json(time_blocks / bound_blocks) : Json();
}

std::string json_document(const Prediction& prediction, const std::optional<Link>& link) {
  Json phases = Json::array();
  for (const Phase& phase : prediction.phases) {
    phases.push_back({{"first_round", phase.first_round},
                      {"rounds", phase.rounds},
                      {"leaving_blocks", phase.leaving_blocks},
                      {"head_of_line_blocks", phase.time_blocks}});
  }
  Json document = {
      {"collective", prediction.schedule.collective},
      {"algorithm", prediction.schedule.algorithm},
      {"parameters", prediction.schedule.parameters},
      {"nodes", prediction.topology.nodes()},
      {"ranks", prediction.topology.ranks()},
      {"bound_blocks", prediction.bound_blocks},
      {"head_of_line_blocks", prediction.head_of_line_blocks},
      {"head_of_line_slowdown", slowdown(prediction.head_of_line_blocks, prediction.bound_blocks)}};
  if (link) {
    document["bytes"] = link->block_bytes;
    document["goodput_Bps"] = link->goodput_Bps;
    document["bound_s"] = prediction.bound_blocks * link->block_s();
    document["head_of_line_s"] = prediction.head_of_line_blocks * link->block_s();
  }
  document["phases"] = phases;
  return document.dump(2) + "\n";
}

void print_plain(const Prediction& prediction, const std::optional<Link>& link) {
  std::printf("%s/%s on %s\n", prediction.schedule.collective.c_str(),
              prediction.schedule.algorithm.c_str(), prediction.topology.describe().c_str());
  const auto print_time = [&link](const char* what, double blocks) {
    std::printf("%-48s %12.2f blocks", what, blocks);
    if (link) std::printf("  %.6g s", blocks * link->block_s());
    std::printf("\n");
  };
  print_time("the links need at least", prediction.bound_blocks);
  print_time("in an input-queued switch, by head-of-line model", prediction.head_of_line_blocks);
}

std::optional<Link> take_link(Arguments& arguments) {
  const auto bytes = arguments.take_number("--bytes", 0, INT64_MAX);
  const auto goodput_Bps = arguments.take_number("--goodput-Bps", 1, INT64_MAX);
  if (bytes.has_value() != goodput_Bps.has_value()) {
    throw UsageError("--bytes and --goodput-Bps are given together");
  }
  return bytes ? std::optional(Link{*bytes, *goodput_Bps}) : std::nullopt;
}

}  // namespace

int predict_command(Arguments arguments) {
  constexpr std::int64_t ranks_max = 4096;  // the models look at every pair of ranks
  const bool json = arguments.take_flag("--json");
  const std::optional<Link> link = take_link(arguments);
  const Topology topology = take_topology(arguments, "predict", ranks_max);
  const std::string name = arguments.take_positional().value_or("");
  arguments.expect_none_left();
  const Prediction prediction = predict(name, topology);
  if (json) {
    std::fputs(json_document(prediction, link).c_str(), stdout);
  } else {
    print_plain(prediction, link);
  }
  return 0;
}

}  // namespace suiro::tools
