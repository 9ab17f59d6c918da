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

/// How many bytes on how fast a link; given by --bytes and --goodput-Bps together.
struct LinkOption {
  std::int64_t bytes = 0;
  std::int64_t goodput_Bps = 0;
};

struct Prediction {
  Schedule schedule;
  Topology topology;
  std::vector<Phase> phases;
  double bound_blocks = 0;
  double head_of_line_blocks = 0;

  /// What one block takes on one link.
  double block_s(const LinkOption& link) const {
    const bool cut = find_collective(schedule.collective)->cut();
    return static_cast<double>(link.bytes) / static_cast<double>(cut ? schedule.pieces : 1) /
           static_cast<double>(link.goodput_Bps);
  }
};

Prediction predict(const std::string& text, const Request& request,
                   const std::optional<LinkOption>& link) {
  Call call = request.call();
  if (link) call.link.Bps = static_cast<double>(link->goodput_Bps);
  Prediction prediction{build_named(text, call), request.topology, {}};
  prediction.phases = head_of_line_phases(prediction.schedule, request.topology);
  prediction.bound_blocks = bound_blocks(prediction.schedule, request.topology);
  prediction.head_of_line_blocks = total_time_blocks(prediction.phases);
  return prediction;
}

/// How much longer than the bound; nothing when nothing crosses the network.
Json slowdown(double time_blocks, double bound_blocks) {
  return bound_blocks > 0 ? Json(time_blocks / bound_blocks) : Json();
}

std::string json_document(const Prediction& prediction, const std::optional<LinkOption>& link) {
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
    document["bytes"] = link->bytes;
    document["goodput_Bps"] = link->goodput_Bps;
    document["bound_s"] = prediction.bound_blocks * prediction.block_s(*link);
    document["head_of_line_s"] = prediction.head_of_line_blocks * prediction.block_s(*link);
  }
  document["phases"] = phases;
  return document.dump(2) + "\n";
}

void print_plain(const Prediction& prediction, const std::optional<LinkOption>& link) {
  std::printf("%s/%s on %s\n", prediction.schedule.collective.c_str(),
              prediction.schedule.algorithm.c_str(), prediction.topology.describe().c_str());
  const auto print_time = [&](const char* what, double blocks) {
    std::printf("%-48s %12.2f blocks", what, blocks);
    if (link) std::printf("  %.6g s", blocks * prediction.block_s(*link));
    std::printf("\n");
  };
  print_time("the links need at least", prediction.bound_blocks);
  print_time("in an input-queued switch, by head-of-line model", prediction.head_of_line_blocks);
}

/// Of --bytes and --goodput-Bps, which are given together or not at all.
std::optional<LinkOption> link_option(const Request& request,
                                      std::optional<std::int64_t> goodput_Bps) {
  if (request.bytes.has_value() != goodput_Bps.has_value()) {
    throw UsageError("--bytes and --goodput-Bps are given together");
  }
  return goodput_Bps ? std::optional(LinkOption{*request.bytes, *goodput_Bps}) : std::nullopt;
}

}  // namespace

int predict_command(Arguments arguments) {
  constexpr std::int64_t ranks_max = 4096;  // the models look at every pair of ranks
  const bool json = arguments.take_flag("--json");
  const auto goodput_Bps = arguments.take_number("--goodput-Bps", 1, INT64_MAX);
  const Request request = take_request(arguments, "predict", ranks_max);
  const std::optional<LinkOption> link = link_option(request, goodput_Bps);
  const std::string name = arguments.take_positional().value_or("");
  arguments.expect_none_left();
  const Prediction prediction = predict(name, request, link);
  if (json) {
    std::fputs(json_document(prediction, link).c_str(), stdout);
  } else {
    print_plain(prediction, link);
  }
  return 0;
}

}  // namespace suiro::tools
