// SPDX-License-Identifier: BSD-3-Clause
#include "net/tcp/epoll_carrier.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>

namespace suiro::net {
namespace {

constexpr std::size_t staging_bytes = 16 << 10;
constexpr int events_at_once = 64;
constexpr int reads_at_once = 8;                       // of one control stream, then the others
constexpr std::size_t bulk_bytes_at_once = 8 << 20;    // of one bulk stream, then the others
constexpr std::size_t low_mark_bytes_min = 64 << 10;   // as much at a time as costs little more
constexpr std::size_t low_mark_bytes_max = 512 << 10;  // than all at once
constexpr std::uint32_t trust_max = 8;
constexpr std::uint32_t reading_streak_pays = 16;
constexpr std::uint64_t listener_tag = std::uint64_t{1} << 32;

}  // namespace

EpollCarrier::EpollCarrier(const Settings& settings, const std::vector<host::Link>& links)
    : TcpCarrier(settings, links),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      staging_(new std::byte[staging_bytes]) {
  if (!epoll_) throw std::runtime_error("cannot use epoll: " + stream_error(errno));
  for (std::size_t rail = 0; rail < links.size(); ++rail) {
    epoll_event event{.events = EPOLLIN, .data = {.u64 = listener_tag | rail}};
    const int listener = listeners_.sockets[rail].number();
    if (epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, listener, &event) != 0)
      throw std::runtime_error("cannot use epoll: " + stream_error(errno));
  }
}

EpollCarrier::~EpollCarrier() {
  for (auto& [id, stream] : streams_) close_stream(stream->socket);
}

void EpollCarrier::abandon() noexcept {
  TcpCarrier::abandon();
  epoll_.close();
}

/// Level-triggered, so that whoever sleeps on the epoll descriptor is told again of what nobody
/// has read yet.
void EpollCarrier::watch(Stream& stream, std::uint32_t interest) {
  if (stream.interest == interest) return;
  epoll_event event{.events = interest, .data = {.u64 = stream.id}};
  const int operation = stream.interest == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  stream.interest = interest;
  ++system_calls_;
  if (epoll_ctl(epoll_.number(), operation, stream.socket.number(), &event) != 0)
    fail(stream.id, errno);
}

void EpollCarrier::await_room(Stream& stream) { watch(stream, stream.interest | EPOLLOUT); }

void EpollCarrier::begin_reading(Stream& stream) { watch(stream, EPOLLIN | EPOLLRDHUP); }

void EpollCarrier::arm(StreamId id) {
  Stream* stream = find(id);
  if (stream == nullptr) return;
  watch(*stream, stream->interest | EPOLLIN);
  set_low_mark(*stream, events_->wanted(id).size());
}

void EpollCarrier::close(StreamId id) {
  Stream* stream = find(id);
  if (stream == nullptr) return;
  // Closing alone would leave it in the set for as long as a forked child has it open.
  if (stream->interest != 0)
    (void)epoll_ctl(epoll_.number(), EPOLL_CTL_DEL, stream->socket.number(), nullptr);
  close_stream(stream->socket);
  system_calls_ += 3;
  bury(*stream);
}

/// While a stream is read in every poll anyway, epoll need not be told of each arrival: that costs
/// whoever sends, in whose time a frame is delivered, as well as whoever reads.
void EpollCarrier::quiet(Stream& stream) {
  if (quiet_ == stream.id) return;
  hear_quiet();
  quiet_ = stream.id;
  watch(stream, stream.interest & ~EPOLLIN);
}

void EpollCarrier::hear_quiet() {
  Stream* stream = find(std::exchange(quiet_, no_stream));
  if (stream != nullptr) watch(*stream, stream->interest | EPOLLIN);
}

bool EpollCarrier::prepare_sleep() {
  look_at_all_ = true;
  streak_ = 0;
  hear_quiet();
  return !has_failures();
}

bool EpollCarrier::poll() {
  graveyard_.clear();
  bool raised = raise_failures();
  if (!look_at_all_ && polls_left_ > 0) {
    --polls_left_;
    return poll_hot() || raised;
  }
  look_at_all_ = false;
  raised |= poll_all();
  raised |= raise_alarm();
  return raised;
}

/// What pays is learnt: as long as bytes come from the streams that they came from before, epoll is
/// asked more and more seldom; when epoll tells of another, every time again.
bool EpollCarrier::poll_hot() {
  bool raised = false;
  for (const StreamId id : hot_) {
    Stream* stream = find(id);
    // Of a long transfer, the kernel tells when there is enough to be worth a call.
    if (stream != nullptr && stream->low_mark == 1) raised |= read(*stream);
  }
  if (!raised) return false;
  trust_ = std::min(trust_ + 1, trust_max);
  if (++streak_ < reading_streak_pays) return true;
  if (Stream* stream = find(hot_[0]); stream != nullptr) quiet(*stream);
  return true;
}

bool EpollCarrier::poll_all() {
  epoll_event happened[events_at_once];
  ++system_calls_;
  const int count = epoll_wait(epoll_.number(), happened, events_at_once, 0);
  bool raised = false;
  bool others = false;
  if (Stream* stream = find(quiet_); stream != nullptr) raised |= read(*stream);
  for (int i = 0; i < count; ++i) {
    const std::uint64_t data = happened[i].data.u64;
    if ((data & listener_tag) != 0) {
      accept_all(static_cast<std::uint8_t>(data));
      raised = others = true;
      continue;
    }
    const auto id = static_cast<StreamId>(data);
    Stream* stream = find(id);  // an event before this one may have closed it
    if (stream == nullptr) continue;
    others |= !is_hot(id);
    raised |= handle(*stream, happened[i].events);
  }
  trust_ = others ? 0 : std::max(trust_, 1U);
  polls_left_ = hot_[0] == no_stream && hot_[1] == no_stream ? 0 : trust_;
  return raised;
}

bool EpollCarrier::handle(Stream& stream, std::uint32_t happened) {
  if (stream.stage == Stage::connecting) {
    has_room(stream);
    return true;
  }
  bool raised = false;
  if ((happened & EPOLLOUT) != 0 && stream.blocked) {
    has_room(stream);
    raised = true;
    if (stream.closed) return true;
    if (!stream.blocked) watch(stream, stream.interest & ~EPOLLOUT);
  }
  if ((happened & EPOLLIN) != 0) {
    const bool found = read(stream);
    raised |= found;
    // Honest peers send on bulk streams what is wanted; others are not listened to.
    if (!found && stream.is_bulk() && events_->wanted(stream.id).empty())
      watch(stream, stream.interest & ~EPOLLIN);
  }
  if ((happened & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0 && !stream.closed) {
    // What could be read of it has been read, but for more than is read at once.
    if ((happened & EPOLLIN) != 0 && raised && stream.interest & EPOLLIN) return true;
    end(stream, stream_error(connect_result(stream.socket.number())));
    return true;
  }
  return raised;
}

bool EpollCarrier::read(Stream& stream) {
  const bool bulk = stream.is_bulk();
  if (stream.stage == Stage::connecting) return false;
  const bool raised = bulk ? read_bulk(stream) : read_control(stream);
  if (raised && !stream.closed && stream.stage == Stage::established)
    hot_[bulk ? 1 : 0] = stream.id;
  return raised;
}

/// Frames go to the staging buffer, the rest of a payload whose place is known straight there.
bool EpollCarrier::read_control(Stream& stream) {
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

bool EpollCarrier::read_bulk(Stream& stream) {
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
  if (total > 0) events_->drained(stream.id);
  return total > 0;
}

/// How many bytes came; 0: none for now; -1: the stream has ended, and that was told.
std::ptrdiff_t EpollCarrier::receive(Stream& stream, std::span<iovec> parts) {
  ++system_calls_;
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  const int socket = stream.socket.number();
  const ssize_t count = parts.size() == 1
                            ? recv(socket, parts[0].iov_base, parts[0].iov_len, MSG_DONTWAIT)
                            : recvmsg(socket, &message, MSG_DONTWAIT);
  if (count > 0) return count;
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  end(stream, stream_error(count == 0 ? 0 : errno));
  return -1;
}

/// The kernel tells of a bulk stream when so much has arrived, or all that is wanted: a part of
/// the whole that is large enough to be worth a call, and small enough for what is left at the end.
void EpollCarrier::set_low_mark(Stream& stream, std::size_t wanted) {
  const std::size_t part = std::clamp(wanted / 8, low_mark_bytes_min, low_mark_bytes_max);
  const std::size_t mark = wanted < low_mark_bytes_min ? 1 : std::min(wanted, part);
  const bool fits = stream.low_mark <= wanted && mark / 2 < stream.low_mark;
  if (mark == stream.low_mark || (fits && stream.low_mark / 4 < mark)) return;
  stream.low_mark = mark;
  ++system_calls_;
  const auto value = static_cast<int>(mark);
  (void)setsockopt(stream.socket.number(), SOL_SOCKET, SO_RCVLOWAT, &value, sizeof value);
}

}  // namespace suiro::net
