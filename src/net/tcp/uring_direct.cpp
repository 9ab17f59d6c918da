// SPDX-License-Identifier: BSD-3-Clause
// The streams that poll reads itself. A receive in the kernel is carried out by the helper thread,
// which must be switched to for every message; who polls anyway is faster without it. Before
// somebody sleeps or computes, prepare_sleep gives these streams back to the kernel.
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "net/tcp/uring_carrier.hpp"

namespace suiro::net {
namespace {

constexpr std::size_t direct_max = 4;
constexpr int sending_streak_pays = 4;

}  // namespace

/// Frames have come from this stream, by the kernel's receive. If that was so in several polls in a
/// row, the next are expected from it, too.
void UringCarrier::follow(Stream& stream) {
  if (std::exchange(source_, stream.id) != stream.id) streak_ = 0;
  if (++streak_ < sending_streak_pays || stream.stopping || stream.is_bulk() ||
      stream.stage != Stage::established || stream.reading != Reading::in_kernel)
    return;
  stream.stopping = true;
  requests_.push_back({Operation::cancel_receive, stream.id});
}

void UringCarrier::read_from_now_on(Stream& stream) {
  if (stream.reading != Reading::idle) return;
  if (direct_.size() >= direct_max) stop_reading(0);
  stream.reading = Reading::direct;
  direct_.push_back(stream.id);
}

void UringCarrier::stop_reading(std::size_t place) {
  Stream& stream = *find(direct_[place]);
  direct_.erase(direct_.begin() + static_cast<std::ptrdiff_t>(place));
  stream.reading = Reading::idle;
  if (!stream.is_bulk() || !events_->wanted(stream.id).empty()) request_receive(stream);
}

bool UringCarrier::read_directly() {
  bool raised = false;
  std::array<StreamId, direct_max> streams{};  // events change the list
  std::ranges::copy(direct_, streams.begin());
  for (const StreamId id : streams) {
    Stream* stream = find(id);
    if (stream != nullptr && stream->reading == Reading::direct) raised |= read_directly(*stream);
  }
  return raised;
}

/// Frames go to the staging buffer, payload whose place is known straight there.
bool UringCarrier::read_directly(Stream& stream) {
  const std::span<std::byte> target = events_->wanted(stream.id);
  if (target.empty() && stream.is_bulk()) return false;
  std::array<iovec, 2> parts{{{target.data(), target.size()}, {staging_.get(), staging_bytes}}};
  msghdr message{};
  message.msg_iov = parts.data() + (target.empty() ? 1 : 0);
  message.msg_iovlen = target.empty() || stream.is_bulk() ? 1 : 2;
  ++system_calls_;
  const ssize_t count = recvmsg(stream.socket.number(), &message, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (count <= 0) {
    end(stream, stream_error(count == 0 ? 0 : errno));
    return true;
  }
  const auto bytes = static_cast<std::size_t>(count);
  const std::size_t placed = std::min(bytes, target.size());
  note_given(stream);
  if (placed > 0) events_->placed(stream.id, placed);
  if (bytes > placed) give(stream, {staging_.get(), bytes - placed});
  if (!stream.closed && stream.is_bulk() && events_->wanted(stream.id).empty()) {
    const auto place = std::ranges::find(direct_, stream.id);
    if (place != direct_.end()) stop_reading(static_cast<std::size_t>(place - direct_.begin()));
    if (stream.ended) end(stream, stream_error(0));
  }
  return true;
}

}  // namespace suiro::net
