// SPDX-License-Identifier: BSD-3-Clause
// What a switch is made of, read from JSON; docs/lab-switch.md describes the document.
#pragma once

#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "switch/fabric.hpp"
#include "switch/wan.hpp"

namespace suiro {

struct FabricConfig {
  std::string name;
  Model model = Model::hol;
  std::int64_t buffer_bytes = 256 << 10;
};

/// Between two switches, alike in both directions. With a WAN in it, the rate is that of the cables
/// from the switches to the WAN's routers.
struct LinkConfig {
  std::array<int, 2> ends{};  // switches
  std::int64_t rate_bps = 0;
  std::optional<WanConfig> wan;
};

struct SwitchConfig {
  Model model = Model::hol;
  std::string model_name;
  std::int64_t buffer_bytes = 256 << 10;
  int mtu_bytes = 1500;
  std::string control;
  bool realtime = true;
  std::vector<PortConfig> ports;
  std::vector<FabricConfig> switches;  // one, unless the document lists them
  std::vector<LinkConfig> links;
};

/// The document is wrong; says where and what was expected.
struct ConfigError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

SwitchConfig parse_config(const std::string& text);

}  // namespace suiro
