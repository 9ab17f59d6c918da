// SPDX-License-Identifier: BSD-3-Clause
// The distance between names is Levenshtein's; a name is near when a third of its letters, at most,
// differ.
#include "base/message.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace suiro {
namespace {

bool is_control(char byte) {
  const auto value = static_cast<unsigned char>(byte);
  return value < 0x20 || value == 0x7f;
}

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

std::size_t edit_distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < right.size(); ++j) {
      const std::size_t replaced = diagonal + (left[i] == right[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string printable(std::string_view text, std::size_t bytes_max) {
  std::size_t size = std::min(text.size(), bytes_max);
  // A character of several bytes is kept whole or left out.
  while (size > 0 && size < text.size() && continues_character(text[size])) --size;
  std::string line(text.substr(0, size));
  std::replace_if(line.begin(), line.end(), is_control, '?');
  if (size < text.size()) line += "...";
  return line;
}

std::string in_quotes(std::string_view text) { return '"' + printable(text) + '"'; }

std::string did_you_mean(std::string_view text, std::span<const std::string_view> names) {
  constexpr std::size_t bytes_max = 100;  // no name is longer, so a longer text is near none
  if (text.size() > bytes_max) return "";
  std::string_view nearest;
  std::size_t distance_min = text.size();
  for (const std::string_view name : names) {
    const std::size_t distance = edit_distance(text, name);
    if (distance < distance_min && distance <= std::max<std::size_t>(1, name.size() / 3)) {
      nearest = name;
      distance_min = distance;
    }
  }
  return nearest.empty() ? "" : "; did you mean " + in_quotes(nearest) + '?';
}

std::string joined(std::span<const std::string_view> names) {
  std::string text;
  for (const std::string_view name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

}  // namespace suiro
