// SPDX-License-Identifier: BSD-3-Clause
// What can be set of the engine. Read once per process from SUIRO_NET_* variables
// (docs/transport.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace suiro::net {

/// How long messages use the rails: each prefers its own and takes what others have free; or they
/// are forced to use their own only, which is the paper's "static", or all alike.
enum class RailPolicy : std::uint8_t { balanced, fixed, striped };

struct Settings {
  std::vector<std::string> networks;           // SUIRO_NETS: interfaces or a.b.c.d/n; empty: found
  RailPolicy rails = RailPolicy::balanced;     // SUIRO_NET_RAILS: static, striped
  std::vector<std::uint8_t> job_secret;        // SUIRO_JOB_SECRET, hexadecimal
  std::uint64_t eager_bytes = 64 << 10;        // messages up to this travel with their envelope
  std::uint64_t ahead_bytes = 512 << 10;       // of a long message, at most, before it is asked for
  std::uint64_t copied_bytes = 4 << 10;        // retained copies rather than buffers up to this
  std::uint64_t unexpected_budget = 64 << 20;  // eager payload buffered, per process
  std::uint64_t inject_budget = 1 << 30;       // injected and not yet taken, per process
  std::uint64_t chunk_bytes = 1 << 20;         // what is granted at a time when rails share
  int streams_per_rail = 1;                    // bulk streams
  int bulk_buffer_bytes = 0;                   // of sockets; 0: the system's
  bool shared_memory = true;                   // SUIRO_NET_SHARED_MEMORY: on, off
  std::int64_t handshake_timeout_ns = 5'000'000'000;
  std::int64_t stall_timeout_ns = 1'000'000'000;  // without progress, while another rail is left
  std::int64_t peer_timeout_ns = 30'000'000'000;  // without any rail
  std::vector<std::string> without_effect;        // variables that are set, in words
  bool explain = false;                           // SUIRO_NET_EXPLAIN: on, off
  int local_rank = 0;                             // of this process on its host
  int local_ranks = 1;
  int cores = 1;  // that these may use together

  /// More ranks than cores: a rank may be away when something arrives for it.
  bool crowded() const { return local_ranks > cores; }
};

/// Reads the environment; throws std::runtime_error naming the variable, its value and what was
/// expected.
Settings settings_from_environment();

}  // namespace suiro::net
