// SPDX-License-Identifier: BSD-3-Clause
#include "net/frames/inbox.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace suiro::net {
namespace {

bool is_same(const Header& one, const Header& other) {
  return one.kind == other.kind && one.message_bytes == other.message_bytes &&
         one.payload_bytes == other.payload_bytes && one.transfer == other.transfer;
}

}  // namespace

bool Inbox::refuse(const char* objection) {
  objection_ = objection;
  return false;
}

bool Inbox::receive(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    if (in_payload_) {
      const std::size_t here = std::min<std::uint64_t>(bytes.size(), header_.payload_bytes - done_);
      if (const Segments* memory = target()) memory->put(done_, bytes.first(here));
      bytes = bytes.subspan(here);
      if (!advance(here)) return false;
      continue;
    }
    const std::size_t here = std::min(bytes.size(), header_wanted_ - header_have_);
    std::memcpy(bytes_.data() + header_have_, bytes.data(), here);
    header_have_ += here;
    bytes = bytes.subspan(here);
    if (header_have_ < header_wanted_) break;
    header_wanted_ = header_length(bytes_);
    if (header_have_ == header_wanted_ && !take_header()) return false;
  }
  return true;
}

void Inbox::next_header() {
  header_have_ = 0;
  header_wanted_ = header_bytes_min;
}

/// Where the payload goes; null if nowhere.
const Segments* Inbox::target() const {
  if (duplicate_) return nullptr;
  return receive_ != nullptr ? &receive_->buffers : &kept_;
}

std::span<std::byte> Inbox::wanted() const {
  if (!in_payload_) return {};
  const Segments* memory = target();
  if (memory == nullptr) return {};
  const std::span<std::byte> room = memory->at(done_);
  return room.first(std::min<std::uint64_t>(room.size(), header_.payload_bytes - done_));
}

bool Inbox::placed(std::size_t bytes) { return advance(bytes); }

bool Inbox::take_header() {
  const std::optional<Header> header = decode(std::span(bytes_).first(header_have_));
  next_header();
  if (!header) return refuse("a frame makes no sense");
  header_ = *header;
  if (!sink_.heard(header_)) return refuse("frames are acknowledged that were never sent");
  if (header_.kind == FrameKind::acknowledgement) return true;
  const auto ahead = static_cast<std::int32_t>(header_.sequence - outbox_.received());
  if (ahead > 0) return refuse("frames are missing");
  duplicate_ = ahead < 0;
  if (header_.kind == FrameKind::eager || is_request()) return begin_message();
  if (duplicate_) return true;
  outbox_.count_received();
  return sink_.frame(header_) || refuse("a frame does not fit to what was said before");
}

bool Inbox::begin_message() {
  if (!duplicate_ && begun_ && !is_same(header_, message_))
    return refuse("a message that came again is another one");
  if (!duplicate_ && !begun_ && !meet()) return false;
  done_ = 0;
  in_payload_ = true;
  return advance(0);
}

/// A message that was not heard of before meets its receive, if there is one.
bool Inbox::meet() {
  message_ = header_;
  outbox_.count_answer();
  const std::uint64_t payload = header_.payload_bytes;
  if (charges(header_)) spent_credit_ += cost(payload);
  if (spent_credit_ > outbox_.told_credit()) return refuse("more was sent than was allowed");
  if (is_request() && !sink_.frame(header_)) return refuse("a request makes no sense");
  const Envelope envelope{.source = peer_,
                          .space = header_.space,
                          .has_data = header_.has_data,
                          .tag = header_.tag,
                          .data = header_.data,
                          .length = header_.message_bytes};
  begun_ = true;
  receive_ = mailbox_.match(envelope);
  if (receive_ == nullptr) {
    unexpected_ = &mailbox_.keep(envelope, header_, sink_);
    kept_ = Segments(unexpected_->payload.bytes.get(), payload);
  } else if (is_request() && payload > 0) {
    sink_.fetch(*receive_, header_.transfer, payload);
  }
  return true;
}

bool Inbox::advance(std::uint64_t bytes) {
  done_ += bytes;
  if (done_ < header_.payload_bytes) return true;
  in_payload_ = false;
  if (!duplicate_) end_message();
  return true;
}

void Inbox::end_message() {
  outbox_.count_received();
  begun_ = false;
  Receive* receive = std::exchange(receive_, nullptr);
  Unexpected* unexpected = std::exchange(unexpected_, nullptr);
  kept_ = Segments();
  if (receive == nullptr) {
    mailbox_.arrived(*unexpected);
    return;
  }
  const Header message = message_;
  if (message.kind == FrameKind::eager)
    mailbox_.finish(*receive, Status::ok);
  else if (message.payload_bytes == 0)
    sink_.fetch(*receive, message.transfer, 0);
  else
    sink_.came_ahead(*receive);
  if (charges(message)) sink_.consumed(cost(message.payload_bytes));
}

void Inbox::reset() {
  next_header();
  in_payload_ = false;
}

void Inbox::fail() {
  reset();
  begun_ = false;
  unexpected_ = nullptr;  // the mailbox ends it
  Receive* receive = std::exchange(receive_, nullptr);
  // What has a transfer ends with that.
  if (receive != nullptr && receive->transfer == nullptr)
    mailbox_.finish(*receive, Status::unreachable);
}

}  // namespace suiro::net
