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
constexpr std::size_t switches_max = 64;
constexpr std::size_t links_max = 1024;
constexpr std::int64_t rate_least_bps = 100'000;
constexpr std::int64_t rate_most_bps = 100'000'000'000;
constexpr std::int64_t delay_most_us = 10'000'000;
constexpr std::int64_t buffer_most_bytes = 1 << 30;
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

std::int64_t rate(const Json& object, const std::string& prefix, const char* key = "rate_bps") {
  if (!object.contains(key)) wrong(prefix + key, "a rate in bit/s");
  return number(object[key], prefix + key, rate_least_bps, rate_most_bps);
}

std::int64_t buffer(const Json& value, const std::string& where, int mtu_bytes) {
  return number(value, where, std::int64_t{2} * (mtu_bytes + 14), buffer_most_bytes);
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

int switch_number(const Json& value, const std::string& where, std::size_t switches) {
  return static_cast<int>(number(value, where, 0, static_cast<std::int64_t>(switches) - 1));
}

PortConfig parse_port(const Json& object, const std::string& where, std::size_t switches) {
  check_keys(object, where, {"name", "tap", "mac", "rate_bps", "stream_bps", "switch"});
  PortConfig port;
  const std::string prefix = where + ".";
  port.name = text(object, "name", prefix);
  port.tap = text(object, "tap", prefix);
  const bool usable = port.tap.find_first_of("/ %") == std::string::npos;
  if (port.tap.size() > interface_name_bytes_max || !usable) {
    wrong(prefix + "tap", "the name of an interface, of at most 15 characters");
  }
  port.address = address(text(object, "mac", prefix), prefix + "mac");
  port.rate_bps = rate(object, prefix);
  if (object.contains("stream_bps")) port.stream_bps = rate(object, prefix, "stream_bps");
  if (object.contains("switch")) {
    port.at_switch = switch_number(object["switch"], prefix + "switch", switches);
  }
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
    config.ports.push_back(parse_port(item, where, config.switches.size()));
    if (!addresses.insert(config.ports.back().address).second) {
      wrong(where + ".mac", "an address that no other port has");
    }
    if (!taps.insert(config.ports.back().tap).second) {
      wrong(where + ".tap", "a device that no other port has");
    }
  }
}

Model parse_model(const std::string& name, const std::string& where) {
  for (const auto& [known, model] : models) {
    if (known == name) return model;
  }
  wrong(where, "\"hol\", \"voq\", \"shared\" or \"pause\"");
}

/// Without a list there is one switch; in it, what a switch does not say is as for all.
void parse_switches(const Json& document, SwitchConfig& config) {
  if (!document.contains("switches")) {
    config.switches.push_back({"switch", config.model, config.buffer_bytes});
    return;
  }
  const Json& list = document["switches"];
  if (!list.is_array() || list.empty() || list.size() > switches_max) {
    wrong("switches", fmt::format("a list of 1 to {} switches", switches_max));
  }
  for (const Json& item : list) {
    const std::string prefix = fmt::format("switches[{}].", config.switches.size());
    check_keys(item, prefix.substr(0, prefix.size() - 1), {"name", "model", "buffer_bytes"});
    FabricConfig fabric{text(item, "name", prefix), config.model, config.buffer_bytes};
    if (item.contains("model")) {
      fabric.model = parse_model(text(item, "model", prefix), prefix + "model");
    }
    if (item.contains("buffer_bytes")) {
      fabric.buffer_bytes = buffer(item["buffer_bytes"], prefix + "buffer_bytes", config.mtu_bytes);
    }
    config.switches.push_back(fabric);
  }
}

WanConfig parse_wan(const Json& object, const std::string& where, int mtu_bytes) {
  check_keys(object, where, {"rate_bps", "delay_us", "buffer_bytes", "loss"});
  for (const char* key : {"delay_us", "buffer_bytes"}) {
    if (!object.contains(key)) wrong(where + "." + key, "a number");
  }
  WanConfig wan;
  wan.rate_bps = rate(object, where + ".");
  wan.delay = number(object["delay_us"], where + ".delay_us", 0, delay_most_us) * 1000;
  wan.buffer_bytes = buffer(object["buffer_bytes"], where + ".buffer_bytes", mtu_bytes);
  if (!object.contains("loss")) return wan;
  const bool is_number = object["loss"].is_number();
  wan.loss = is_number ? object["loss"].get<double>() : -1;
  if (!(wan.loss >= 0 && wan.loss < 1)) wrong(where + ".loss", "a fraction below 1");
  return wan;
}

void parse_links(const Json& list, SwitchConfig& config) {
  if (!list.is_array() || list.size() > links_max) {
    wrong("links", fmt::format("a list of at most {} links", links_max));
  }
  for (const Json& item : list) {
    const std::string where = fmt::format("links[{}]", config.links.size());
    check_keys(item, where, {"ends", "rate_bps", "wan"});
    LinkConfig link;
    if (!item.contains("ends") || !item["ends"].is_array() || item["ends"].size() != 2) {
      wrong(where + ".ends", "a list of two switches");
    }
    for (const std::size_t end : {0U, 1U}) {
      link.ends[end] = switch_number(item["ends"][end], where + ".ends", config.switches.size());
    }
    if (link.ends[0] == link.ends[1]) wrong(where + ".ends", "two different switches");
    link.rate_bps = rate(item, where + ".");
    if (item.contains("wan")) link.wan = parse_wan(item["wan"], where + ".wan", config.mtu_bytes);
    config.links.push_back(link);
  }
}

}  // namespace

SwitchConfig parse_config(const std::string& source) {
  Json document;
  try {
    document = Json::parse(source);
  } catch (const Json::parse_error& error) {
    throw ConfigError(fmt::format("not JSON, near byte {}", error.byte));
  }
  check_keys(
      document, "the document",
      {"model", "buffer_bytes", "mtu_bytes", "control", "realtime", "ports", "switches", "links"});
  SwitchConfig config;
  config.model_name = text(document, "model", "");
  config.model = parse_model(config.model_name, "model");
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
  if (document.contains("buffer_bytes")) {
    config.buffer_bytes = buffer(document["buffer_bytes"], "buffer_bytes", config.mtu_bytes);
  }
  parse_switches(document, config);
  if (!document.contains("ports")) wrong("ports", "a list");
  parse_ports(document["ports"], config);
  if (document.contains("links")) parse_links(document["links"], config);
  return config;
}

}  // namespace suiro
