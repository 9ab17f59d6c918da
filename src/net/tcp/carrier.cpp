// SPDX-License-Identifier: BSD-3-Clause
#include "net/tcp/carrier.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace suiro::net {
namespace {

using Stage = TcpStream::Stage;

constexpr std::size_t staging_bytes = 16 << 10;
constexpr std::size_t events_at_once = 64;
constexpr int reads_at_once = 8;                       // of one control stream, then the others
constexpr std::size_t bulk_bytes_at_once = 8 << 20;    // of one bulk stream, then the others
constexpr std::size_t low_mark_bytes_min = 64 << 10;   // as much at a time as costs little more
constexpr std::size_t low_mark_bytes_max = 512 << 10;  // than all at once
constexpr std::uint32_t trust_max = 8;
constexpr std::uint32_t reading_streak_pays = 16;

}  // namespace

TcpCarrier::TcpCarrier(const Settings& settings, const std::vector<host::Link>& links)
    : streams_(settings, links), staging_(new std::byte[staging_bytes]) {}

void TcpCarrier::attach(Events& events) {
  events_ = &events;
  streams_.attach(events);
}

void TcpCarrier::arm(StreamId id) {
  TcpStream* stream = streams_.find(id);
  if (stream == nullptr) return;
  streams_.watch(*stream, stream->interest | EPOLLIN);
  set_low_mark(*stream, events_->wanted(id).size());
}

void TcpCarrier::close(StreamId id) {
  if (TcpStream* stream = streams_.find(id)) streams_.close(*stream);
}

/// While a stream is read in every poll anyway, epoll need not be told of each arrival: that costs
/// whoever sends, in whose time a frame is delivered, as well as whoever reads.
void TcpCarrier::quiet(TcpStream& stream) {
  if (quiet_ == stream.id) return;
  hear_quiet();
  quiet_ = stream.id;
  streams_.watch(stream, stream.interest & ~EPOLLIN);
}

void TcpCarrier::hear_quiet() {
  TcpStream* stream = streams_.find(std::exchange(quiet_, no_stream));
  if (stream != nullptr) streams_.watch(*stream, stream->interest | EPOLLIN);
}

bool TcpCarrier::prepare_sleep() {
  look_at_all_ = true;
  streak_ = 0;
  hear_quiet();
  return !streams_.has_failures();
}

bool TcpCarrier::poll() {
  streams_.bury_closed();
  bool raised = streams_.raise_failures();
  if (!look_at_all_ && polls_left_ > 0) {
    --polls_left_;
    return poll_hot() || raised;
  }
  look_at_all_ = false;
  raised |= poll_all();
  raised |= raise_alarm();
  return raised;
}

bool TcpCarrier::raise_alarm() {
  if (alarm_ns() == never_ns) return false;
  const std::int64_t now_ns = this->now_ns();
  streams_.look_for_answers(now_ns);
  if (now_ns < alarm_ns_) return false;
  alarm_ns_ = never_ns;
  events_->alarm();
  return true;
}

/// What pays is learnt: as long as bytes come from the streams that they came from before, epoll is
/// asked more and more seldom; when epoll tells of another, every time again.
bool TcpCarrier::poll_hot() {
  bool raised = false;
  for (const StreamId id : hot_) {
    TcpStream* stream = streams_.find(id);
    // Of a long transfer, the kernel tells when there is enough to be worth a call.
    if (stream != nullptr && stream->low_mark == 1) raised |= read(*stream);
  }
  if (!raised) return false;
  trust_ = std::min(trust_ + 1, trust_max);
  if (++streak_ < reading_streak_pays) return true;
  if (TcpStream* stream = streams_.find(hot_[0]); stream != nullptr) quiet(*stream);
  return true;
}

bool TcpCarrier::poll_all() {
  std::array<epoll_event, events_at_once> happened;
  const int count = streams_.happened(happened);
  bool raised = false;
  bool others = false;
  if (TcpStream* stream = streams_.find(quiet_); stream != nullptr) raised |= read(*stream);
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = happened[static_cast<std::size_t>(i)];
    if (const int rail = TcpStreams::listener_of(event); rail >= 0) {
      streams_.accept_all(static_cast<std::uint8_t>(rail));
      raised = others = true;
      continue;
    }
    const auto id = static_cast<StreamId>(event.data.u64);
    TcpStream* stream = streams_.find(id);  // an event before this one may have closed it
    if (stream == nullptr) continue;
    others |= !is_hot(id);
    raised |= handle(*stream, event.events);
  }
  trust_ = others ? 0 : std::max(trust_, 1U);
  polls_left_ = hot_[0] == no_stream && hot_[1] == no_stream ? 0 : trust_;
  return raised;
}

bool TcpCarrier::handle(TcpStream& stream, std::uint32_t happened) {
  if (stream.stage == Stage::connecting) {
    streams_.has_room(stream);
    return true;
  }
  bool raised = false;
  if ((happened & EPOLLOUT) != 0 && stream.blocked) {
    streams_.has_room(stream);
    raised = true;
    if (stream.closed) return true;
    if (!stream.blocked) streams_.watch(stream, stream.interest & ~EPOLLOUT);
  }
  if ((happened & EPOLLIN) != 0) {
    const bool found = read(stream);
    raised |= found;
    // Honest peers send on bulk streams what is wanted; others are not listened to.
    if (!found && stream.is_bulk() && events_->wanted(stream.id).empty())
      streams_.watch(stream, stream.interest & ~EPOLLIN);
  }
  if ((happened & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0 && !stream.closed) {
    // What could be read of it has been read, but for more than is read at once.
    if ((happened & EPOLLIN) != 0 && raised && stream.interest & EPOLLIN) return true;
    if (stream.id == quiet_) {  // epoll does not say whether there is more
      hear_quiet();
      return true;
    }
    streams_.end(stream, stream_error(connect_result(stream.socket.number())));
    return true;
  }
  return raised;
}

bool TcpCarrier::read(TcpStream& stream) {
  const bool bulk = stream.is_bulk();
  if (stream.stage == Stage::connecting) return false;
  const bool raised = bulk ? read_bulk(stream) : read_control(stream);
  if (raised && !stream.closed && stream.stage == Stage::established)
    hot_[bulk ? 1 : 0] = stream.id;
  return raised;
}

/// Frames go to the staging buffer, the rest of a payload whose place is known straight there.
bool TcpCarrier::read_control(TcpStream& stream) {
  bool raised = false;
  for (int i = 0; i < reads_at_once; ++i) {
    const std::span<std::byte> target = events_->wanted(stream.id);
    iovec parts[] = {{target.data(), target.size()}, {staging_.get(), staging_bytes}};
    const std::ptrdiff_t count = receive(stream, std::span(parts).subspan(target.empty() ? 1 : 0));
    if (count < 0) return true;
    if (count == 0) break;
    raised = true;
    const auto bytes = static_cast<std::size_t>(count);
    const std::size_t placed = std::min(bytes, target.size());
    if (placed > 0) events_->placed(stream.id, placed);
    if (bytes > placed && !stream.closed)
      events_->received(stream.id, {staging_.get(), bytes - placed});
    if (stream.closed) return true;
    if (bytes < target.size() + staging_bytes) break;
  }
  if (raised) events_->drained(stream.id);
  return raised;
}

bool TcpCarrier::read_bulk(TcpStream& stream) {
  std::size_t total = 0;
  while (total < bulk_bytes_at_once) {
    const std::span<std::byte> target = events_->wanted(stream.id);
    if (target.empty()) break;
    iovec parts[] = {{target.data(), target.size()}};
    const std::ptrdiff_t count = receive(stream, parts);
    if (count < 0) return true;
    const auto bytes = static_cast<std::size_t>(count);
    if (bytes < target.size()) set_low_mark(stream, target.size() - bytes);
    if (bytes == 0) break;
    total += bytes;
    events_->placed(stream.id, bytes);
    if (stream.closed) return true;
    if (bytes < target.size()) break;
  }
  if (total >= bulk_bytes_at_once) {  // whatever of it is left must be told of
    const std::size_t left = events_->wanted(stream.id).size();
    if (left > 0) set_low_mark(stream, left);
  }
  if (total > 0) events_->drained(stream.id);
  return total > 0;
}

/// How many bytes came; 0: none for now; -1: the stream has ended, and that was told.
std::ptrdiff_t TcpCarrier::receive(TcpStream& stream, std::span<iovec> parts) {
  streams_.count_system_call();
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  const int socket = stream.socket.number();
  const ssize_t count = parts.size() == 1
                            ? recv(socket, parts[0].iov_base, parts[0].iov_len, MSG_DONTWAIT)
                            : recvmsg(socket, &message, MSG_DONTWAIT);
  if (count > 0) return count;
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  streams_.end(stream, stream_error(count == 0 ? 0 : errno));
  return -1;
}

/// The kernel tells of a bulk stream when so much has arrived, or all that is wanted: a part of
/// the whole that is large enough to be worth a call, and small enough for what is left at the end.
void TcpCarrier::set_low_mark(TcpStream& stream, std::size_t wanted) {
  const std::size_t part = std::clamp(wanted / 8, low_mark_bytes_min, low_mark_bytes_max);
  const std::size_t mark = wanted < low_mark_bytes_min ? 1 : std::min(wanted, part);
  const bool fits = stream.low_mark <= wanted && mark / 2 < stream.low_mark;
  if (mark == stream.low_mark || (fits && stream.low_mark / 4 < mark)) return;
  stream.low_mark = mark;
  streams_.count_system_call();
  const auto value = static_cast<int>(mark);
  (void)setsockopt(stream.socket.number(), SOL_SOCKET, SO_RCVLOWAT, &value, sizeof value);
}

}  // namespace suiro::net
