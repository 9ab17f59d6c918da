// SPDX-License-Identifier: BSD-3-Clause
#include "net/frames/outbox.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace suiro::net {
namespace {

/// Copies beyond this are not kept for one peer: then the user's memory serves until the
/// acknowledgement.
constexpr std::uint64_t kept_bytes_max = 4 << 20;
/// So many frames may wait to be written before no more are injected.
constexpr std::size_t waiting_before_injections = 32768;
/// So much is kept before an acknowledgement is asked for.
constexpr std::uint64_t unasked_bytes_max = 128 << 10;
/// A peer that waits for credit, or to hear that its last message was taken, is told by then.
constexpr std::uint64_t untold_credit_max = 256 << 10;
constexpr std::size_t pieces_per_write = 64;

bool before(std::uint32_t one, std::uint32_t other) {
  return static_cast<std::int32_t>(one - other) < 0;
}

/// The send that ends with this frame: that of a request ends with its transfer.
Send* eager_send(const Frame& frame) {
  return frame.header.kind == FrameKind::request ? nullptr : frame.send;
}

}  // namespace

bool Outbox::keeps_copy(std::uint64_t length) const {
  return resumes_ && length <= core_.settings.copied_bytes && kept_bytes_ < kept_bytes_max;
}

Header Outbox::header_of(const SendRequest& request, std::uint64_t length) const {
  Header header;
  header.kind = FrameKind::eager;
  header.space = request.space;
  header.has_data = request.has_data;
  header.tag = request.tag;
  header.data = request.has_data ? request.data : 0;
  header.message_bytes = length;
  header.payload_bytes = static_cast<std::uint32_t>(length);
  return header;
}

Status Outbox::send(const SendRequest& request) {
  const std::uint64_t length = total_bytes(request.buffers);
  if (ready() && admission_.may_be_eager(length)) return send_now(request, length);
  if (request.inject && !may_inject(length)) return Status::try_again;
  wait(request, length);
  return Status::ok;
}

/// A sender that is faster than the receiver shall not fill its own memory.
bool Outbox::may_inject(std::uint64_t length) const {
  return waiting_.size + without_credit_.size() < waiting_before_injections &&
         core_.sends.may_inject(length);
}

/// The short way: header and payload in one call, and nothing remembered if all is said.
Status Outbox::send_now(const SendRequest& request, std::uint64_t length) {
  Header header = header_of(request, length);
  header.sequence = next_sequence_;
  header.wants_acknowledgement = wants_acknowledgement(header, request.delivery_complete,
                                                       request.inject || keeps_copy(length));
  header.received = received_;
  header.consumed_bytes = static_cast<std::uint32_t>(credit_);
  HeaderBytes encoded = encode(header);
  std::array<iovec, 1 + max_segments> pieces;
  pieces[0] = {.iov_base = encoded.bytes.data(), .iov_len = encoded.length};
  std::ranges::copy(request.buffers, pieces.begin() + 1);
  const std::uint64_t written =
      core_.carrier.write(stream_, std::span(pieces).first(1 + request.buffers.size()));
  core_.statistics.rails[rail_].sent_bytes += written;
  if (written == 0) {
    blocked_ = true;
    if (request.inject && !may_inject(length)) return Status::try_again;
    wait(request, length);
    return Status::ok;
  }
  stamp(header);
  ++next_sequence_;
  charge_eager(length);
  const bool whole = written == encoded.length + length;
  if (whole && !resumes_ && !request.delivery_complete)
    Sends::tell(request, length);
  else
    remember(request, header, written);
  return Status::ok;
}

/// A message that was written in part, or must be kept.
void Outbox::remember(const SendRequest& request, const Header& header, std::uint64_t written) {
  Send& send = core_.sends.remember(request, keeps_copy(header.payload_bytes));
  Frame& frame = core_.frames.take();
  frame.header = header;
  frame.encoded = encode(header);
  frame.send = &send;
  frame.numbered = true;
  frame.written = written;
  if (written == frame.bytes()) {
    this->written(frame);
    return;
  }
  blocked_ = true;
  waiting_.add(frame);
}

/// A message that cannot be written yet; its kind is decided when it can.
void Outbox::wait(const SendRequest& request, std::uint64_t length) {
  Frame& frame = core_.frames.take();
  frame.send = &core_.sends.remember(request, false);
  frame.header = header_of(request, length);
  frame.undecided = true;
  if (without_credit_.empty())
    waiting_.add(frame);
  else
    without_credit_.add(frame);
  flush();
}

void Outbox::post(const Header& header) {
  if (header.kind == FrameKind::goodbye) {
    admission_.leave();
    without_credit_.give_up();
  }
  Frame& frame = core_.frames.take();
  frame.header = header;
  waiting_.add(frame);
  flush();
}

/// Whether the peer shall say soon that it has this frame.
bool Outbox::wants_acknowledgement(const Header& header, bool complete_later, bool copied) {
  if (header.kind == FrameKind::eager && (complete_later || (resumes_ && !copied))) return true;
  if (!resumes_) return false;
  if (header.kind == FrameKind::goodbye) return true;
  unasked_bytes_ += header_bytes_max + header.payload_bytes;
  return unasked_bytes_ > unasked_bytes_max;
}

/// Every header says what has arrived here.
void Outbox::stamp(Header& header) {
  header.received = told_received_ = received_;
  told_credit_ = credit_;
  header.consumed_bytes = static_cast<std::uint32_t>(credit_);
  acknowledgement_wanted_ = false;
  if (header.wants_acknowledgement) unasked_bytes_ = 0;
}

/// The first byte of the frame is about to be written, for the first time or again.
void Outbox::begin(Frame& frame) {
  if (frame.undecided) decide(frame);
  Header& header = frame.header;
  if (header.kind != FrameKind::acknowledgement) {
    if (!frame.numbered) header.sequence = next_sequence_++;
    frame.numbered = true;
    const Send* send = frame.send;
    header.wants_acknowledgement = wants_acknowledgement(
        header, send != nullptr && send->delivery_complete, send != nullptr && send->copy);
  }
  stamp(header);
  frame.encoded = encode(header);
}

/// What goes at once, and what is asked for.
void Outbox::decide(Frame& frame) {
  frame.undecided = false;
  const std::uint64_t length = frame.header.message_bytes;
  if (!admission_.may_be_eager(length)) {
    announce(frame);
    return;
  }
  charge_eager(length);
  // The user may have the memory back soon where a copy is cheap.
  Send& send = *frame.send;
  if (send.copy != nullptr || !keeps_copy(length)) return;
  send.copy = std::make_unique_for_overwrite<std::byte[]>(length);
  send.payload.get(send.copy.get());
  send.payload = Segments(send.copy.get(), length);
  core_.statistics.copied_bytes += length;
}

void Outbox::charge_eager(std::uint64_t length) {
  admission_.send_eager(length);
  ++core_.statistics.eager_sent;
  core_.statistics.eager_bytes_sent += length;
}

/// Asks for a message to be fetched.
void Outbox::announce(Frame& frame) {
  Header& header = frame.header;
  Send& send = *frame.send;
  if (header.message_bytes <= core_.settings.eager_bytes)
    ++core_.statistics.requests_for_lack_of_credit;
  const Admission::Request request = admission_.request(header.message_bytes);
  header.kind = FrameKind::request;
  header.ahead_bytes = request.wished_bytes;
  header.payload_bytes = request.ahead_bytes;
  header.busy = announcer_.busy_links();
  header.transfer = announcer_.announce(send);
  ++core_.statistics.requests_sent;
  core_.statistics.ahead_bytes_sent += header.payload_bytes;
  send.announcing = header.payload_bytes > 0;
  if (!send.announcing) frame.send = nullptr;
}

void Outbox::flush() {
  while (attached() && !blocked_ && !waiting_.empty()) {
    std::array<iovec, pieces_per_write> pieces;
    std::size_t count = 0;
    std::uint64_t offered = 0;
    bool messages_wait = false;
    for (Frame* frame = waiting_.first;
         frame != nullptr && count + 1 + max_segments <= pieces.size(); frame = frame->next) {
      // Until the peer's credit is known, nothing goes but what tells it of its own.
      if (!heard_ && frame->header.kind != FrameKind::acknowledgement) break;
      if (frame->undecided && admission_.should_wait(frame->header.message_bytes)) {
        without_credit_.hold_back();
        messages_wait = true;
        break;
      }
      if (frame->written == 0) begin(*frame);
      HeaderBytes& encoded = frame->encoded;
      const std::uint64_t header_done = std::min<std::uint64_t>(frame->written, encoded.length);
      const std::uint64_t payload_done = frame->written - header_done;
      if (header_done < encoded.length)
        pieces[count++] = {.iov_base = encoded.bytes.data() + header_done,
                           .iov_len = encoded.length - header_done};
      const std::uint64_t left = frame->header.payload_bytes - payload_done;
      if (left > 0)
        count += frame->send->payload.list(payload_done, left, std::span(pieces).subspan(count));
      offered += frame->bytes() - frame->written;
    }
    if (count == 0 && messages_wait) continue;  // what is behind them does not wait
    if (count == 0) return;
    const std::uint64_t taken = core_.carrier.write(stream_, std::span(pieces).first(count));
    blocked_ = taken < offered;
    if (taken > 0) account(taken);
  }
}

/// Spreads what the carrier took over the frames that were offered.
void Outbox::account(std::uint64_t taken) {
  core_.statistics.rails[rail_].sent_bytes += taken;
  while (taken > 0) {
    Frame& frame = *waiting_.first;
    const std::uint64_t left = frame.bytes() - frame.written;
    if (taken < left) {
      frame.written += taken;
      return;
    }
    taken -= left;
    waiting_.take();
    written(frame);
  }
}

/// A frame is with the kernel: tell its user, keep it if it may be needed.
void Outbox::written(Frame& frame) {
  Send* send = eager_send(frame);
  const bool complete_later = send != nullptr && send->delivery_complete;
  const bool kept = frame.header.kind != FrameKind::acknowledgement && (resumes_ || complete_later);
  if (!kept) {
    release(frame);
    return;
  }
  if (send != nullptr && send->copy && !complete_later) core_.sends.tell(*send, Status::ok);
  if (send != nullptr && send->copy) kept_bytes_ += send->payload.bytes();
  frame.written = frame.bytes();
  sent_.add(frame);
}

/// Frames before this number have arrived.
void Outbox::release(std::uint32_t received) {
  acknowledged_ = received;
  while (!sent_.empty() && before(sent_.first->header.sequence, received)) {
    Frame& frame = sent_.take();
    const Send* send = eager_send(frame);
    if (send != nullptr && send->copy) kept_bytes_ -= send->payload.bytes();
    release(frame);
  }
}

/// A frame that is not needed any more.
void Outbox::release(Frame& frame) {
  if (Send* send = eager_send(frame); send != nullptr)
    core_.sends.finish(*send, Status::ok);
  else if (frame.send != nullptr)
    frame.send->announcing = false;
  core_.frames.give(frame);
}

void Outbox::count_received() {
  ++received_;
  if (std::exchange(wanted_when_whole_, false)) acknowledgement_wanted_ = true;
}

bool Outbox::hear(const Header& header) {
  if (before(next_sequence_, header.received)) return false;
  if (before(acknowledged_, header.received)) release(header.received);
  if (admission_.hear_credit(header.consumed_bytes)) without_credit_.spend();
  if (!heard_) {
    heard_ = true;
    flush();
  }
  if (!header.wants_acknowledgement) return true;
  // What is written while the payload is on its way does not count the message yet.
  const bool whole_later = header.payload_bytes > 0 && !before(header.sequence, received_);
  (whole_later ? wanted_when_whole_ : acknowledgement_wanted_) = true;
  return true;
}

bool Outbox::attach(StreamId stream, std::size_t rail, std::uint32_t received) {
  if (before(received, acknowledged_) || before(next_sequence_, received)) return false;
  if (!resumes_ && received != next_sequence_) return false;
  release(received);
  // An acknowledgement that was cut off is not needed again; only the first can be one.
  if (!waiting_.empty() && waiting_.first->header.kind == FrameKind::acknowledgement)
    core_.frames.give(waiting_.take());
  if (!waiting_.empty()) waiting_.first->written = 0;
  for (Frame* frame = sent_.first; frame != nullptr; frame = frame->next) {
    ++core_.statistics.frames_sent_again;
    frame->written = 0;
    const Send* send = eager_send(*frame);
    if (send != nullptr && send->copy) kept_bytes_ -= send->payload.bytes();
  }
  waiting_.prepend(sent_);
  stream_ = stream;
  rail_ = rail;
  blocked_ = false;
  write_bare(false);
  flush();
  return true;
}

void Outbox::detach() {
  stream_ = no_stream;
  acknowledgement_wanted_ = wanted_when_whole_ = false;
}

void Outbox::fail() {
  detach();
  waiting_.prepend(sent_);
  FrameList& left = without_credit_.abandoned();
  left.prepend(waiting_);
  while (!left.empty()) {
    Frame& frame = left.take();
    if (Send* send = eager_send(frame)) core_.sends.finish(*send, Status::unreachable);
    core_.frames.give(frame);
  }
}

void Outbox::writable() {
  blocked_ = false;
  flush();
  // What came while a header was half written is not told by it.
  acknowledge(resumes_ ? Urgency::overdue : Urgency::wanted);
}

void Outbox::acknowledge(Urgency urgency) {
  // Whatever waits will tell as well.
  if (!attached() || !waiting_.empty()) return;
  const bool credit_due =
      share_ > 0 &&
      credit_ - told_credit_ >= std::clamp<std::uint64_t>(share_ / 4, 1, untold_credit_max);
  const bool due = credit_due || (urgency != Urgency::credit && acknowledgement_wanted_) ||
                   (urgency == Urgency::overdue && owes_acknowledgement());
  if (due) write_bare(false);
}

void Outbox::tell(Answer answer) {
  if (attached() && waiting_.empty()) write_bare(answer == Answer::wanted);
}

/// A frame that is nothing but its header.
void Outbox::write_bare(bool wants_acknowledgement) {
  Header header;
  header.wants_acknowledgement = wants_acknowledgement;
  stamp(header);
  HeaderBytes encoded = encode(header);
  const iovec piece{.iov_base = encoded.bytes.data(), .iov_len = encoded.length};
  const std::uint64_t taken = core_.carrier.write(stream_, {&piece, 1});
  core_.statistics.rails[rail_].sent_bytes += taken;
  if (taken == encoded.length) return;
  Frame& frame = core_.frames.take();
  frame.header = header;
  frame.encoded = encoded;
  frame.written = taken;
  FrameList rest;
  rest.add(frame);
  waiting_.prepend(rest);
  blocked_ = true;
}

}  // namespace suiro::net
