// SPDX-License-Identifier: BSD-3-Clause
#include "choose/lessons.hpp"

#include <exception>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace suiro {
namespace {

/// Throws for an algorithm that this version does not have.
void recall(Chooser& chooser, const nlohmann::json& told, bool reductions) {
  const std::string name = told.at("collective");
  const Collective* collective = find_collective(name);
  if (collective == nullptr || (collective->reduces && !reductions)) return;
  const std::int64_t bytes = told.at("bytes");
  Chooser::Lesson lesson{.faster = std::nullopt, .slower = told.at("slower")};
  const std::string faster = told.at("faster");
  std::vector<int> nodes = told.at("node_of_rank");
  if (!faster.empty()) {
    const auto forced = RuleTable::forced(name, faster);
    lesson.faster = forced.decide({name, Topology::from_nodes(nodes), bytes});
  }
  if (lesson.faster) {
    lesson.faster->reason = told.at("reason");
    lesson.faster->unasked = true;
  }
  chooser.recall(*collective, bytes, std::move(nodes), std::move(lesson));
}

}  // namespace

bool recall_lessons(Chooser& chooser, std::string_view text, bool reductions) {
  const auto all = nlohmann::json::parse(text, nullptr, false);
  if (!all.is_array()) return false;
  for (const nlohmann::json& told : all) {
    try {
      recall(chooser, told, reductions);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception&) {
      // Of another version: what it says is of no use here.
    }
  }
  return true;
}

}  // namespace suiro
