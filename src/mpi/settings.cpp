// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/settings.hpp"

#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include "base/hash.hpp"
#include "base/message.hpp"
#include "collectives/collectives.hpp"
#include "model/network_json.hpp"
#include "mpi/environment.hpp"
#include "mpi/load.hpp"

namespace suiro::mpi {

namespace {

constexpr std::size_t rule_file_bytes_max = std::size_t{1} << 20;
constexpr std::size_t path_bytes_max = 256;  // in messages

bool flag(const char* name) {
  const std::string value = variable(name);
  return !value.empty() && value != "0";
}

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
    throw std::runtime_error("SUIRO_RULES=" + printable(path, path_bytes_max) + ": " +
                             std::strerror(errno));
  }
  if (text.size() > rule_file_bytes_max) {
    throw std::runtime_error("SUIRO_RULES=" + printable(path, path_bytes_max) +
                             ": larger than 1 MiB");
  }
  return text;
}

void add_rule_file(Settings& settings) {
  const std::string path = variable("SUIRO_RULES");
  if (path.empty()) return;
  const std::string text = read_file(path);
  mix(settings.hash, text);
  settings.table =
      settings.table.preceded_by(RuleTable::parse(text, printable(path, path_bytes_max)));
}

/// SUIRO_ALLTOALL, SUIRO_BCAST and so on.
void add_forced(Settings& settings, std::string_view collective) {
  std::string name = "SUIRO_";
  for (const char c : collective) name += static_cast<char>(std::toupper(c));
  const std::string value = variable(name.c_str());
  mix(settings.hash, value);
  if (value.empty()) return;
  try {
    settings.table = settings.table.preceded_by(RuleTable::forced(collective, value));
  } catch (const std::exception& error) {
    throw std::runtime_error(name + ": " + error.what());
  }
}

/// `text` is the `value` of `name`, or a part of it.
int number_from_1(std::string_view text, const char* name, const std::string& value,
                  const char* expected = "a number from 1") {
  int number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (stop != end || error != std::errc() || number < 1) {
    throw std::runtime_error(std::string(name) + "=" + printable(value) + ": expected " + expected);
  }
  return number;
}

/// A number from 1; `number` stays as it is where the variable is not set.
void add_number(Settings& settings, const char* name, int& number) {
  const std::string value = variable(name);
  mix(settings.hash, value);
  if (!value.empty()) number = number_from_1(value, name, value);
}

void add_check_tolerance(Settings& settings) {
  const std::string value = variable("SUIRO_CHECK_TOLERANCE");
  mix(settings.hash, value);
  if (value.empty()) return;
  double share = -1;
  const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), share);
  if (*stop != 0 || error != std::errc() || !std::isfinite(share) || share < 0) {
    throw std::runtime_error("SUIRO_CHECK_TOLERANCE=" + printable(value) +
                             ": expected a number from 0, such as 1e-9");
  }
  settings.check_tolerance = share;
}

void add_learning(Settings& settings) {
  const std::string value = variable("SUIRO_LEARN");
  mix(settings.hash, value);
  if (!value.empty() && value != "0" && value != "1") {
    throw std::runtime_error("SUIRO_LEARN=" + printable(value) + ": expected 0 or 1");
  }
  settings.learns = value != "0";
}

void add_pretended_nodes(Settings& settings) {
  const std::string value = variable("SUIRO_NODES");
  mix(settings.hash, value);
  if (value.empty()) return;
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t end = std::min(value.find('+', begin), value.size());
    const std::string_view nodes = std::string_view(value).substr(begin, end - begin);
    settings.pretended_nodes.push_back(number_from_1(
        nodes, "SUIRO_NODES", value, "a number of nodes, or one for each site, such as 2+1"));
    begin = end + 1;
  }
}

void add_sites(Settings& settings) {
  const std::string value = variable("SUIRO_SITES");
  mix(settings.hash, value);
  if (value.empty()) return;
  settings.one_site = value == "1";
  if (settings.one_site) return;
  try {
    settings.sites = parse_sites(value);
  } catch (const std::exception& error) {
    throw std::runtime_error(std::string("SUIRO_SITES: ") + error.what());
  }
}

void add_network(Settings& settings) {
  settings.network = variable("SUIRO_CLUSTER_NETWORK");
  mix(settings.hash, settings.network);
  if (!settings.network.empty()) parse_network(settings.network, "SUIRO_CLUSTER_NETWORK");
}

void add_transport(Settings& settings) {
  const std::string value = variable("SUIRO_COLLECTIVES");
  mix(settings.hash, value);
  if (!value.empty() && value != "net" && value != "mpi") {
    throw std::runtime_error("SUIRO_COLLECTIVES=" + printable(value) +
                             ": expected mpi, or net, which uses suiro's own transport");
  }
  settings.on_net = value == "net";
}

}  // namespace

Settings read_settings() {
  Settings settings;
  settings.off = variable("SUIRO") == "off";
  settings.explain = flag("SUIRO_EXPLAIN");
  settings.trace = flag("SUIRO_TRACE");
  settings.check = flag("SUIRO_CHECK");
  settings.service = variable("SUIRO_JOB");
  settings.token = variable("SUIRO_TOKEN");
  settings.hash = hash_begin;
  mix(settings.hash, settings.off ? "off" : "on");
  mix(settings.hash, settings.observed() ? "observed" : "");
  mix(settings.hash, settings.check ? "check" : "");
  try {
    settings.transport = variable("SUIRO_TRANSPORT");
    mix(settings.hash, settings.transport);
    add_rule_file(settings);
    for (const Collective& collective : collectives()) add_forced(settings, collective.name);
    add_check_tolerance(settings);
    add_learning(settings);
    add_pretended_nodes(settings);
    add_number(settings, "SUIRO_WAN_FLOWS", settings.wan_flows);
    add_sites(settings);
    add_network(settings);
    add_transport(settings);
  } catch (const std::exception& error) {
    settings.error = error.what();
  }
  return settings;
}

}  // namespace suiro::mpi
