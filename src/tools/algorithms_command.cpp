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
                    {"others", spec.others},
                    {"meaning", spec.meaning}});
  }
  return list;
}

Json properties_json(const Algorithm& algorithm) {
  Json list = Json::array();
  for (const Property property : algorithm.properties) list.push_back(name(property));
  return list;
}

using Rows = std::span<const Algorithm>;

std::string json_document(Rows rows) {
  Json list = Json::array();
  for (const Algorithm& algorithm : rows) {
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

std::string name_of(const Algorithm& algorithm) {
  return std::string(algorithm.collective) + "/" + std::string(algorithm.name);
}

/// Everything that its row says, a line each.
std::string details(const Algorithm& algorithm) {
  std::string text = "- Source: " + std::string(algorithm.source) +
                     "\n- Cost: " + std::string(algorithm.cost_text) + "\n";
  for (const ParameterSpec& spec : algorithm.parameters) {
    text += "- Parameter `" + std::string(spec.name) + "` (" + std::to_string(spec.minimum) +
            " to " + std::to_string(spec.maximum) + ", default " + std::to_string(spec.fallback) +
            "): " + std::string(spec.meaning) + "\n";
  }
  if (algorithm.properties.empty()) return text;
  text += "- Proven:";
  for (const Property property : algorithm.properties) {
    text += (property == algorithm.properties.front() ? " `" : ", `") +
            std::string(name(property)) + "`";
  }
  return text + "\n";
}

std::string markdown_document(Rows rows) {
  std::string text =
      "# Algorithms\n\n"
      "Written by `suiro-schedule algorithms --markdown` from the catalog; a test compares the two."
      "\n\nP ranks are on N nodes, a of them on a node. Of an all-to-all, sizes are in blocks: "
      "what one\nrank sends to another. Of others, M is the whole message, and k the pieces that "
      "it is cut in.\nForce one with, for example, `SUIRO_ALLTOALL=linear_capped:cap=4` or "
      "`suiro run --force bcast=pipeline`;\n[an algorithm of your own](../add-an-algorithm.md) is "
      "one file.\n";
  for (const Algorithm& algorithm : rows) {
    const std::string_view collective = algorithm.collective;
    if (&algorithm == rows.data() || collective != (&algorithm - 1)->collective) {
      text += "\n## " + std::string(collective) + "\n\n" +
              std::string(find_collective(collective)->summary) + ".\n";
    }
    text += "\n### " + name_of(algorithm) + "\n\n" + std::string(algorithm.summary) + "\n\n" +
            details(algorithm);
  }
  return text;
}

std::string plain_lines(Rows rows) {
  std::string text;
  for (const Algorithm& algorithm : rows) {
    text += name_of(algorithm) + "  " + std::string(algorithm.summary) + "\n";
  }
  return rows.size() == 1 ? text + details(rows.front()) : text;
}

}  // namespace

int algorithms_command(Arguments arguments) {
  const bool json = arguments.take_flag("--json");
  const bool markdown = arguments.take_flag("--markdown");
  const Rows rows = find_rows(arguments.take_positional());
  arguments.expect_none_left();
  if (json && markdown) throw UsageError("--json and --markdown exclude each other");
  const std::string text = json       ? json_document(rows)
                           : markdown ? markdown_document(rows)
                                      : plain_lines(rows);
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace suiro::tools
