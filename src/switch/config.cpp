// SPDX-License-Identifier: BSD-3-Clause
#include "switch/config.hpp"

#include <fmt/format.h>

#include <array>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

namespace suiro {
namespace {

using Json = nlohmann::json;

constexpr std::size_t ports_max = 64;
constexpr std::size_t interface_name_bytes_max = 15;
constexpr std::size_t socket_path_bytes_max = 107;
constexpr std::array<std::pair<std::string_view, Model>, 4> models{
    {{"hol", Model::hol}, {"voq", Model::voq}, {"shared", Model::shared}, {"pause", Model::pause}}};

[[noreturn]] void wrong(const std::string& where, std::string_view expected) {
  throw ConfigError(fmt::format("{}: expected {}", where, expected));
}

void check_keys(const Json& object, const std::string& where,
                std::initializer_list<std::string_view> known) {
  if (!object.is_object()) wrong(where, "an object");
  for (const auto& item : object.items()) {
    if (std::find(known.begin(), known.end(), item.key()) == known.end()) {
      throw ConfigError(fmt::format("{}: unknown key \"{}\"", where, item.key()));
    }
  }
}

std::string text(const Json& object, const char* key, const std::string& where) {
  if (!object.contains(key) || !object[key].is_string() || object[key].get<std::string>().empty()) {
    wrong(where + key, "a string that is not empty");
  }
  return object[key].get<std::string>();
}

std::int64_t number(const Json& value, const std::string& where, std::int64_t least,
                    std::int64_t most) {
  const bool whole = value.is_number_integer();
  const bool fits = whole && !(value.is_number_unsigned() &&
                               value.get<std::uint64_t>() > static_cast<std::uint64_t>(most));
  if (!fits || value.get<std::int64_t>() < least || value.get<std::int64_t>() > most) {
    wrong(where, fmt::format("a whole number from {} to {}", least, most));
  }
  return value.get<std::int64_t>();
}

/// Six pairs of hexadecimal digits; frames go to this address, so it must be one host's.
std::uint64_t address(const std::string& written, const std::string& where) {
  std::array<unsigned, 6> bytes{};
  int used = 0;
  const int read = std::sscanf(written.c_str(), "%2x:%2x:%2x:%2x:%2x:%2x%n", bytes.data(),
                               &bytes[1], &bytes[2], &bytes[3], &bytes[4], &bytes[5], &used);
  const bool complete = read == 6 && written.size() == 17 && used == 17;
  if (!complete || (bytes[0] & 1) != 0) wrong(where, "a unicast address such as 02:00:00:00:00:01");
  std::uint64_t result = 0;
  for (const unsigned byte : bytes) result = result << 8 | byte;
  return result;
}

PortConfig parse_port(const Json& object, const std::string& where) {
  check_keys(object, where, {"name", "tap", "mac", "rate_bps"});
  PortConfig port;
  const std::string prefix = where + ".";
  port.name = text(object, "name", prefix);
  port.tap = text(object, "tap", prefix);
  const bool usable = port.tap.find_first_of("/ %") == std::string::npos;
  if (port.tap.size() > interface_name_bytes_max || !usable) {
    wrong(prefix + "tap", "the name of an interface, of at most 15 characters");
  }
  port.address = address(text(object, "mac", prefix), prefix + "mac");
  if (!object.contains("rate_bps")) wrong(prefix + "rate_bps", "a rate in bit/s");
  port.rate_bps = number(object["rate_bps"], prefix + "rate_bps", 100'000, 100'000'000'000);
  return port;
}

void parse_ports(const Json& list, SwitchConfig& config) {
  if (!list.is_array() || list.size() < 2 || list.size() > ports_max) {
    wrong("ports", fmt::format("a list of 2 to {} ports", ports_max));
  }
  std::set<std::uint64_t> addresses;
  std::set<std::string> taps;
  for (const Json& item : list) {
    const std::string where = fmt::format("ports[{}]", config.ports.size());
    config.ports.push_back(parse_port(item, where));
    if (!addresses.insert(config.ports.back().address).second) {
      wrong(where + ".mac", "an address that no other port has");
    }
    if (!taps.insert(config.ports.back().tap).second) {
      wrong(where + ".tap", "a device that no other port has");
    }
  }
}

void parse_model(const std::string& name, SwitchConfig& config) {
  for (const auto& [known, model] : models) {
    if (known != name) continue;
    config.model = model;
    config.model_name = name;
    return;
  }
  wrong("model", "\"hol\", \"voq\", \"shared\" or \"pause\"");
}

}  // namespace

SwitchConfig parse_config(const std::string& source) {
  Json document;
  try {
    document = Json::parse(source);
  } catch (const Json::parse_error& error) {
    throw ConfigError(fmt::format("not JSON, near byte {}", error.byte));
  }
  check_keys(document, "the document",
             {"model", "buffer_bytes", "mtu_bytes", "control", "realtime", "ports"});
  SwitchConfig config;
  parse_model(text(document, "model", ""), config);
  config.control = text(document, "control", "");
  if (config.control.size() > socket_path_bytes_max) {
    wrong("control", fmt::format("a path of at most {} bytes", socket_path_bytes_max));
  }
  if (document.contains("mtu_bytes")) {
    config.mtu_bytes = static_cast<int>(number(document["mtu_bytes"], "mtu_bytes", 576, 9000));
  }
  if (document.contains("realtime")) {
    if (!document["realtime"].is_boolean()) wrong("realtime", "true or false");
    config.realtime = document["realtime"].get<bool>();
  }
  if (!document.contains("ports")) wrong("ports", "a list");
  parse_ports(document["ports"], config);
  if (document.contains("buffer_bytes")) {
    const std::int64_t least = std::int64_t{2} * (config.mtu_bytes + 14);
    config.buffer_bytes = number(document["buffer_bytes"], "buffer_bytes", least, 1 << 30);
  }
  return config;
}

}  // namespace suiro
