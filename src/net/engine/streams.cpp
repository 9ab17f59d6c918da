// SPDX-License-Identifier: BSD-3-Clause
#include "net/engine/streams.hpp"

#include <string>
#include <utility>

namespace suiro::net {
namespace {

constexpr std::size_t strangers_max = 256;

}  // namespace

Stream* Streams::find(StreamId id) {
  Stream*& known = this->known(id);
  if (known != nullptr && known->id == id) return known;
  const auto found = streams_.find(id);
  if (found == streams_.end()) return nullptr;
  return known = &found->second;
}

void Streams::forget(StreamId id) {
  known(id) = nullptr;
  streams_.erase(id);
}

bool Streams::has_proved(StreamId id) {
  const Stream* stream = find(id);
  return stream != nullptr && stream->handshake && stream->handshake->has_proved();
}

StreamId Streams::open(StreamOwner& owner, const Introduction& introduction, const Route& route) {
  const StreamId id = core_.carrier.open(owner.name(), route);
  Stream& stream = streams_[id];
  stream.id = id;
  stream.route = route;
  stream.introduction = introduction;
  stream.owner = &owner;
  stream.opener = true;
  return id;
}

void Streams::close(StreamId id) {
  Stream* stream = find(id);
  if (stream == nullptr) return;
  const bool has_proved = stream->handshake && stream->handshake->has_proved();
  if (stream->opener && !stream->established && !has_proved)
    leave(*stream);
  else
    drop(*stream);
}

/// The other side may have accepted it, and takes who leaves without a word for a stranger. While
/// it connects the words may not be taken, so it stays until they are.
void Streams::leave(Stream& stream) {
  if (!stream.handshake) begin_exchange(stream);
  const std::vector<std::byte> last = stream.handshake->farewell();
  stream.unwritten.insert(stream.unwritten.end(), last.begin(), last.end());
  stream.owner = nullptr;
  stream.leaves = true;
  limit_time(stream.id);
  write_last(stream);
}

void Streams::write_last(Stream& stream) {
  write_on(stream);
  if (stream.unwritten.empty() || stream.route.shared_memory) drop(stream);
}

/// Of what has no owner.
void Streams::limit_time(StreamId id) {
  strangers_.push_back({id, core_.carrier.now_ns()});
  core_.timers.schedule(*this, strangers_.front().since_ns + core_.settings.handshake_timeout_ns);
}

void Streams::begin_exchange(Stream& stream) {
  stream.handshake = std::make_unique<Handshake>(
      Handshake::open(stream.introduction, stream.owner->name(), core_.settings.job_secret));
}

void Streams::drop(Stream& stream) {
  const StreamId id = stream.id;
  core_.carrier.close(id);
  forget(id);
}

/// Closes a stream and tells its owner.
void Streams::lose(Stream& stream, std::string_view reason) {
  StreamOwner* owner = stream.owner;
  const StreamId id = stream.id;
  drop(stream);
  if (owner != nullptr) owner->closed(id, reason);
}

void Streams::accepted(StreamId id, const Route& route) {
  Stream& stream = streams_[id];
  stream.id = id;
  stream.route = route;
  stream.handshake =
      std::make_unique<Handshake>(Handshake::accept(core_.own, core_.settings.job_secret));
  limit_time(id);
  if (strangers_.size() > strangers_max) look(core_.carrier.now_ns());
  while (strangers_.size() > strangers_max) {
    Stream* oldest = find(strangers_.front().id);
    strangers_.pop_front();
    if (!oldest->leaves) ++core_.statistics.refused_streams;
    lose(*oldest, "too many opening exchanges at once");
  }
}

/// Forgets strangers that have introduced themselves or are gone, and drops those who take too
/// long.
void Streams::look(std::int64_t now_ns) {
  std::deque<Stranger> left;
  // Who loses one may leave another.
  for (const Stranger& stranger : std::exchange(strangers_, {})) {
    Stream* stream = find(stranger.id);
    if (stream == nullptr || stream->established) continue;
    if (now_ns - stranger.since_ns < core_.settings.handshake_timeout_ns) {
      left.push_back(stranger);
      continue;
    }
    if (!stream->refused && !stream->leaves) ++core_.statistics.refused_streams;
    lose(*stream, "the opening exchange took too long");
  }
  left.insert(left.end(), strangers_.begin(), strangers_.end());
  strangers_ = std::move(left);
  if (!strangers_.empty())
    core_.timers.schedule(*this, strangers_.front().since_ns + core_.settings.handshake_timeout_ns);
}

void Streams::opened(StreamId id) {
  Stream* stream = find(id);
  if (stream == nullptr) return;
  if (stream->leaves) return write_last(*stream);
  if (stream->owner == nullptr || stream->handshake) return;
  stream->owner->reached(id);
  begin_exchange(*stream);
  write(*stream);
}

void Streams::closed(StreamId id, std::string_view reason) {
  Stream* stream = find(id);
  if (stream == nullptr) return;
  StreamOwner* owner = stream->owner;
  // Else a scan. An opener that leaves while it is answered is heard of by a reset alone, and in
  // shared memory one that leaves has no stream yet to say so.
  const bool has_hello = stream->handshake && stream->handshake->has_hello();
  const bool is_known = owner != nullptr || stream->refused || stream->leaves || has_hello;
  if (!is_known && !stream->route.shared_memory) ++core_.statistics.refused_streams;
  forget(id);
  if (owner != nullptr) owner->closed(id, reason);
}

void Streams::writable(StreamId id) {
  Stream* stream = find(id);
  if (stream == nullptr) return;
  if (stream->leaves)
    write_last(*stream);
  else if (stream->established)
    stream->owner->writable(*stream);
  else
    write(*stream);
}

void Streams::received(StreamId id, std::span<const std::byte> bytes) {
  Stream* stream = find(id);
  if (stream == nullptr || stream->leaves) return;
  if (stream->established)
    stream->owner->received(*stream, bytes);
  else if (stream->handshake)
    exchange(*stream, bytes);
}

void Streams::exchange(Stream& stream, std::span<const std::byte> bytes) {
  const StreamId id = stream.id;
  bytes = bytes.subspan(stream.handshake->feed(bytes));
  const Handshake::State state = stream.handshake->state();
  if (state == Handshake::State::failed) {
    if (!stream.handshake->has_left()) ++core_.statistics.refused_streams;
    const std::string reason = stream.handshake->failure();
    lose(stream, reason);
    return;
  }
  const bool opener = stream.opener;
  if (opener && state == Handshake::State::finished)
    finish(stream);
  else if (state == Handshake::State::proved)
    introduce(stream);
  else
    write(stream);
  // An honest acceptor's bytes may follow its welcome; an honest opener waits for the welcome.
  if (bytes.empty() || find(id) == nullptr) return;
  if (opener)
    received(id, bytes);
  else
    lose(*find(id), "bytes before the welcome");
}

/// The opener has its welcome.
void Streams::finish(Stream& stream) {
  const Welcome welcome = stream.handshake->welcome();
  stream.peer_received = welcome.received;
  if (stream.owner->welcomed(stream, welcome))
    establish(stream);
  else
    drop(stream);
}

/// Somebody has proved to belong to the job: whose session is this, and does it want the stream?
void Streams::introduce(Stream& stream) {
  stream.introduction = stream.handshake->introduction();
  StreamOwner* owner = owners_.owner_of(stream.introduction.name);
  if (owner == nullptr) {
    ++core_.statistics.refused_streams;
    drop(stream);
    return;
  }
  const Welcome welcome = owner->introduced(stream);
  stream.refused = !welcome.accepted;
  if (welcome.accepted) stream.owner = owner;
  stream.peer_received = stream.introduction.received;
  stream.handshake->welcome(welcome);
  write(stream);
}

void Streams::write(Stream& stream) {
  const std::vector<std::byte> more = stream.handshake->to_write();
  stream.unwritten.insert(stream.unwritten.end(), more.begin(), more.end());
  write_on(stream);
  // The acceptor's part ends with the last byte of its welcome.
  const bool over = stream.handshake->state() == Handshake::State::finished;
  if (over && !stream.opener && !stream.refused && stream.unwritten.empty()) establish(stream);
}

void Streams::write_on(Stream& stream) {
  if (stream.unwritten.empty()) return;
  const iovec piece{.iov_base = stream.unwritten.data(), .iov_len = stream.unwritten.size()};
  const std::size_t taken = core_.carrier.write(stream.id, {&piece, 1});
  stream.unwritten.erase(stream.unwritten.begin(),
                         stream.unwritten.begin() + static_cast<std::ptrdiff_t>(taken));
}

void Streams::establish(Stream& stream) {
  stream.established = true;
  stream.handshake.reset();
  ++core_.statistics.rails[stream.rail()].streams_opened;
  core_.carrier.establish(stream.id, stream.introduction.kind);
  stream.owner->established(stream);
}

}  // namespace suiro::net
