// SPDX-License-Identifier: BSD-3-Clause
// What happened, counted; printed with --explain and by `suiro top`.
#pragma once

#include <array>
#include <cstdint>

#include "net/protocol/name.hpp"

namespace suiro::net {

struct RailStatistics {
  std::uint64_t sent_bytes = 0;
  std::uint64_t received_bytes = 0;
  std::uint64_t streams_opened = 0;
  std::uint64_t streams_lost = 0;
};

struct Statistics {
  std::uint64_t eager_sent = 0, requests_sent = 0;
  std::uint64_t eager_bytes_sent = 0, bulk_bytes_sent = 0;
  std::uint64_t ahead_bytes_sent = 0;                   // of long messages, with their requests
  std::uint64_t messages_received = 0, unexpected = 0;  // of which there was no receive yet
  std::uint64_t copied_bytes = 0;                       // from the unexpected queue or retained
  std::uint64_t posted_now = 0, unexpected_now = 0, unexpected_bytes_now = 0,
                most_unexpected_bytes = 0;
  std::uint64_t requests_for_lack_of_credit = 0;
  std::uint64_t refused_streams = 0;  // handshakes that failed
  std::uint64_t frames_sent_again = 0, grants_given_again = 0;
  std::uint64_t helper_wakeups = 0, helper_took_over = 0;
  std::uint64_t system_calls = 0;
  std::uint64_t peers_connected = 0;
  std::array<RailStatistics, max_rails + 1> rails{};  // the last: shared memory
};

}  // namespace suiro::net
