// SPDX-License-Identifier: BSD-3-Clause
#include "net/engine/transfer.hpp"

#include <algorithm>

namespace suiro::net {
namespace {

Header about(FrameKind kind, std::uint64_t transfer) {
  Header header;
  header.kind = kind;
  header.transfer = transfer;
  return header;
}

}  // namespace

BulkStream& Transfers::stream(std::size_t number) {
  if (streams_.size() <= number) streams_.resize(number + 1);
  return streams_[number];
}

std::uint64_t Transfers::announce(Send& send) {
  send.transfer = ++last_number_;
  outgoing_.emplace(send.transfer, &send);
  departures_.announced(send, home_rail());
  opener_.want_bulk();
  return send.transfer;
}

bool Transfers::granted(const Header& header) {
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

bool Transfers::done(const Header& header) {
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

void Transfers::writable(std::size_t number) {
  streams_[number].blocked = false;
  flush(number);
}

/// Writes what was granted, straight from the user's memory.
void Transfers::flush(std::size_t number) {
  BulkStream& stream = streams_[number];
  while (stream.state == BulkStream::State::open && !stream.blocked && !stream.pieces.empty()) {
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

void Transfers::fetch(Receive& receive, std::uint64_t number, std::uint64_t ahead) {
  Transfer& transfer = core_.transfers.take();
  transfer.receive = &receive;
  transfer.number = number;
  transfer.bytes = std::min(receive.buffers.bytes(), receive.message.length);
  transfer.ahead = ahead;
  transfer.granted = std::min(ahead, transfer.bytes);
  receive.origin = &origin_;
  receive.transfer = &transfer;
  ++active_;
  if (transfer.granted < transfer.bytes) {
    planned_ += transfer.bytes - transfer.granted;
    queue(transfer);
    opener_.want_bulk();
    plan();
    distribute();
  } else if (ahead == 0) {
    complete(transfer);
  }
}

void Transfers::came_ahead(Receive& receive) {
  Transfer& transfer = *receive.transfer;
  transfer.arrived += std::min(transfer.ahead, transfer.bytes);
  transfer.ahead = 0;
  if (transfer.arrived == transfer.bytes) complete(transfer);
}

void Transfers::decline(std::uint64_t number) { outbox_.post(about(FrameKind::done, number)); }

void Transfers::queue(Transfer& transfer) {
  if (transfer.queued) return;
  transfer.queued = true;
  waiting_.push_back(&transfer);
}

void Transfers::complete(Transfer& transfer) {
  Receive& receive = *transfer.receive;
  decline(transfer.number);
  core_.transfers.give(transfer);
  --active_;
  receive.transfer = nullptr;
  mailbox_.finish(receive, Status::ok);
}

/// The user has the memory back: no stream may write into it any more.
void Transfers::abandon(Receive& receive) {
  Transfer& transfer = *receive.transfer;
  std::erase(waiting_, &transfer);
  planned_ -= transfer.bytes - transfer.granted;
  for (const Transfer::Range& range : transfer.again) planned_ -= range.length;
  plan();
  for (std::size_t number = 0; number < streams_.size(); ++number) {
    const auto to_it = [&](const Grant& grant) { return grant.transfer == &transfer; };
    if (std::erase_if(streams_[number].grants, to_it) > 0)
      opener_.end_bulk(number, "a receive was abandoned");
  }
  if (transfer.ahead == 0) {
    complete(transfer);
    return;
  }
  // It ends with what is on its way; where that goes, nobody is any more.
  transfer.bytes = transfer.granted = transfer.arrived + std::min(transfer.ahead, transfer.bytes);
  transfer.again.clear();
}

std::span<std::byte> Transfers::wanted(std::size_t number) {
  const BulkStream& stream = streams_[number];
  if (stream.grants.empty()) return {};
  const Grant& grant = stream.grants.front();
  const std::span<std::byte> room = grant.transfer->receive->buffers.at(grant.offset + grant.done);
  return room.first(std::min<std::uint64_t>(room.size(), grant.length - grant.done));
}

void Transfers::placed(std::size_t number, std::size_t bytes) {
  BulkStream& stream = streams_[number];
  if (stream.grants.empty()) return;
  Grant& grant = stream.grants.front();
  if (grant.done == 0) {
    grant.first_ns = core_.carrier.now_ns();
    grant.first_bytes = bytes;
  }
  grant.done += bytes;
  stream.outstanding -= bytes;
  grant.transfer->arrived += bytes;
  stream.progress_ns = core_.carrier.now_ns();
  core_.loads.arrived(stream.rail, bytes, stream.progress_ns);
  core_.statistics.rails[stream.rail].received_bytes += bytes;
  if (grant.done < grant.length) return;
  measure(stream, grant);
  Transfer& transfer = *grant.transfer;
  stream.grants.pop_front();
  if (transfer.arrived == transfer.bytes) complete(transfer);
  distribute();
}

void Transfers::opened(std::size_t number) {
  BulkStream& stream = streams_[number];
  stream.state = BulkStream::State::open;
  stream.blocked = false;
  begin_measuring(stream);
  flush(number);
  distribute();
}

void Transfers::closed(std::size_t number) {
  BulkStream& stream = streams_[number];
  stream.state = BulkStream::State::closed;
  stream.stream = no_stream;
  core_.loads.lost(stream.rail, stream.outstanding, core_.carrier.now_ns());
  stream.outstanding = 0;
  stream.pieces.clear();
  departures_.closed(number);
  const std::deque<Grant> grants = std::move(stream.grants);
  stream.grants.clear();
  for (const Grant& grant : grants) {
    ++core_.statistics.grants_given_again;
    grant.transfer->again.push_back({grant.offset + grant.done, grant.length - grant.done});
    planned_ += grant.length - grant.done;
    queue(*grant.transfer);
  }
  distribute();
}

void Transfers::fail() {
  for (BulkStream& stream : streams_) {
    stream.state = BulkStream::State::closed;
    core_.loads.lost(stream.rail, stream.outstanding, core_.carrier.now_ns());
    stream.outstanding = 0;
    stream.grants.clear();
    stream.pieces.clear();
  }
  waiting_.clear();
  planned_ = 0;
  plan();
  active_ = 0;
  core_.transfers.for_each([&](Transfer& transfer) {
    Receive& receive = *transfer.receive;
    if (receive.origin != &origin_) return;
    core_.transfers.give(transfer);
    receive.transfer = nullptr;
    mailbox_.finish(receive, Status::unreachable);
  });
  departures_.fail();
  for (const auto& [number, send] : outgoing_) core_.sends.finish(*send, Status::unreachable);
  outgoing_.clear();
}

}  // namespace suiro::net
