// SPDX-License-Identifier: BSD-3-Clause
// Where messages come from, as those see it who match and keep them.
#pragma once

#include <cstdint>

#include "net/operations/operations.hpp"

namespace suiro::net {

class Origin {
 public:
  virtual ~Origin() = default;
  /// A long message has its receive: the rest is to be fetched; so much of it comes ahead.
  /// `transfer` is its number there.
  virtual void fetch(Receive& receive, std::uint64_t transfer, std::uint64_t ahead) = 0;
  /// What comes ahead of a message that is fetched has come.
  virtual void came_ahead(Receive& receive) = 0;
  /// Nobody wants the long message of this number.
  virtual void decline(std::uint64_t transfer) = 0;
  /// The user wants no more of a message that is fetched, and has the memory back.
  virtual void abandon(Receive& receive) = 0;
  /// So much of the memory that messages without a receive take is free again.
  virtual void consumed(std::uint64_t bytes) = 0;
};

}  // namespace suiro::net
