// SPDX-License-Identifier: BSD-3-Clause
// Which messages go at once, which are asked for, and how much of these goes ahead
// (docs/decisions/0017-a-part-goes-ahead.md).
#include <algorithm>
#include <memory>

#include "net/outbox.hpp"
#include "net/transfer.hpp"

namespace suiro::net {
namespace {

/// Of messages that could go whole on a near link one is asked for after so many, so that the
/// receiver sees whether the link is still as fast.
constexpr int ahead_in_row_max = 64;

}  // namespace

bool Outbox::may_be_eager(std::uint64_t length) const {
  return may_go_whole(length) && cost(length) <= credit_left();
}

/// If there is credit.
bool Outbox::may_go_whole(std::uint64_t length) const {
  return (length <= core_.settings.eager_bytes || may_go_ahead(length)) &&
         length <= max_payload_bytes;
}

/// On a near link, who sends faster than the peer receives would only fill its memory; on a far one
/// a request costs more than that. Who was answered each time does not send faster; but in a crowd
/// such a peer may be away, and what it did not expect must be copied. Now and then one is asked
/// for, which measures the link.
bool Outbox::may_go_ahead(std::uint64_t length) const {
  if (ahead_in_row_ >= ahead_in_row_max) return false;
  if (answered_ && turned_ && !core_.settings.crowded() && ahead_.fits_in_turns(length))
    return true;
  const bool last_is_taken = peer_credit_ >= credit_when_taken_;
  return ahead_.fits(length) && (!ahead_.only_whole || last_is_taken);
}

void Outbox::decide(Frame& frame) {
  frame.undecided = false;
  const std::uint64_t length = frame.header.message_bytes;
  if (may_be_eager(length)) {
    charge_eager(length);
    // The user may have the memory back soon where a copy is cheap.
    Send& send = *frame.send;
    if (send.copy == nullptr && keeps_copy(length)) {
      send.copy = std::make_unique_for_overwrite<std::byte[]>(length);
      send.payload.get(send.copy.get());
      send.payload = Segments(send.copy.get(), length);
      core_.statistics.copied_bytes += length;
    }
    return;
  }
  if (length <= core_.settings.eager_bytes) ++core_.statistics.requests_for_lack_of_credit;
  announce(frame);
}

void Outbox::charge_eager(std::uint64_t length) {
  spent_credit_ += cost(length);
  ++core_.statistics.eager_sent;
  core_.statistics.eager_bytes_sent += length;
  if (length <= core_.settings.eager_bytes) return;
  take_turn();
  ++ahead_in_row_;
  credit_when_taken_ = peer_credit_ + cost(length);
}

/// Asks for a long message to be fetched. What the link carries until the answer comes goes ahead.
void Outbox::announce(Frame& frame) {
  Header& header = frame.header;
  Send& send = *frame.send;
  const std::uint64_t length = header.message_bytes;
  const std::uint64_t room = credit_left() > cost(0) ? credit_left() - cost(0) : 0;
  const std::uint64_t wished = may_go_whole(length) ? length : std::min(ahead_.of_longer(), length);
  const std::uint64_t ahead = std::min(ahead_.of_longer(), room);
  const bool worthwhile = ahead >= least_ahead && ahead < length;
  header.ahead_bytes = static_cast<std::uint32_t>(wished > room ? wished : 0);
  header.kind = FrameKind::request;
  header.payload_bytes = static_cast<std::uint32_t>(worthwhile ? ahead : 0);
  header.transfer = transfers_.announce(send);
  if (charges(header)) spent_credit_ += cost(header.payload_bytes);
  ++core_.statistics.requests_sent;
  core_.statistics.ahead_bytes_sent += header.payload_bytes;
  send.announcing = worthwhile;
  take_turn();
  ahead_in_row_ = 0;
  if (!worthwhile) frame.send = nullptr;
}

}  // namespace suiro::net
