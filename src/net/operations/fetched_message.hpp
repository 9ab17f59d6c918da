// SPDX-License-Identifier: BSD-3-Clause
// Plain values in a pool that all sessions share.
#pragma once

#include <cstdint>
#include <vector>

#include "net/operations/operations.hpp"

namespace suiro::net {

/// A long message that is being fetched from its sender.
struct Transfer {
  struct Range {
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
  };

  Receive* receive = nullptr;
  std::uint64_t number = 0;  // the sender's
  std::uint64_t bytes = 0;   // that are wanted
  std::uint64_t arrived = 0;
  std::uint64_t ahead = 0;    // bytes that come with the request, and have not come yet
  std::uint64_t granted = 0;  // what comes after it was never granted
  std::vector<Range> again;   // was granted on streams that are gone
  bool queued = false;        // among those with something to grant
};

}  // namespace suiro::net
