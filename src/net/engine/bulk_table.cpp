// SPDX-License-Identifier: BSD-3-Clause
#include "net/engine/bulk_table.hpp"

#include <algorithm>

namespace suiro::net {

BulkStream& BulkTable::stream(std::size_t number) {
  if (streams_.size() <= number) streams_.resize(number + 1);
  return streams_[number];
}

bool BulkTable::trusted(const BulkStream& stream) const {
  if (!stream.is_open()) return false;
  return !core_.suspects(stream.rail) ||
         std::ranges::none_of(streams_, [&](const BulkStream& other) {
           return other.is_open() && !core_.suspects(other.rail);
         });
}

const BulkStream* BulkTable::preferred() const {
  const BulkStream* best = nullptr;
  for (const BulkStream& stream : streams_)
    if (trusted(stream) && (best == nullptr || stream.preference < best->preference))
      best = &stream;
  return best;
}

std::size_t BulkTable::home_rail() const {
  if (const BulkStream* const stream = preferred(); stream != nullptr) return stream->rail;
  return paths_.same_host || paths_.routes.empty() ? max_rails : paths_.routes.front().own_rail;
}

bool BulkTable::shares() const {
  return core_.settings.rails != RailPolicy::fixed && !paths_.same_host && paths_.routes.size() > 1;
}

}  // namespace suiro::net
