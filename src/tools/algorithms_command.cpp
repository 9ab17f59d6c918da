// SPDX-License-Identifier: BSD-3-Clause
// The catalog as JSON, as the reference page, or as plain lines.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "tools/arguments.hpp"

namespace suiro::tools {

namespace {

using Json = nlohmann::ordered_json;

Json parameters_json(const Algorithm& algorithm) {
  Json list = Json::array();
  for (const ParameterSpec& spec : algorithm.parameters) {
    list.push_back({{"name", spec.name},
                    {"minimum", spec.minimum},
                    {"maximum", spec.maximum},
                    {"default", spec.fallback},
                    {"meaning", spec.meaning}});
  }
  return list;
}

Json properties_json(const Algorithm& algorithm) {
  Json list = Json::array();
  for (const Property property : algorithm.properties) list.push_back(name(property));
  return list;
}

std::string json_document() {
  Json list = Json::array();
  for (const Algorithm& algorithm : catalog()) {
    list.push_back({{"collective", algorithm.collective},
                    {"name", algorithm.name},
                    {"summary", algorithm.summary},
                    {"source", algorithm.source},
                    {"cost", algorithm.cost_text},
                    {"parameters", parameters_json(algorithm)},
                    {"properties", properties_json(algorithm)}});
  }
  return Json{{"algorithms", list}}.dump(2) + "\n";
}

std::string markdown_section(const Algorithm& algorithm) {
  std::string text = "\n## " + std::string(algorithm.collective) + "/" +
                     std::string(algorithm.name) + "\n\n" + std::string(algorithm.summary) +
                     "\n\n- Source: " + std::string(algorithm.source) +
                     "\n- Cost: " + std::string(algorithm.cost_text) + "\n";
  for (const ParameterSpec& spec : algorithm.parameters) {
    text += "- Parameter `" + std::string(spec.name) + "` (" + std::to_string(spec.minimum) +
            " to " + std::to_string(spec.maximum) + ", default " + std::to_string(spec.fallback) +
            "): " + std::string(spec.meaning) + "\n";
  }
  for (const Property property : algorithm.properties) {
    text += "- Proven property: `" + std::string(name(property)) + "`\n";
  }
  return text;
}

std::string markdown_document() {
  std::string text =
      "# Algorithms\n\n"
      "Written by `suiro-schedule algorithms --markdown` from the catalog; a test compares the two."
      "\n\nP is the number of ranks, a the number of ranks on a node. Sizes are in blocks: what "
      "one\n"
      "rank sends to another. Force one with, for example, `SUIRO_ALLTOALL=two_level_ring` or\n"
      "`SUIRO_ALLTOALL=linear_capped:cap=4`.\n";
  for (const Algorithm& algorithm : catalog()) text += markdown_section(algorithm);
  return text;
}

std::string plain_lines() {
  std::string text;
  for (const Algorithm& algorithm : catalog()) {
    text += std::string(algorithm.collective) + "/" + std::string(algorithm.name) + "  " +
            std::string(algorithm.summary) + "\n";
  }
  return text;
}

}  // namespace

int algorithms_command(Arguments arguments) {
  const bool json = arguments.take_flag("--json");
  const bool markdown = arguments.take_flag("--markdown");
  arguments.expect_none_left();
  if (json && markdown) throw UsageError("--json and --markdown exclude each other");
  const std::string text = json ? json_document() : markdown ? markdown_document() : plain_lines();
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace suiro::tools
