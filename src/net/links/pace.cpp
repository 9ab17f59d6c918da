// SPDX-License-Identifier: BSD-3-Clause
#include "net/links/pace.hpp"

#include <algorithm>

namespace suiro::net {
namespace {

/// A shorter round trip costs less than to begin on one stream and go on on another.
constexpr std::int64_t least_round_trip_ns = 25'000;
/// A message for which a short one behind it waits no longer than this need not be asked for.
constexpr double longest_wait_ns = 200'000;

}  // namespace

/// What was read first was perhaps more than what came first, so it is taken off at the rate of the
/// rest.
void Pace::note(const Answer& answer, std::int64_t now_ns) {
  if (answer.asked_ns == 0 || now_ns <= answer.asked_ns) return;
  const auto rate_since = [&](std::int64_t begin_ns, std::uint64_t bytes) {
    return static_cast<double>(bytes) / static_cast<double>(now_ns - begin_ns);
  };
  const double rate_of_all = rate_since(answer.asked_ns, answer.length);
  const double fastest = answer_bytes_per_ns_;
  answer_bytes_per_ns_ =
      rate_of_all > fastest ? rate_of_all : fastest + (rate_of_all - fastest) / 16;
  const std::uint64_t rest = answer.length - answer.first_bytes;
  if (rest < least_ahead || now_ns <= answer.first_ns) return;
  const double rate = rate_since(answer.first_ns, rest);
  const auto carried_ns = static_cast<std::int64_t>(static_cast<double>(answer.first_bytes) / rate);
  const std::int64_t took =
      std::max<std::int64_t>(answer.first_ns - carried_ns - answer.asked_ns, 1);
  const std::int64_t before = round_trip_ns_;
  round_trip_ns_ = before == 0 || took < before ? took : before + (took - before) / 64;
  flow_bytes_per_ns_ = before == 0 ? rate : (flow_bytes_per_ns_ + rate) / 2;
}

Ahead Pace::ahead(std::uint64_t most, bool several_rails) const {
  const bool far = round_trip_ns_ >= least_round_trip_ns;
  const double part = far ? flow_bytes_per_ns_ * static_cast<double>(round_trip_ns_) : 0;
  const double whole = !several_rails ? answer_bytes_per_ns_ * longest_wait_ns : 0;
  const double bytes = std::min(std::max(part, whole), static_cast<double>(most));
  if (bytes < static_cast<double>(least_ahead)) return {};
  return {.bytes = static_cast<std::uint64_t>(bytes), .only_whole = !far};
}

}  // namespace suiro::net
