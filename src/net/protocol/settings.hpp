// SPDX-License-Identifier: BSD-3-Clause
// What can be set of the engine. Read once per process from the environment
// (docs/reference/variables.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/variables.hpp"

namespace suiro::net {

/// How long messages use the rails: each prefers its own and takes what others have free; or they
/// are forced to use their own only, which is the paper's "static", or all alike.
enum class RailPolicy : std::uint8_t { balanced, fixed, striped };

/// What "base/variables.hpp" has no constant for cannot be set by the environment.
struct Settings {
  std::vector<std::string> networks;  // interfaces or a.b.c.d/n; empty: found
  RailPolicy rails = RailPolicy::balanced;
  std::vector<std::uint8_t> job_secret;
  // Messages up to this travel with their envelope.
  std::uint64_t eager_bytes = variables::net_eager.usual;
  // Of a long message, at most, before it is asked for.
  std::uint64_t ahead_bytes = variables::net_ahead.usual;
  std::uint64_t copied_bytes = 4 << 10;  // retained copies rather than buffers up to this
  // Eager payload buffered, per process.
  std::uint64_t unexpected_budget = variables::net_unexpected.usual;
  std::uint64_t inject_budget = 1 << 30;  // injected and not yet taken, per process
  std::uint64_t chunk_bytes = variables::net_chunk.usual;  // granted at a time when rails share
  int streams_per_rail = variables::net_streams.usual;     // bulk streams
  int bulk_buffer_bytes = variables::net_buffer.usual;     // of sockets; 0: the system's
  bool shared_memory = variables::net_shared_memory.usual;
  std::int64_t handshake_timeout_ns = 5'000'000'000;
  // Without progress, while another rail is left; and without any rail.
  std::int64_t stall_timeout_ns = variables::net_stall_seconds.usual * 1'000'000'000;
  std::int64_t peer_timeout_ns = variables::net_peer_seconds.usual * 1'000'000'000;
  bool explain = variables::net_explain.usual;
  int local_rank = 0;  // of this process on its host
  int local_ranks = 1;
  int cores = 1;  // that these may use together

  /// More ranks than cores: a rank may be away when something arrives for it.
  bool crowded() const { return local_ranks > cores; }
};

/// Reads the environment; throws as its readers do (base/variable.hpp).
Settings settings_from_environment();

}  // namespace suiro::net
