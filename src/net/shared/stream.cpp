// SPDX-License-Identifier: BSD-3-Clause
#include "net/shared/stream.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/local_sockets.hpp"

namespace suiro::net {
namespace {

constexpr const char* damaged = "the shared memory is damaged";

/// Openings are looked at in memory that their sender cannot change any more.
constexpr std::size_t staged_bytes = 1024;

constexpr std::size_t shown_bytes = 16 << 10;

std::size_t total(std::span<const iovec> bytes) {
  std::size_t sum = 0;
  for (const iovec& part : bytes) sum += part.iov_len;
  return sum;
}

}  // namespace

void SharedStream::connect(ReceivedGreeting received, bool may_pull) {
  if (received.segment) memory = std::move(received.segment);
  bell = std::move(received.bell);
  peer_slot = static_cast<Slot>(received.greeting.slot);
  Segment& segment = *static_cast<Segment*>(memory->data());
  const std::size_t own = opener ? 0 : 1;
  out.emplace(segment.lanes[own], segment.rings[own]);
  in.emplace(segment.lanes[1 - own], segment.rings[1 - own]);
  const pid_t peer = process_at(socket.number());
  if (may_pull && can_pull(peer, received.greeting.probe_address, received.greeting.probe_value)) {
    pull_in.emplace(peer);
    in->lane().reader_pulls.store(1, std::memory_order_release);
  }
}

void SharedStream::become_bulk() {
  bulk = true;
  if (out->lane().reader_pulls.load(std::memory_order_acquire) == 1) pull_out.emplace();
}

void SharedStream::fail(std::string reason) {
  if (failure.empty()) failure = std::move(reason);
}

std::size_t SharedStream::write(std::span<const iovec> bytes) {
  std::size_t written = 0;
  if (pull_out) {
    const std::optional<std::size_t> taken = pull_out->write(*out, bytes);
    if (!taken) fail(damaged);
    written = taken.value_or(0);
  } else {
    written = write_ring(bytes);
  }
  wants_room = written < total(bytes);
  if (wants_room) out->ask_for_room();
  return written;
}

/// Long writes are shown part by part: the peer takes the first while we copy the next.
std::size_t SharedStream::write_ring(std::span<const iovec> bytes) {
  std::optional<std::size_t> room = out->room(total(bytes));
  if (!room) {
    fail(damaged);
    return 0;
  }
  const std::size_t had = *room;
  std::size_t unpublished = 0;
  for (const iovec& part : bytes) {
    for (std::size_t done = 0; *room != 0 && done != part.iov_len;) {
      const std::size_t count = std::min({part.iov_len - done, *room, shown_bytes - unpublished});
      out->put(static_cast<const std::byte*>(part.iov_base) + done, count);
      done += count;
      *room -= count;
      unpublished = (unpublished + count) % shown_bytes;
      if (unpublished > 0) continue;
      out->publish();
      if (had - *room == shown_bytes) ring_peer();
    }
  }
  out->publish();
  return had - *room;
}

bool SharedStream::has_room() {
  return wants_room && (pull_out ? pull_out->has_news(*out) : out->worth_writing());
}

std::size_t SharedStream::arrived() {
  const std::optional<std::size_t> bytes = pulls() ? pull_in->available(*in) : in->available();
  if (!bytes) fail(damaged);
  return bytes.value_or(0);
}

std::size_t SharedStream::give(Events& events, std::size_t count) {
  if (bulk) return pull_in ? give_pulled(events, count) : give_bulk(events, count);
  return control ? give_frames(events, count) : give_opening(events, count);
}

std::size_t SharedStream::give_opening(Events& events, std::size_t count) {
  std::array<std::byte, staged_bytes> staging;
  const std::size_t part = std::min(staging.size(), count);
  in->get(staging.data(), part);
  events.received(id, std::span(staging).first(part));
  return part;
}

/// The engine copies each byte of a frame once, header or payload, before it looks at any: so the
/// ring will do, though the writer can change it.
std::size_t SharedStream::give_frames(Events& events, std::size_t count) {
  const std::span<const std::byte> bytes = in->look(count);
  events.received(id, bytes);
  in->drop(bytes.size());
  return bytes.size();
}

std::size_t SharedStream::give_bulk(Events& events, std::size_t count) {
  const std::span<std::byte> wanted = events.wanted(id);
  const std::size_t part = std::min(wanted.size(), count);
  if (part == 0) return 0;
  in->get(wanted.data(), part);
  events.placed(id, part);
  return part;
}

std::size_t SharedStream::give_pulled(Events& events, std::size_t count) {
  const std::span<std::byte> wanted = events.wanted(id);
  const std::size_t part = std::min(wanted.size(), count);
  if (part == 0) return 0;
  const ssize_t copied = pull_in->copy(wanted.data(), part);
  // A dead process's number may be another's already: bytes count if the writer lives after them.
  if (peer_is_gone()) {
    ended = true;
    return 0;
  }
  if (copied <= 0) {
    fail(std::string("cannot read the peer's memory: ") + std::strerror(errno));
    return 0;
  }
  pull_in->taken(*in, static_cast<std::size_t>(copied));
  events.placed(id, static_cast<std::size_t>(copied));
  return static_cast<std::size_t>(copied);
}

bool SharedStream::peer_is_gone() const {
  char byte;
  return recv(socket.number(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 ||
         (errno != EAGAIN && errno != EINTR);
}

bool SharedStream::should_wake_peer() {
  return pulls() ? pull_in->should_wake_writer(*in) : in->should_wake_writer();
}

}  // namespace suiro::net
