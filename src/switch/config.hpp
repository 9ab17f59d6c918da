// SPDX-License-Identifier: BSD-3-Clause
// What a switch is made of, read from JSON; docs/lab-switch.md describes the document.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "switch/fabric.hpp"

namespace suiro {

struct SwitchConfig {
  Model model = Model::hol;
  std::string model_name;
  std::int64_t buffer_bytes = 256 << 10;
  int mtu_bytes = 1500;
  std::string control;
  bool realtime = true;
  std::vector<PortConfig> ports;
};

/// The document is wrong; says where and what was expected.
struct ConfigError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

SwitchConfig parse_config(const std::string& text);

}  // namespace suiro
