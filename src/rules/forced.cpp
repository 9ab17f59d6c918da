// SPDX-License-Identifier: BSD-3-Clause
// A forced algorithm, as in SUIRO_ALLTOALL=linear_capped:cap=4:
// NAME[:PARAMETER=NUMBER[,PARAMETER=NUMBER]...]. "auto" forces nothing, so that it can be written
// where a value is needed.
#include <charconv>
#include <stdexcept>
#include <string>

#include "base/message.hpp"
#include "rules/candidates.hpp"
#include "rules/rules.hpp"

namespace suiro {
namespace {

[[noreturn]] void fail(std::string_view value, const std::string& what) {
  throw std::runtime_error("algorithm " + in_quotes(value) + ": " + what);
}

/// Cuts `text` at the first `separator`; the rest stays in `text`, which is empty when there was
/// none.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view head = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return head;
}

Parameters read_parameters(std::string_view value, std::string_view text,
                           const Algorithm* algorithm) {
  Parameters parameters;
  do {
    std::string_view digits = take_until(text, ',');
    const std::string_view name = take_until(digits, '=');
    std::int64_t number = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, number);
    if (name.empty() || digits.empty() || stop != end || error != std::errc()) {
      fail(value, "expected NAME:PARAMETER=NUMBER, such as linear_capped:cap=4");
    }
    const std::string wrong = wrong_parameter(algorithm, name, number);
    if (!wrong.empty()) fail(value, wrong);
    if (!parameters.emplace(name, number).second) {
      fail(value, "the parameter " + in_quotes(name) + " is given twice");
    }
  } while (!text.empty());
  return parameters;
}

}  // namespace

RuleTable RuleTable::forced(std::string_view collective, std::string_view value) {
  RuleTable table;
  if (value == "auto") return table;
  std::string_view rest = value;
  Rule rule;
  rule.collective = collective;
  rule.algorithm = take_until(rest, ':');
  const Algorithm* algorithm = find_candidate(collective, rule.algorithm);
  if (algorithm == nullptr && rule.algorithm != native_algorithm) {
    fail(value, unknown_algorithm(collective, rule.algorithm));
  }
  if (rule.algorithm.size() < value.size()) {
    rule.parameters = read_parameters(value, rest, algorithm);
  }
  rule.reason = "forced: " + printable(value);
  table.rules_.push_back(std::move(rule));
  return table;
}

}  // namespace suiro
