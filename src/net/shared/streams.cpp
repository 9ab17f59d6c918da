// SPDX-License-Identifier: BSD-3-Clause
#include "net/shared/streams.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "base/random.hpp"
#include "base/sockets.hpp"

namespace suiro::net {
namespace {

using Phase = SharedStream::Phase;

constexpr int slot_bits = 12;
constexpr StreamId slot_mask = (1U << slot_bits) - 1;
constexpr std::uint64_t listener_key = 0;  // epoll's; streams have their number
constexpr std::uint64_t doorbell_key = 1;
constexpr std::size_t greeted_max = 256;  // that have not said what they want
constexpr int accepts_at_once = 64;       // then those who are in have their turn

}  // namespace

// Streams and their numbers.

SharedCarrier::State::State(const Nonce& own, bool may_pull)
    : may_pull(may_pull),
      listener(listen_for(own)),
      reserve(reserve_descriptor()),
      watched(epoll_create1(EPOLL_CLOEXEC)) {
  random_bytes(std::span(reinterpret_cast<std::uint8_t*>(&probe), sizeof probe));
  const auto watch = [this](int descriptor, std::uint64_t key) {
    epoll_event event{EPOLLIN, {.u64 = key}};
    return epoll_ctl(watched.number(), EPOLL_CTL_ADD, descriptor, &event) == 0;
  };
  if (!watched || !watch(listener.number(), listener_key) ||
      !watch(doorbell.event_descriptor(), doorbell_key))
    throw std::runtime_error(std::string("no epoll for shared memory: ") + std::strerror(errno));
}

SharedStream* SharedCarrier::State::find(StreamId id) {
  const StreamId slot = id & slot_mask;
  if (slot >= max_slots || streams[slot] == nullptr || streams[slot]->id != id) return nullptr;
  return streams[slot].get();
}

StreamId SharedCarrier::State::next_id(StreamId slot) {
  return marker | ((++generation << slot_bits) & ~marker) | slot;
}

/// Slots are used in turn, so that a number comes back as late as possible.
SharedStream* SharedCarrier::State::add(Descriptor socket, bool opener) {
  for (StreamId tries = 0; tries < max_slots; ++tries) {
    last_slot = (last_slot + 1) % max_slots;
    if (streams[last_slot] != nullptr) continue;
    const StreamId id = next_id(last_slot);
    epoll_event event{EPOLLIN | EPOLLRDHUP, {.u64 = id}};
    if (epoll_ctl(watched.number(), EPOLL_CTL_ADD, socket.number(), &event) < 0) return nullptr;
    streams[last_slot] = std::make_unique<SharedStream>(id, std::move(socket), opener);
    return streams[last_slot].get();
  }
  return nullptr;
}

void SharedCarrier::State::release(SharedStream& stream) {
  if (stream.phase == Phase::greeted) std::erase(greeted, stream.id);
  stream.phase = Phase::closed;
  // A forked child may have the socket open: neither epoll nor the peer would notice a mere close.
  (void)epoll_ctl(watched.number(), EPOLL_CTL_DEL, stream.socket.number(), nullptr);
  close_stream(stream.socket);
  graveyard.push_back(std::move(streams[stream.id & slot_mask]));
}

void SharedCarrier::State::end(SharedStream& stream, const std::string& reason) {
  const bool known = stream.phase != Phase::greeted;
  const StreamId id = stream.id;
  release(stream);
  if (known) events->closed(id, reason);
}

void SharedCarrier::State::queue(SharedStream& stream) {
  if (!std::exchange(stream.queued, true)) queued.push_back(stream.id);
}

void SharedCarrier::State::ring(SharedStream& stream) {
  system_calls += stream.ring_peer() ? 1 : 0;
}

/// There is something to be raised since a call that was no poll: whoever made it may be the only
/// one awake, and may compute from now on.
void SharedCarrier::State::ask_for_poll() { system_calls += doorbell.wake_sleeper() ? 1 : 0; }

void SharedCarrier::State::fail(StreamId id, const std::string& reason) {
  failures.push_back({id, reason});
  ask_for_poll();
}

// Opening: the opener sends its greeting with the memory, the acceptor answers with its own.

StreamId SharedCarrier::State::open(const Nonce& peer) {
  std::string reason;
  Descriptor socket = connect_to(peer, reason);
  system_calls += 3;
  SharedStream* stream = socket ? add(std::move(socket), true) : nullptr;
  if (stream == nullptr) {
    if (reason.empty()) reason = "too many streams in shared memory";
    fail(next_id(max_slots), reason);
    return failures.back().stream;
  }
  const StreamId id = stream->id;
  try {
    stream->memory = SharedMemory::create("suiro-stream", sizeof(Segment));
    if (send_greeting(stream->socket.number(), greeting(*stream), doorbell, &*stream->memory))
      return id;
    reason = std::string("cannot pass shared memory on: ") + std::strerror(errno);
  } catch (const std::runtime_error& error) {
    reason = error.what();
  }
  release(*stream);
  fail(id, reason);
  return id;
}

Greeting SharedCarrier::State::greeting(const SharedStream& stream) const {
  Greeting greeting;
  greeting.probe_address = reinterpret_cast<std::uint64_t>(&probe);
  greeting.probe_value = probe;
  greeting.slot = stream.id & slot_mask;
  return greeting;
}

void SharedCarrier::State::service() {
  std::array<epoll_event, 64> happened;
  ++system_calls;
  const int count = epoll_wait(watched.number(), happened.data(), happened.size(), 0);
  for (int i = 0; i < count; ++i) {
    const std::uint64_t key = happened[static_cast<std::size_t>(i)].data.u64;
    if (key == listener_key) {
      accept_all();
    } else if (key == doorbell_key) {
      continue;  // for those who sleep: they must find it so
    } else if (SharedStream* stream = find(static_cast<StreamId>(key))) {
      greet(*stream);
    }
  }
}

/// The names of listeners are known to all users. Those who connect and say nothing make room for
/// those who come after them: honest ones speak at once.
void SharedCarrier::State::accept_all() {
  for (int i = 0; i < accepts_at_once; ++i) {
    Descriptor socket = accept_from(listener.number(), reserve);
    if (!socket) return;
    if (!is_same_user(socket.number())) continue;
    if (greeted.size() >= greeted_max) release(*find(greeted.front()));
    SharedStream* stream = add(std::move(socket), false);
    if (stream == nullptr) continue;
    stream->phase = Phase::greeted;
    greeted.push_back(stream->id);
    greet(*stream);
  }
}

/// The stream's socket is readable: a greeting or, afterwards, its end.
void SharedCarrier::State::greet(SharedStream& stream) {
  ++system_calls;
  std::optional<ReceivedGreeting> received;
  const bool begins = stream.phase == Phase::greeting || stream.phase == Phase::greeted;
  const GreetingState state =
      begins ? receive_greeting(stream.socket.number(), !stream.opener, received)
             : GreetingState::failed;
  if (state == GreetingState::none_yet) return;
  if (state == GreetingState::received) {
    stream.connect(*std::move(received), may_pull);
    if (stream.opener ||
        send_greeting(stream.socket.number(), greeting(stream), doorbell, nullptr)) {
      if (stream.phase == Phase::greeted) std::erase(greeted, stream.id);
      stream.phase = Phase::new_here;
      stream.memory->close_descriptor();
      return queue(stream);
    }
  }
  if (stream.phase == Phase::greeted) return release(stream);
  stream.ended = true;
  (void)epoll_ctl(watched.number(), EPOLL_CTL_DEL, stream.socket.number(), nullptr);
  queue(stream);
}

}  // namespace suiro::net
