// SPDX-License-Identifier: BSD-3-Clause
// What the environment asks for. A wrong setting is not an exception here: it is kept as a message,
// because all ranks must first agree that one of them has it (lifecycle.cpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mpi/job/sites.hpp"
#include "rules/rules.hpp"

namespace suiro::mpi {

struct Settings {
  bool off = false;                       // SUIRO=off
  bool explain = false;                   // SUIRO_EXPLAIN, set by `suiro run --explain`
  bool trace = false;                     // SUIRO_TRACE, set by `suiro run --trace`
  bool check = false;                     // SUIRO_CHECK, set by `suiro run --check`
  bool learns = true;                     // SUIRO_LEARN: 0 is no, by `suiro run --no-learn`
  std::optional<double> check_tolerance;  // SUIRO_CHECK_TOLERANCE
  std::vector<int> pretended_nodes;  // SUIRO_NODES: at each site; ranks are on them in block order
  bool one_site = false;   // SUIRO_SITES=1: all nodes are at one site, whatever their addresses
  NamedSites sites;        // SUIRO_SITES=a,b;c: hosts by site; empty: their addresses tell
  int wan_flows = 0;       // SUIRO_WAN_FLOWS: nodes of a site that use the WAN at once; 0: unknown
  std::string network;     // SUIRO_CLUSTER_NETWORK: what is known of it, or empty
  bool on_net = false;     // SUIRO_COLLECTIVES=net: suiro's messages use its own transport
  std::string service;     // SUIRO_JOB: where `suiro run` listens, HOST:PORT,HOST:PORT,...
  std::string token;       // SUIRO_TOKEN
  std::string transport;   // SUIRO_TRANSPORT: what is to carry the MPI's messages, or empty
  RuleTable table;         // SUIRO_ALLTOALL and so on, SUIRO_RULES; the built-in one comes after it
  std::string error;       // the first wrong setting, or empty
  std::uint64_t hash = 0;  // of everything above that the ranks must have in common

  /// Every call goes the observed way, even when the decision is native.
  bool observed() const { return explain || trace; }
  /// With --check each call runs both.
  bool tries() const { return learns && !check; }
};

Settings read_settings();

}  // namespace suiro::mpi
