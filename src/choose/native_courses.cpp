// SPDX-License-Identifier: BSD-3-Clause
#include "choose/native_courses.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "choose/native.hpp"
#include "choose/residual.hpp"
#include "rules/candidates.hpp"

namespace suiro {
namespace {

/// In one segment unless told otherwise, as MPIs run them that nobody has tuned.
Candidate unsegmented(const Algorithm& algorithm, Parameters parameters, std::int64_t bytes) {
  const auto takes =
      std::ranges::find(algorithm.parameters, segment_parameter, &ParameterSpec::name);
  if (takes != algorithm.parameters.end()) {
    parameters.try_emplace(std::string(segment_parameter),
                           std::clamp(bytes, takes->minimum, takes->maximum));
  }
  return {&algorithm, std::move(parameters)};
}

std::vector<Candidate> textbook(const Stage& stage) {
  std::vector<Candidate> found;
  for (const std::string_view name : candidate_names(stage.collective.name)) {
    const Algorithm* algorithm = find_candidate(stage.collective.name, name);
    if (algorithm == nullptr || algorithm->in_shared_memory) continue;
    found.push_back(unsegmented(*algorithm, {}, stage.bytes));
  }
  return found;
}

}  // namespace

Course course_of(const Candidate& candidate, const Stage& stage) {
  const Collective& collective = stage.collective;
  const std::int64_t bytes = collective.cut_bytes(stage.bytes, stage.topology.ranks());
  const Link link = with_rate(stage.surroundings.link, stage.link_Bps);
  const Call call{.topology = stage.topology, .bytes = bytes, .link = link};
  Schedule schedule = build(*candidate.algorithm, call, candidate.parameters);
  const double pieces = collective.cut() ? static_cast<double>(schedule.pieces) : 1;
  const double block_bytes = static_cast<double>(bytes) / pieces;
  return {std::move(schedule), block_bytes, residual(*candidate.algorithm, stage.bytes),
          stage.topology, stage.networks};
}

NativeCourses native_courses(const Stage& stage, const Topology& asked) {
  const Collective& collective = stage.collective;
  const Surroundings& surroundings = stage.surroundings;
  const NativeCall call{collective, asked, 0, stage.bytes};
  const auto native = native_of({surroundings.mpi, surroundings.release, surroundings.minor}, call);
  const Algorithm* algorithm = native && moves_the_same(*native, call)
                                   ? find_algorithm(collective.regular, native->algorithm)
                                   : nullptr;
  NativeCourses found{.said = native ? "native's " + native->said : "", .known = true};
  const auto add = [&](Candidate candidate) {
    Course course = course_of(candidate, stage);
    found.played.push_back({std::move(candidate), std::move(course)});
  };
  if (native && native->tree != RankTree::none) {
    Course course(over_ranks(native->tree, stage.topology.ranks(), collective),
                  static_cast<double>(stage.bytes), 1, stage.topology, stage.networks);
    found.played.push_back({{}, std::move(course)});
  } else if (algorithm != nullptr) {
    Parameters parameters = native->parameters;
    std::erase_if(parameters, [&](const auto& parameter) {
      return !wrong_parameter(algorithm, parameter.first, parameter.second).empty();
    });
    add(unsegmented(*algorithm, std::move(parameters), stage.bytes));
  } else {
    for (Candidate& candidate : textbook(stage)) add(std::move(candidate));
    found.known = false;
    found.said = "the best in the books" + (native ? " (native: " + native->said + ")" : "");
  }
  return found;
}

}  // namespace suiro
