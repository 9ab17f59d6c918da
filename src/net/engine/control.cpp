// SPDX-License-Identifier: BSD-3-Clause
#include "net/engine/control.hpp"

#include <algorithm>
#include <utility>

namespace suiro::net {
namespace {

constexpr std::int64_t shortest_retry_pause_ns = 20'000'000;
constexpr std::int64_t longest_retry_pause_ns = 2'000'000'000;
/// How long an opener whose stream was refused waits for the one that is kept.
constexpr std::int64_t crossing_wait_ns = 500'000'000;
/// An acknowledgement that nobody asked for waits for a frame that goes anyway, but not longer.
constexpr std::int64_t acknowledgement_delay_ns = 20'000'000;
/// While a long frame comes, within the time after which a silent rail is left.
constexpr std::int64_t signs_of_life = 16;

}  // namespace

Route Control::route() const {
  if (shared_memory_) return {.shared_memory = true, .own_rail = 0, .peer_rail = 0};
  return paths_.routes[path_];
}

std::int64_t Control::silence_limit_ns() const {
  return silence_.stall_limit_ns() / (core_.suspects(rail_) ? suspicious : 1);
}

void Control::need() {
  if (stream_ == no_stream && opening_ == no_stream)
    connect(core_.carrier.now_ns());
  else
    wake();
}

void Control::connect(std::int64_t now_ns) {
  needed_ = true;
  if (over_ || stream_ != no_stream || opening_ != no_stream) return;
  if (!shared_memory_ && paths_.routes.empty()) {
    owner_.fail(
        "no network of ours is one of its; SUIRO_NETS chooses networks that all hosts share");
    return;
  }
  if (reached_ns_ == 0) reached_ns_ = now_ns;
  if (now_ns >= retry_ns_) {
    opening_reached_ = false;
    opening_since_ns_ = now_ns;
    opening_ = streams_.open(stream_owner_,
                             {.kind = StreamKind::control,
                              .stream = 0,
                              .name = core_.own,
                              .received = outbox_.received(),
                              .number = count_},
                             route());
  }
  watch(now_ns);
}

/// The peer opened a control stream. It replaces the one there is, if the peer knew of that one;
/// else the two crossed. An own opening that the peer may count on already is kept for as long as
/// it may take: the peer has dropped this one for it, or will when it hears of it.
Welcome Control::introduced(const Stream& stream) {
  const std::int64_t now = core_.carrier.now_ns();
  const std::uint32_t count = stream.introduction.number;
  if (stream_ != no_stream && is_own_ && count != count_) return {};
  if (outbox_.knows_of_more(stream.introduction.received)) return {};  // late, and given up since
  const bool hopeful = !resumes_ || now - opening_since_ns_ < silence_.opening_limit_ns();
  if (stream_ == no_stream && first_ && hopeful && streams_.has_proved(opening_)) return {};
  if (stream_ != no_stream) drop();
  if (opening_ != no_stream) streams_.close(opening_);
  opening_ = no_stream;
  needed_ = true;
  stream_ = stream.id;
  is_own_ = false;
  count_ = std::max(count_, count) + 1;
  return {.accepted = true, .received = outbox_.received(), .number = count_};
}

bool Control::welcomed(const Stream& stream, const Welcome& welcome) {
  if (stream.id != opening_) return false;
  opening_ = no_stream;
  if (!welcome.accepted) {
    const std::int64_t now = core_.carrier.now_ns();
    retry_ns_ = reached_ns_ = now;
    retry_ns_ += crossing_wait_ns;
    watch(now);
    return false;
  }
  stream_ = stream.id;
  is_own_ = true;
  count_ = welcome.number;
  return true;
}

void Control::established(const Stream& stream) {
  const std::int64_t now = core_.carrier.now_ns();
  if (!had_stream_) {
    had_stream_ = true;
    ++core_.statistics.peers_connected;
    owner_.connected();
  }
  // Whichever side left the rail had a reason.
  if (since_ns_ != 0 && rail_ != stream.rail()) bulk_.end_rail(rail_);
  rail_ = stream.rail();
  since_ns_ = reached_ns_ = heard_ns_ = now;
  probed_ = false;
  unanswered_ = 0;
  inbox_.reset();
  if (!outbox_.attach(stream.id, rail_, stream.peer_received)) {
    owner_.fail(
        "the peer has lost what it had received, or its stream broke and there is no other rail");
    return;
  }
  owner_.attached();
  watch(now);
}

bool Control::closed(StreamId id, std::string_view reason) {
  if (id == opening_)
    opening_failed(core_.carrier.now_ns(), reason);
  else if (id == stream_)
    lose(reason);
  else
    return false;
  return true;
}

/// The next rail's turn, after a pause that grows.
void Control::opening_failed(std::int64_t now_ns, std::string_view reason) {
  opening_ = no_stream;
  obstacle_ = reason;
  if (shared_memory_ && frames_heard_ == 0) {
    shared_memory_ = false;
    bulk_.give_up_shared_memory();
  } else {
    if (!paths_.routes.empty()) path_ = (path_ + 1) % paths_.routes.size();
    pause_ns_ = std::clamp(pause_ns_ * 2, shortest_retry_pause_ns, longest_retry_pause_ns);
    retry_ns_ = now_ns + pause_ns_;
  }
  connect(now_ns);
}

void Control::drop() {
  streams_.close(stream_);
  stream_ = no_stream;
  outbox_.detach();
  inbox_.reset();
}

void Control::lose(std::string_view reason) {
  const std::int64_t now = core_.carrier.now_ns();
  ++core_.statistics.rails[rail_].streams_lost;
  drop();
  // Before the peer was heard, nothing was sent that could be lost.
  if (goodbye_heard_ || (!resumes_ && frames_heard_ > 0)) {
    owner_.fail(reason);
    return;
  }
  if (now - since_ns_ > longest_retry_pause_ns) pause_ns_ = 0;
  reached_ns_ = now;
  for (std::size_t index = 0; index < paths_.routes.size(); ++index)
    if (paths_.routes[index].own_rail == rail_) path_ = (index + 1) % paths_.routes.size();
  // Both ends notice. The one that opened this stream goes first, so that the next rarely cross.
  retry_ns_ = now + pause_ns_ + (is_own_ ? 0 : shortest_retry_pause_ns);
  connect(now);
}

void Control::end() {
  over_ = true;
  if (opening_ != no_stream) streams_.close(opening_);
  if (stream_ != no_stream) streams_.close(stream_);
  opening_ = stream_ = no_stream;
}

void Control::arrived(std::size_t bytes) {
  core_.statistics.rails[rail_].received_bytes += bytes;
  moves_ = true;
}

void Control::drained() {
  outbox_.acknowledge(Outbox::Urgency::wanted);
  show_life();
  if (!resumes_ || acknowledge_ns_ != never_ns || !outbox_.owes_acknowledgement()) return;
  acknowledge_ns_ = core_.carrier.now_ns() + acknowledgement_delay_ns;
  core_.timers.schedule(*this, acknowledge_ns_);
}

/// A frame is answered when it is there. While a long one comes over a slow rail, its sender is to
/// hear that it does, soon enough even if it suspects the rail.
void Control::show_life() {
  if (!resumes_ || !inbox_.amid_payload()) return;
  const std::int64_t now_ns = core_.carrier.now_ns();
  if (now_ns - shown_life_ns_ < core_.settings.stall_timeout_ns / signs_of_life) return;
  shown_life_ns_ = now_ns;
  outbox_.tell(Outbox::Answer::unwanted);
}

/// Something waits for the peer.
bool Control::needs_peer() const { return outbox_.unsettled() || bulk_.busy(); }

void Control::wake() {
  if (!resumes_ || waiting() || over_) return;
  heard_ns_ = core_.carrier.now_ns();
  if (core_.suspects(rail_)) outbox_.tell(Outbox::Answer::wanted);
  watch(heard_ns_);
}

void Control::watch(std::int64_t now_ns) {
  if (over_) return;
  std::int64_t at = acknowledge_ns_;
  const std::int64_t soon =
      now_ns + std::min(silence_limit_ns(), core_.settings.stall_timeout_ns) / 4;
  if (opening_ != no_stream)
    at = std::min(at, opening_since_ns_ + silence_.opening_limit_ns());
  else if (stream_ == no_stream && needed_)
    at = std::min(at, std::max(retry_ns_, now_ns + 1));
  if (bulk_.restless() || (resumes_ && needs_peer())) at = std::min(at, soon);
  if (at != never_ns) core_.timers.schedule(*this, at);
}

void Control::look(std::int64_t now_ns) {
  if (over_) return;
  if (frames_heard_ != frames_seen_ || moves_ || !needs_peer()) {
    heard_ns_ = now_ns;
    probed_ = false;
  }
  frames_seen_ = frames_heard_;
  moves_ = false;
  if (acknowledge_ns_ <= now_ns) {
    acknowledge_ns_ = never_ns;
    outbox_.acknowledge(Outbox::Urgency::overdue);
  }
  look_at_opening(now_ns);
  if (!over_ && stream_ != no_stream) look_at_silence(now_ns);
  if (over_) return;
  bulk_.look(now_ns, heard_ns_);
  watch(now_ns);
}

void Control::look_at_opening(std::int64_t now_ns) {
  if (opening_ != no_stream && now_ns - opening_since_ns_ >= silence_.opening_limit_ns()) {
    // A process that is stopped answers no more, but its host still takes connections.
    if (opening_reached_) reached_ns_ = now_ns;
    if (opening_reached_ || (resumes_ && ++unanswered_ % paths_.routes.size() == 0))
      silence_.left_a_rail(now_ns);
    streams_.close(opening_);
    opening_failed(now_ns, opening_reached_ ? "it is there, and does not answer" : "no answer");
  }
  if (stream_ != no_stream || !needed_) return;
  if (now_ns - reached_ns_ > core_.settings.peer_timeout_ns)
    owner_.fail("for the time that SUIRO_NET_PEER_SECONDS says nothing got through: " + obstacle_);
  else
    connect(now_ns);
}

void Control::look_at_silence(std::int64_t now_ns) {
  if (!resumes_ || !outbox_.attached()) return;
  const std::int64_t silent_ns = now_ns - heard_ns_;
  silence_.note(silent_ns, probed_, now_ns);
  if (!needs_peer()) return;
  const std::int64_t limit_ns = silence_limit_ns();
  if (silent_ns > limit_ns && probed_) {
    silence_.left_a_rail(now_ns);
    core_.suspect(rail_);
    lose("the peer does not answer on this rail");
  } else if (silent_ns > limit_ns / 2) {
    if (!std::exchange(probed_, true)) heard_ns_ = now_ns - limit_ns / 2;  // it has time to answer
    outbox_.tell(Outbox::Answer::wanted);
  }
}

}  // namespace suiro::net
