// SPDX-License-Identifier: BSD-3-Clause
#include "net/protocol/settings.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/variables.hpp"
#include "host/links.hpp"
#include "host/local_place.hpp"

namespace suiro::net {
namespace {

std::int64_t nanoseconds_of(const Number& seconds) { return number_of(seconds) * 1'000'000'000; }

RailPolicy rails() {
  const std::string_view wanted = choice_of(variables::net_rails);
  if (wanted == "static") return RailPolicy::fixed;
  return wanted == "striped" ? RailPolicy::striped : RailPolicy::balanced;
}

/// A host has memory for its ranks together, however many they are, unless somebody has said what
/// each may have.
std::uint64_t unexpected_budget(int local_ranks) {
  constexpr std::int64_t of_host = std::int64_t{1} << 30;
  const Number& its = variables::net_unexpected;
  const std::int64_t each = number_of(its);
  if (value_of(its) != nullptr) return static_cast<std::uint64_t>(each);
  return static_cast<std::uint64_t>(
      std::clamp(of_host / std::max(local_ranks, 1), its.lowest, each));
}

std::vector<std::uint8_t> job_secret() {
  const std::string value = text_of(variables::job_secret);
  if (value.empty()) return {};
  if (value.size() < 32 || value.size() > 128 || value.size() % 2 != 0)
    refuse(variables::job_secret, value);
  std::vector<std::uint8_t> secret;
  secret.reserve(value.size() / 2);
  for (std::size_t i = 0; i < value.size(); i += 2) {
    std::uint8_t byte = 0;
    const auto [end, error] = std::from_chars(&value[i], &value[i] + 2, byte, 16);
    if (error != std::errc() || end != &value[i] + 2) refuse(variables::job_secret, value);
    secret.push_back(byte);
  }
  return secret;
}

}  // namespace

Settings settings_from_environment() {
  Settings settings;
  settings.networks = host::named_networks();
  settings.rails = rails();
  settings.shared_memory = is_on(variables::net_shared_memory);
  settings.explain = is_on(variables::net_explain);
  settings.job_secret = job_secret();
  settings.eager_bytes = static_cast<std::uint64_t>(number_of(variables::net_eager));
  settings.ahead_bytes = static_cast<std::uint64_t>(number_of(variables::net_ahead));
  settings.chunk_bytes = static_cast<std::uint64_t>(number_of(variables::net_chunk));
  settings.streams_per_rail = static_cast<int>(number_of(variables::net_streams));
  settings.bulk_buffer_bytes = static_cast<int>(number_of(variables::net_buffer));
  settings.stall_timeout_ns = nanoseconds_of(variables::net_stall_seconds);
  settings.peer_timeout_ns = nanoseconds_of(variables::net_peer_seconds);
  const host::LocalPlace place = host::local_place();
  settings.local_rank = place.rank;
  settings.local_ranks = place.ranks;
  settings.cores = place.cores;
  settings.unexpected_budget = unexpected_budget(place.ranks);
  return settings;
}

}  // namespace suiro::net
