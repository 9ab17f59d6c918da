// SPDX-License-Identifier: BSD-3-Clause
#include "net/engine/offers.hpp"

#include <algorithm>
#include <array>

namespace suiro::net {

std::uint64_t Offers::announce(Send& send) {
  send.transfer = ++last_number_;
  outgoing_.emplace(send.transfer, &send);
  departures_.announced(send, streams_.home_rail());
  opener_.want_bulk();
  return send.transfer;
}

BusyLinks Offers::busy_links() const {
  return streams_.shares() && core_.settings.rails == RailPolicy::balanced ? departures_.elsewhere()
                                                                           : BusyLinks{};
}

bool Offers::granted(const Header& header) {
  const auto found = outgoing_.find(header.transfer);
  if (found == outgoing_.end()) return false;
  Send& send = *found->second;
  const std::uint64_t bytes = send.payload.bytes();
  if (header.message_bytes > bytes || header.tag > bytes - header.message_bytes) return false;
  if (header.stream >= streams_.size()) return false;
  BulkStream& stream = streams_[header.stream];
  // The life that this was granted on may be over: the receiver will see that too.
  if (stream.life != header.data || stream.state == BulkStream::State::closed) return true;
  outbox_.set_ahead(
      {.bytes = std::min<std::uint64_t>(header.ahead_bytes, core_.settings.ahead_bytes),
       .only_whole = header.only_whole});
  // No byte is granted twice on one life of a stream.
  std::uint64_t granted = header.message_bytes;
  for (const Piece& piece : stream.pieces)
    if (piece.send == &send) granted += piece.length;
  if (granted > bytes) return false;
  stream.pieces.push_back({.send = &send, .offset = header.tag, .length = header.message_bytes});
  departures_.granted(send, header.stream, stream.rail, header.message_bytes);
  flush(header.stream);
  return true;
}

bool Offers::done(const Header& header) {
  const auto found = outgoing_.find(header.transfer);
  if (found == outgoing_.end()) return false;
  Send& send = *found->second;
  // Who has not got the whole request does not answer it; its first part is read from the user's
  // memory.
  if (send.announcing) return false;
  outgoing_.erase(found);
  // The receiver has all it wants. What it had granted on a stream must not be read from the
  // user's memory any more; an honest receiver has left that stream already.
  for (std::size_t number = 0; number < streams_.size(); ++number)
    if (std::ranges::any_of(streams_[number].pieces,
                            [&](const Piece& piece) { return piece.send == &send; }))
      opener_.end_bulk(number, "the peer needs nothing more of this stream");
  departures_.ended(send);
  core_.sends.finish(send, Status::ok);
  outbox_.hear_of_end();
  return true;
}

void Offers::writable(std::size_t number) {
  streams_[number].blocked = false;
  flush(number);
}

/// Writes what was granted, straight from the user's memory.
void Offers::flush(std::size_t number) {
  BulkStream& stream = streams_[number];
  while (stream.is_open() && !stream.blocked && !stream.pieces.empty()) {
    Piece& piece = stream.pieces.front();
    std::array<iovec, max_segments> pieces;
    const std::size_t count = piece.send->payload.list(piece.offset, piece.length, pieces);
    const std::uint64_t taken = core_.carrier.write(stream.stream, std::span(pieces).first(count));
    core_.statistics.bulk_bytes_sent += taken;
    core_.statistics.rails[stream.rail].sent_bytes += taken;
    piece.offset += taken;
    piece.length -= taken;
    stream.blocked = piece.length > 0;
    if (piece.length == 0) stream.pieces.pop_front();
  }
}

void Offers::opened(std::size_t number) {
  streams_[number].blocked = false;
  departures_.prefers(streams_.home_rail());
  flush(number);
}

void Offers::closed(std::size_t number) {
  streams_[number].pieces.clear();
  departures_.closed(number);
  departures_.prefers(streams_.home_rail());
}

void Offers::fail() {
  for (BulkStream& stream : streams_) stream.pieces.clear();
  departures_.fail();
  for (const auto& [number, send] : outgoing_) core_.sends.finish(*send, Status::unreachable);
  outgoing_.clear();
}

}  // namespace suiro::net
