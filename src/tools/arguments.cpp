// SPDX-License-Identifier: BSD-3-Clause
#include "tools/arguments.hpp"

#include <algorithm>
#include <charconv>

#include "base/message.hpp"

namespace suiro::tools {

bool Arguments::take_flag(std::string_view name) {
  return std::erase(values_, std::string(name)) > 0;
}

std::optional<std::string> Arguments::take_option(std::string_view name) {
  const auto found = std::ranges::find(values_, name);
  if (found == values_.end()) return std::nullopt;
  if (found + 1 == values_.end()) throw UsageError(std::string(name) + " needs a value");
  std::string value = *(found + 1);
  values_.erase(found, found + 2);
  return value;
}

std::optional<std::int64_t> Arguments::take_number(std::string_view name, std::int64_t minimum,
                                                   std::int64_t maximum) {
  const std::optional<std::string> value = take_option(name);
  if (!value) return std::nullopt;
  return number(*value, name, minimum, maximum);
}

const Collective& Arguments::take_collective() {
  const std::string text = take_positional().value_or("");
  if (const Collective* found = find_collective(text)) return *found;
  std::string names;
  for (const Collective& collective : collectives()) {
    names += (names.empty() ? "" : ", ") + std::string(collective.name);
  }
  throw UsageError("'" + text + "' is no collective; there are " + names);
}

std::vector<std::int64_t> Arguments::take_sizes(std::string_view command) {
  const std::optional<std::string> text = take_option("--sizes");
  if (!text) throw UsageError(std::string(command) + " takes --sizes BYTES,BYTES,...");
  std::vector<std::int64_t> sizes;
  for (std::size_t begin = 0; begin <= text->size();) {
    const std::size_t end = std::min(text->find(',', begin), text->size());
    sizes.push_back(number(std::string_view(*text).substr(begin, end - begin), "--sizes", 0,
                           std::int64_t{1} << 40));
    begin = end + 1;
  }
  return sizes;
}

std::pair<int, int> Arguments::take_release() {
  const std::string text = take_option("--release").value_or("0");
  const std::size_t dot = text.find('.');
  const auto part = [](std::string_view digits) {
    return static_cast<int>(number(digits, "--release", 0, 999));
  };
  const std::string_view all = text;
  if (dot == std::string::npos) return {part(all), 1};
  return {part(all.substr(0, dot)), part(all.substr(dot + 1))};
}

std::optional<std::string> Arguments::take_positional() {
  const auto found = std::ranges::find_if(
      values_, [](const std::string& value) { return value == "-" || !value.starts_with('-'); });
  if (found == values_.end()) return std::nullopt;
  std::string value = *found;
  values_.erase(found);
  return value;
}

void Arguments::expect_none_left() const {
  if (values_.empty()) return;
  throw UsageError("unexpected argument '" + values_.front() + "'; try suiro-schedule --help");
}

std::int64_t number(std::string_view text, std::string_view what, std::int64_t minimum,
                    std::int64_t maximum) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc{} && stop == end && value >= minimum && value <= maximum) return value;
  throw UsageError(std::string(what) + " takes a number from " + std::to_string(minimum) + " to " +
                   std::to_string(maximum) + ", not '" + std::string(text) + "'");
}

const Algorithm* find_named(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return find_algorithm("alltoall", text);
  return find_algorithm(text.substr(0, slash), text.substr(slash + 1));
}

std::span<const Algorithm> find_rows(const std::optional<std::string>& text) {
  if (!text) return catalog();
  if (const Algorithm* algorithm = find_named(*text)) return {algorithm, 1};
  const auto first = std::ranges::find(catalog(), *text, &Algorithm::collective);
  const auto last = std::find_if_not(first, catalog().end(), [&](const Algorithm& algorithm) {
    return algorithm.collective == *text;
  });
  if (first != last) return {first, last};
  throw UsageError("'" + *text + "' is neither a collective nor an algorithm" +
                   what_there_is(*text));
}

std::string what_there_is(std::string_view text) {
  const std::string_view collective = text.substr(0, text.find('/'));
  std::vector<std::string_view> names;
  for (const Algorithm& algorithm : catalog()) {
    if (algorithm.collective == collective) names.push_back(algorithm.name);
  }
  if (!names.empty()) {
    const std::string_view name = text.substr(text.find('/') + 1);
    return "; " + std::string(collective) + " has " + joined(names) + did_you_mean(name, names);
  }
  for (const Collective& other : collectives()) {
    if (!other.unequal()) names.push_back(other.name);
  }
  return "; suiro algorithms lists those of " + joined(names) + did_you_mean(collective, names);
}

}  // namespace suiro::tools
