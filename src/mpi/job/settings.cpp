// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/job/settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include "base/hash.hpp"
#include "base/message.hpp"
#include "base/variables.hpp"
#include "collectives/collectives.hpp"
#include "model/network_json.hpp"
#include "mpi/underneath/environment.hpp"

namespace suiro::mpi {

namespace {

constexpr std::size_t rule_file_bytes_max = std::size_t{1} << 20;
constexpr std::size_t path_bytes_max = 256;  // in messages
constexpr std::string_view prefix = "SUIRO_";

/// A separator keeps "ab" + "c" apart from "a" + "bc".
void mix(std::uint64_t& hash, std::string_view text) {
  for (const char c : text) hash = hash_with(hash, static_cast<unsigned char>(c));
  hash = hash_with(hash, 0xff);
}

std::string read_file(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file.is_open() || file.bad()) {
    throw std::runtime_error(std::string(variables::rules.name) + "=" +
                             printable(path, path_bytes_max) + ": " + std::strerror(errno));
  }
  if (text.size() > rule_file_bytes_max) {
    throw std::runtime_error(std::string(variables::rules.name) + "=" +
                             printable(path, path_bytes_max) + ": larger than 1 MiB");
  }
  return text;
}

void add_rule_file(Settings& settings) {
  const std::string path = text_of(variables::rules);
  if (path.empty()) return;
  const std::string text = read_file(path);
  mix(settings.hash, text);
  settings.table =
      settings.table.preceded_by(RuleTable::parse(text, printable(path, path_bytes_max)));
}

/// SUIRO_ALLTOALL, SUIRO_BCAST and so on.
std::string forcing(std::string_view collective) {
  std::string name(prefix);
  for (const char c : collective) name += static_cast<char>(std::toupper(c));
  return name;
}

void add_forced(Settings& settings, std::string_view collective) {
  const std::string name = forcing(collective);
  const std::string value = variable(name.c_str());
  mix(settings.hash, value);
  if (value.empty()) return;
  try {
    settings.table = settings.table.preceded_by(RuleTable::forced(collective, value));
  } catch (const std::exception& error) {
    throw std::runtime_error(name + ": " + error.what());
  }
}

void add_check_tolerance(Settings& settings) {
  const std::string value = text_of(variables::check_tolerance);
  mix(settings.hash, value);
  if (value.empty()) return;
  double share = -1;
  const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), share);
  if (*stop != 0 || error != std::errc() || !std::isfinite(share) || share < 0) {
    refuse(variables::check_tolerance, value);
  }
  settings.check_tolerance = share;
}

int number_of_nodes(std::string_view text, const std::string& value) {
  int number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (stop != end || error != std::errc() || number < 1) refuse(variables::nodes, value);
  return number;
}

void add_pretended_nodes(Settings& settings) {
  const std::string value = text_of(variables::nodes);
  mix(settings.hash, value);
  if (value.empty()) return;
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t end = std::min(value.find('+', begin), value.size());
    const std::string_view nodes = std::string_view(value).substr(begin, end - begin);
    settings.pretended_nodes.push_back(number_of_nodes(nodes, value));
    begin = end + 1;
  }
}

void add_sites(Settings& settings) {
  const std::string value = text_of(variables::sites);
  mix(settings.hash, value);
  if (value.empty()) return;
  settings.one_site = value == "1";
  if (settings.one_site) return;
  try {
    settings.sites = parse_sites(value);
  } catch (const std::exception& error) {
    throw std::runtime_error(std::string(variables::sites.name) + ": " + error.what());
  }
}

void add_network(Settings& settings) {
  settings.network = text_of(variables::cluster_network);
  mix(settings.hash, settings.network);
  if (!settings.network.empty()) parse_network(settings.network, variables::cluster_network.name);
}

/// What has but a few values, and must be the same on all ranks.
void add_choices(Settings& settings) {
  settings.explain = is_on(variables::explain);
  settings.trace = is_on(variables::trace);
  settings.check = is_on(variables::check);
  settings.learns = is_on(variables::learn);
  settings.learns_reductions = is_on(variables::learn_reductions);
  settings.reproducible = is_on(variables::reproducible);
  settings.transport = choice_of(variables::transport);
  settings.on_net = choice_of(variables::collectives) == "net";
  settings.wan_flows = static_cast<int>(number_of(variables::wan_flows));
  for (const int one :
       {settings.observed() ? 1 : 0, settings.check ? 1 : 0, settings.learns ? 1 : 0,
        settings.learns_reductions ? 1 : 0, settings.reproducible ? 1 : 0, settings.on_net ? 1 : 0,
        settings.wan_flows}) {
    mix(settings.hash, std::to_string(one));
  }
  mix(settings.hash, settings.transport);
}

/// What others read, each where it is of use, and cannot refuse there.
void check_others() {
  choice_of(variables::wrong_offsets);
  number_of(variables::local_ranks);
}

}  // namespace

Settings read_settings() {
  Settings settings;
  settings.service = text_of(variables::job);
  settings.token = text_of(variables::token);
  settings.hash = hash_begin;
  try {
    settings.off = !is_on(variables::suiro);
    mix(settings.hash, settings.off ? "off" : "on");
    add_choices(settings);
    add_rule_file(settings);
    for (const Collective& collective : collectives()) add_forced(settings, collective.name);
    add_check_tolerance(settings);
    add_pretended_nodes(settings);
    add_sites(settings);
    add_network(settings);
    check_others();
  } catch (const std::exception& error) {
    settings.error = error.what();
  }
  return settings;
}

std::vector<std::string> unknown_variables() {
  std::vector<std::string> ends;
  ends.reserve(variables::names.size() + collectives().size());
  for (const std::string_view name : variables::names) {
    if (name.starts_with(prefix)) ends.emplace_back(name.substr(prefix.size()));
  }
  for (const Collective& collective : collectives()) {
    ends.push_back(forcing(collective.name).substr(prefix.size()));
  }
  const std::vector<std::string_view> known(ends.begin(), ends.end());
  std::vector<std::string> lines;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::string_view name = text.substr(0, text.find('='));
    if (!name.starts_with(prefix)) continue;
    const std::string_view end = name.substr(prefix.size());
    if (std::ranges::find(known, end) != known.end()) continue;
    std::string meant = did_you_mean(end, known);
    if (!meant.empty()) meant.insert(meant.find('"') + 1, prefix);
    lines.push_back("there is no variable " + printable(name) + meant);
  }
  return lines;
}

}  // namespace suiro::mpi
