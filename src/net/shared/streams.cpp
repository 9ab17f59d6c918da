// SPDX-License-Identifier: BSD-3-Clause
#include "net/shared/streams.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/local_sockets.hpp"
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

SharedStreams::SharedStreams(const Nonce& own, bool may_pull)
    : may_pull_(may_pull),
      listener_(listen_for(own)),
      reserve_(reserve_descriptor()),
      watched_(epoll_create1(EPOLL_CLOEXEC)) {
  random_bytes(std::span(reinterpret_cast<std::uint8_t*>(&probe_), sizeof probe_));
  const auto watch = [this](int descriptor, std::uint64_t key) {
    epoll_event event{EPOLLIN, {.u64 = key}};
    return epoll_ctl(watched_.number(), EPOLL_CTL_ADD, descriptor, &event) == 0;
  };
  if (!watched_ || !watch(listener_.number(), listener_key) ||
      !watch(doorbell_.event_descriptor(), doorbell_key))
    throw std::runtime_error(std::string("no epoll for shared memory: ") + std::strerror(errno));
}

SharedStreams::~SharedStreams() {
  for (const auto& stream : streams_)
    if (stream != nullptr) close_stream(stream->socket);
}

void SharedStreams::abandon() noexcept {
  for (const auto& stream : streams_) {
    if (stream == nullptr) continue;
    stream->socket.close();
    if (stream->bell) stream->bell->close_descriptors();
    if (stream->memory) stream->memory->close_descriptor();
  }
  doorbell_.close_descriptors();
  listener_.close();
  reserve_.close();
  watched_.close();
}

SharedStream* SharedStreams::find(StreamId id) {
  const StreamId slot = id & slot_mask;
  if (slot >= max_slots || streams_[slot] == nullptr || streams_[slot]->id != id) return nullptr;
  return streams_[slot].get();
}

StreamId SharedStreams::next_id(StreamId slot) {
  return marker | ((++generation_ << slot_bits) & ~marker) | slot;
}

/// Slots are used in turn, so that a number comes back as late as possible.
SharedStream* SharedStreams::add(Descriptor socket, bool opener) {
  for (StreamId tries = 0; tries < max_slots; ++tries) {
    last_slot_ = (last_slot_ + 1) % max_slots;
    if (streams_[last_slot_] != nullptr) continue;
    const StreamId id = next_id(last_slot_);
    epoll_event event{EPOLLIN | EPOLLRDHUP, {.u64 = id}};
    if (epoll_ctl(watched_.number(), EPOLL_CTL_ADD, socket.number(), &event) < 0) return nullptr;
    streams_[last_slot_] = std::make_unique<SharedStream>(id, std::move(socket), opener);
    return streams_[last_slot_].get();
  }
  return nullptr;
}

void SharedStreams::close(SharedStream& stream) {
  if (stream.phase == Phase::greeted) std::erase(greeted_, stream.id);
  stream.phase = Phase::closed;
  // A forked child may have the socket open: neither epoll nor the peer would notice a mere close.
  (void)epoll_ctl(watched_.number(), EPOLL_CTL_DEL, stream.socket.number(), nullptr);
  close_stream(stream.socket);
  graveyard_.push_back(std::move(streams_[stream.id & slot_mask]));
}

void SharedStreams::end(SharedStream& stream, const std::string& reason) {
  const bool known = stream.phase != Phase::greeted;
  const StreamId id = stream.id;
  close(stream);
  if (known) events_->closed(id, reason);
}

void SharedStreams::queue(SharedStream& stream) {
  if (!std::exchange(stream.queued, true)) queued_.push_back(stream.id);
}

void SharedStreams::ring(SharedStream& stream) { system_calls_ += stream.ring_peer() ? 1 : 0; }

void SharedStreams::ask_for_poll() { system_calls_ += doorbell_.wake_sleeper() ? 1 : 0; }

void SharedStreams::fail(StreamId id, const std::string& reason) {
  failures_.push_back({id, reason});
  ask_for_poll();
}

void SharedStreams::take_queued(std::vector<StreamId>& streams) {
  streams.clear();
  streams.swap(queued_);
  for (const StreamId id : streams)
    if (SharedStream* stream = find(id)) stream->queued = false;
  news_.clear();
  doorbell_.take(news_);
  for (const Slot slot : news_)
    if (slot < max_slots && streams_[slot] != nullptr) streams.push_back(streams_[slot]->id);
}

bool SharedStreams::raise_failures() {
  bool raised = false;
  while (!failures_.empty()) {
    const Failure failure = std::move(failures_.back());
    failures_.pop_back();
    events_->closed(failure.stream, failure.reason);
    raised = true;
  }
  return raised;
}

void SharedStreams::forget_failure(StreamId id) {
  std::erase_if(failures_, [id](const Failure& one) { return one.stream == id; });
}

bool SharedStreams::may_sleep() {
  ++system_calls_;
  return doorbell_.may_sleep() && queued_.empty() && failures_.empty();
}

// Opening: the opener sends its greeting with the memory, the acceptor answers with its own.

StreamId SharedStreams::open(const Nonce& peer) {
  std::string reason;
  Descriptor socket = connect_to(peer, reason);
  system_calls_ += 3;
  SharedStream* stream = socket ? add(std::move(socket), true) : nullptr;
  if (stream == nullptr) {
    if (reason.empty()) reason = "too many streams in shared memory";
    fail(next_id(max_slots), reason);
    return failures_.back().stream;
  }
  const StreamId id = stream->id;
  try {
    stream->memory = SharedMemory::create("suiro-stream", sizeof(Segment));
    if (send_greeting(stream->socket.number(), greeting(*stream), doorbell_, &*stream->memory))
      return id;
    reason = std::string("cannot pass shared memory on: ") + std::strerror(errno);
  } catch (const std::runtime_error& error) {
    reason = error.what();
  }
  close(*stream);
  fail(id, reason);
  return id;
}

Greeting SharedStreams::greeting(const SharedStream& stream) const {
  Greeting greeting;
  greeting.probe_address = reinterpret_cast<std::uint64_t>(&probe_);
  greeting.probe_value = probe_;
  greeting.slot = stream.id & slot_mask;
  return greeting;
}

void SharedStreams::service() {
  std::array<epoll_event, 64> happened;
  ++system_calls_;
  const int count = epoll_wait(watched_.number(), happened.data(), happened.size(), 0);
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
void SharedStreams::accept_all() {
  for (int i = 0; i < accepts_at_once; ++i) {
    Descriptor socket = accept_from(listener_.number(), reserve_);
    if (!socket) return;
    if (!is_same_user(socket.number())) continue;
    if (greeted_.size() >= greeted_max) close(*find(greeted_.front()));
    SharedStream* stream = add(std::move(socket), false);
    if (stream == nullptr) continue;
    stream->phase = Phase::greeted;
    greeted_.push_back(stream->id);
    greet(*stream);
  }
}

/// The stream's socket is readable: a greeting or, afterwards, its end.
void SharedStreams::greet(SharedStream& stream) {
  ++system_calls_;
  std::optional<ReceivedGreeting> received;
  const bool begins = stream.phase == Phase::greeting || stream.phase == Phase::greeted;
  const GreetingState state =
      begins ? receive_greeting(stream.socket.number(), !stream.opener, received)
             : GreetingState::failed;
  if (state == GreetingState::none_yet) return;
  if (state == GreetingState::received) {
    stream.connect(*std::move(received), may_pull_);
    if (stream.opener ||
        send_greeting(stream.socket.number(), greeting(stream), doorbell_, nullptr)) {
      if (stream.phase == Phase::greeted) std::erase(greeted_, stream.id);
      stream.phase = Phase::new_here;
      stream.memory->close_descriptor();
      return queue(stream);
    }
  }
  if (stream.phase == Phase::greeted) return close(stream);
  stream.ended = true;
  (void)epoll_ctl(watched_.number(), EPOLL_CTL_DEL, stream.socket.number(), nullptr);
  queue(stream);
}

}  // namespace suiro::net
