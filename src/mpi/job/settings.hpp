// SPDX-License-Identifier: BSD-3-Clause
// What the environment asks for (docs/reference/variables.md). A wrong setting is not an exception
// here: it is kept as a message, because all ranks must first agree that one of them has it
// (lifecycle.cpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mpi/job/sites.hpp"
#include "rules/rules.hpp"

namespace suiro::mpi {

struct Settings {
  bool off = false;
  bool explain = false;
  bool trace = false;
  bool check = false;
  bool learns = true;
  bool learns_reductions = false;
  bool reproducible = false;
  std::optional<double> check_tolerance;
  std::vector<int> pretended_nodes;  // at each site; ranks are on them in block order
  bool one_site = false;             // all nodes are at one site, whatever their addresses
  NamedSites sites;                  // empty: their addresses tell
  int wan_flows = 0;                 // nodes of a site that use the WAN at once; 0: unknown
  std::string network;               // what is known of it, or empty
  bool on_net = false;               // suiro's messages use its own transport
  std::string service;               // where `suiro run` listens, HOST:PORT,HOST:PORT,...
  std::string token;
  std::string transport;   // what is to carry the MPI's messages
  RuleTable table;         // what users force, and their rules; the built-in one comes after it
  std::string error;       // the first wrong setting, or empty
  std::uint64_t hash = 0;  // of everything above that the ranks must have in common

  /// Every call goes the observed way, even when the decision is native.
  bool observed() const { return explain || trace; }
  /// With --check each call runs both.
  bool tries() const { return learns && !check; }
  bool tries_reductions() const { return tries() && learns_reductions && !reproducible; }
};

Settings read_settings();

/// One line for each variable of the environment that looks like suiro's, and is none.
std::vector<std::string> unknown_variables();

}  // namespace suiro::mpi
