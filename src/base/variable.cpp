// SPDX-License-Identifier: BSD-3-Clause
#include "base/variable.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <stdexcept>

#include "base/message.hpp"

namespace suiro {
namespace {

/// How many binary digits K, M, G shift by; -1 for another unit.
int shift_of(std::string_view unit) {
  if (unit.empty()) return 0;
  if (unit == "K") return 10;
  if (unit == "M") return 20;
  return unit == "G" ? 30 : -1;
}

}  // namespace

const char* value_of(const Variable& variable) {
  const char* value = std::getenv(variable.name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

std::string text_of(const Variable& variable) {
  const char* value = value_of(variable);
  return value != nullptr ? value : "";
}

bool is_on(const Switch& variable) {
  constexpr std::array<std::string_view, 4> on{"on", "1", "yes", "true"};
  constexpr std::array<std::string_view, 4> off{"off", "0", "no", "false"};
  const std::string value = text_of(variable);
  if (value.empty()) return variable.usual;
  if (std::ranges::find(on, value) != on.end()) return true;
  if (std::ranges::find(off, value) == off.end()) refuse(variable, value);
  return false;
}

std::string_view choice_of(const Choice& variable) {
  const std::string value = text_of(variable);
  if (value.empty()) return variable.usual;
  const auto found = std::ranges::find(variable.choices, value);
  if (found == variable.choices.end()) refuse(variable, value);
  return *found;
}

std::int64_t number_of(const Number& variable) {
  constexpr std::int64_t before_unit_max = std::int64_t{1} << 32;
  const std::string value = text_of(variable);
  if (value.empty()) return variable.usual;
  std::int64_t number = 0;
  const char* end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, number);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  const int shift = variable.bytes || unit.empty() ? shift_of(unit) : -1;
  const bool readable = error == std::errc() && number >= 0 && shift >= 0;
  if (!readable || (shift > 0 && number > before_unit_max)) refuse(variable, value);
  number <<= shift;
  if (number < variable.lowest || number > variable.highest) refuse(variable, value);
  return number;
}

void refuse(const Variable& variable, std::string_view value) {
  const std::string shown = variable.secret ? "(hidden)" : printable(value);
  throw std::runtime_error(std::string(variable.name) + "=" + shown + ": expected " +
                           variable.expected);
}

}  // namespace suiro
