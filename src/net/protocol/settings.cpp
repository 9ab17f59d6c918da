// SPDX-License-Identifier: BSD-3-Clause
#include "net/protocol/settings.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "host/links.hpp"
#include "host/local_place.hpp"

namespace suiro::net {
namespace {

const char* get(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

[[noreturn]] void refuse(const char* variable, std::string_view value, std::string_view expected) {
  throw std::runtime_error(fmt::format("{}={}: expected {}", variable, value, expected));
}

/// A whole number with at most one of K, M, G behind it, which count in 1024s.
template <typename Number>
void read_number(const char* variable, Number& number, Number lowest, Number highest) {
  const char* text = get(variable);
  if (text == nullptr) return;
  const std::string_view value = text;
  const auto expected = [&] { return fmt::format("a number from {} to {}", lowest, highest); };
  std::uint64_t parsed = 0;
  const char* end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, parsed);
  if (error != std::errc() || parsed > std::uint64_t{1} << 50) refuse(variable, value, expected());
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  if (unit == "K" || unit == "k")
    parsed <<= 10;
  else if (unit == "M")
    parsed <<= 20;
  else if (unit == "G")
    parsed <<= 30;
  else if (!unit.empty())
    refuse(variable, value, expected());
  if (parsed < static_cast<std::uint64_t>(lowest) || parsed > static_cast<std::uint64_t>(highest))
    refuse(variable, value, expected());
  number = static_cast<Number>(parsed);
}

void read_seconds(const char* variable, std::int64_t& nanoseconds) {
  std::int64_t seconds = nanoseconds / 1'000'000'000;
  read_number<std::int64_t>(variable, seconds, 1, 86400);
  nanoseconds = seconds * 1'000'000'000;
}

void read_rails(RailPolicy& rails) {
  const char* text = get("SUIRO_NET_RAILS");
  if (text == nullptr) return;
  const std::string_view value = text;
  if (value == "static")
    rails = RailPolicy::fixed;
  else if (value == "striped")
    rails = RailPolicy::striped;
  else
    refuse("SUIRO_NET_RAILS", value, "static or striped, or no such variable");
}

void read_switch(const char* variable, bool& on) {
  const char* text = get(variable);
  if (text == nullptr) return;
  const std::string_view value = text;
  if (value != "on" && value != "off") refuse(variable, value, "on or off");
  on = value == "on";
}

/// There once was such a variable: who still sets it is told why nothing happens.
void note_without_effect(std::vector<std::string>& lines) {
  if (const char* value = get("SUIRO_NET"))
    lines.push_back(
        fmt::format("SUIRO_NET={} has no effect: sockets are always read by epoll", value));
}

/// The value is a secret: messages do not repeat it.
void read_secret(std::vector<std::uint8_t>& secret) {
  const char* text = get("SUIRO_JOB_SECRET");
  if (text == nullptr) return;
  const std::string_view value = text;
  if (value.size() < 32 || value.size() > 128 || value.size() % 2 != 0)
    refuse("SUIRO_JOB_SECRET", "(hidden)", "32 to 128 hexadecimal digits, an even number");
  for (std::size_t i = 0; i < value.size(); i += 2) {
    std::uint8_t byte = 0;
    const auto [end, error] = std::from_chars(&value[i], &value[i] + 2, byte, 16);
    if (error != std::errc() || end != &value[i] + 2)
      refuse("SUIRO_JOB_SECRET", "(hidden)", "32 to 128 hexadecimal digits, an even number");
    secret.push_back(byte);
  }
}

}  // namespace

Settings settings_from_environment() {
  Settings settings;
  settings.networks = host::named_networks();
  read_rails(settings.rails);
  read_switch("SUIRO_NET_SHARED_MEMORY", settings.shared_memory);
  read_switch("SUIRO_NET_EXPLAIN", settings.explain);
  note_without_effect(settings.without_effect);
  read_secret(settings.job_secret);
  read_number<std::uint64_t>("SUIRO_NET_EAGER", settings.eager_bytes, 0, 1 << 20);
  read_number<std::uint64_t>("SUIRO_NET_AHEAD", settings.ahead_bytes, 0, 1 << 20);
  read_number<std::uint64_t>("SUIRO_NET_UNEXPECTED", settings.unexpected_budget, 1 << 20,
                             std::uint64_t{1} << 40);
  read_number<std::uint64_t>("SUIRO_NET_CHUNK", settings.chunk_bytes, 64 << 10, 1 << 30);
  read_number<int>("SUIRO_NET_STREAMS", settings.streams_per_rail, 1, 16);
  read_number<int>("SUIRO_NET_BUFFER", settings.bulk_buffer_bytes, 0, 1 << 30);
  read_seconds("SUIRO_NET_STALL_SECONDS", settings.stall_timeout_ns);
  read_seconds("SUIRO_NET_PEER_SECONDS", settings.peer_timeout_ns);
  const host::LocalPlace place = host::local_place();
  settings.local_rank = place.rank;
  settings.local_ranks = place.ranks;
  settings.cores = place.cores;
  return settings;
}

}  // namespace suiro::net
