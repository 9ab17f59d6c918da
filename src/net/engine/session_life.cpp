// SPDX-License-Identifier: BSD-3-Clause
// How a session comes by a control stream, notices that it is lost, and gives up.
#include <algorithm>
#include <utility>

#include "net/engine/session.hpp"

namespace suiro::net {
namespace {

constexpr std::int64_t shortest_retry_pause_ns = 20'000'000;
constexpr std::int64_t longest_retry_pause_ns = 2'000'000'000;
/// How long an opener whose stream was refused waits for the one that is kept.
constexpr std::int64_t crossing_wait_ns = 500'000'000;

}  // namespace

Route Session::route() const {
  if (shared_memory_) return {.shared_memory = true, .own_rail = 0, .peer_rail = 0};
  return paths_.routes[path_];
}

std::int64_t Session::silence_limit_ns() const {
  return silence_.stall_limit_ns() / (core_.suspects(control_rail_) ? suspicious : 1);
}

void Session::connect(std::int64_t now_ns) {
  needed_ = true;
  if (gone_ || control_ != no_stream || opening_ != no_stream) return;
  if (!shared_memory_ && paths_.routes.empty()) {
    fail("no network of ours is one of its; SUIRO_NETS chooses networks that all hosts share");
    return;
  }
  if (reached_ns_ == 0) reached_ns_ = now_ns;
  if (now_ns >= retry_ns_) {
    opening_reached_ = false;
    opening_since_ns_ = now_ns;
    opening_ = streams_.open(*this,
                             {.kind = StreamKind::control,
                              .stream = 0,
                              .name = core_.own,
                              .received = outbox_.received(),
                              .number = control_count_},
                             route());
  }
  watch(now_ns);
}

Welcome Session::introduced(Stream& stream) {
  return stream.introduction.kind == StreamKind::bulk ? bulk_.introduced(stream)
                                                      : introduced_control(stream);
}

/// The peer opened a control stream. It replaces the one there is, if the peer knew of that one;
/// else the two crossed. An own opening that the peer may count on already is kept for as long as
/// it may take: the peer has dropped this one for it, or will when it hears of it.
Welcome Session::introduced_control(const Stream& stream) {
  const std::int64_t now = core_.carrier.now_ns();
  const std::uint32_t count = stream.introduction.number;
  if (control_ != no_stream && control_is_own_ && count != control_count_) return {};
  if (outbox_.knows_of_more(stream.introduction.received)) return {};  // late, and given up since
  const bool own_first = core_.own.nonce < name_.nonce;
  const bool hopeful = !resumes_ || now - opening_since_ns_ < silence_.opening_limit_ns();
  if (control_ == no_stream && own_first && hopeful && streams_.has_proved(opening_)) return {};
  if (control_ != no_stream) drop_control();
  if (opening_ != no_stream) streams_.close(opening_);
  opening_ = no_stream;
  needed_ = true;
  control_ = stream.id;
  control_is_own_ = false;
  control_count_ = std::max(control_count_, count) + 1;
  return {.accepted = true, .received = outbox_.received(), .number = control_count_};
}

bool Session::welcomed(const Stream& stream, const Welcome& welcome) {
  if (stream.introduction.kind == StreamKind::bulk) {
    if (!welcome.accepted) bulk_.closed(stream.id);
    return welcome.accepted;
  }
  if (stream.id != opening_) return false;
  opening_ = no_stream;
  if (!welcome.accepted) {
    const std::int64_t now = core_.carrier.now_ns();
    retry_ns_ = reached_ns_ = now;
    retry_ns_ += crossing_wait_ns;
    watch(now);
    return false;
  }
  control_ = stream.id;
  control_is_own_ = true;
  control_count_ = welcome.number;
  return true;
}

void Session::established(Stream& stream) {
  if (stream.introduction.kind == StreamKind::bulk) {
    bulk_.established(stream);
    return;
  }
  const std::int64_t now = core_.carrier.now_ns();
  if (!had_control_) {
    had_control_ = true;
    ++core_.statistics.peers_connected;
    share_ = core_.credit.begin();
    give_credit(share_.bytes);
  }
  // Whichever side left the rail had a reason.
  if (control_since_ns_ != 0 && control_rail_ != stream.rail()) bulk_.end_rail(control_rail_);
  control_rail_ = stream.rail();
  control_since_ns_ = reached_ns_ = heard_ns_ = now;
  probed_ = false;
  unanswered_ = 0;
  inbox_.reset();
  if (!outbox_.attach(stream.id, control_rail_, stream.peer_received)) {
    fail("the peer has lost what it had received, or its stream broke and there is no other rail");
    return;
  }
  fetches_.distribute();
  watch(now);
}

void Session::closed(StreamId id, std::string_view reason) {
  if (gone_) return;
  if (id == opening_)
    opening_failed(core_.carrier.now_ns(), reason);
  else if (id == control_)
    lose_control(reason);
  else
    bulk_.closed(id);
}

/// The next rail's turn, after a pause that grows.
void Session::opening_failed(std::int64_t now_ns, std::string_view reason) {
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

void Session::drop_control() {
  streams_.close(control_);
  control_ = no_stream;
  outbox_.detach();
  inbox_.reset();
}

void Session::lose_control(std::string_view reason) {
  const std::int64_t now = core_.carrier.now_ns();
  ++core_.statistics.rails[control_rail_].streams_lost;
  drop_control();
  // Before the peer was heard, nothing was sent that could be lost.
  if (goodbye_heard_ || (!resumes_ && frames_heard_ > 0)) {
    fail(reason);
    return;
  }
  if (now - control_since_ns_ > longest_retry_pause_ns) pause_ns_ = 0;
  reached_ns_ = now;
  for (std::size_t index = 0; index < paths_.routes.size(); ++index)
    if (paths_.routes[index].own_rail == control_rail_) path_ = (index + 1) % paths_.routes.size();
  // Both ends notice. The one that opened this stream goes first, so that the next rarely cross.
  retry_ns_ = now + pause_ns_ + (control_is_own_ ? 0 : shortest_retry_pause_ns);
  connect(now);
}

/// Something waits for the peer.
bool Session::needs_peer() const { return outbox_.unsettled() || bulk_.busy(); }

/// Sees to it that a silent peer is noticed, from now on if nobody has cared before.
void Session::wake() {
  if (!resumes_ || waiting() || gone_) return;
  heard_ns_ = core_.carrier.now_ns();
  if (core_.suspects(control_rail_)) outbox_.tell(Outbox::Answer::wanted);
  watch(heard_ns_);
}

/// Has itself looked in at the next time that matters.
void Session::watch(std::int64_t now_ns) {
  if (gone_) return;
  std::int64_t at = acknowledge_ns_;
  const std::int64_t soon =
      now_ns + std::min(silence_limit_ns(), core_.settings.stall_timeout_ns) / 4;
  if (opening_ != no_stream)
    at = std::min(at, opening_since_ns_ + silence_.opening_limit_ns());
  else if (control_ == no_stream && needed_)
    at = std::min(at, std::max(retry_ns_, now_ns + 1));
  if (bulk_.restless() || (resumes_ && needs_peer())) at = std::min(at, soon);
  if (at != never_ns) core_.timers.schedule(*this, at);
}

void Session::look(std::int64_t now_ns) {
  if (gone_) return;
  look_control(now_ns);
  if (gone_) return;
  bulk_.look(now_ns, heard_ns_);
  watch(now_ns);
}

void Session::look_control(std::int64_t now_ns) {
  if (frames_heard_ != frames_seen_ || control_moves_ || !needs_peer()) {
    heard_ns_ = now_ns;
    probed_ = false;
  }
  frames_seen_ = frames_heard_;
  control_moves_ = false;
  if (acknowledge_ns_ <= now_ns) {
    acknowledge_ns_ = never_ns;
    outbox_.acknowledge(Outbox::Urgency::overdue);
  }
  if (opening_ != no_stream && now_ns - opening_since_ns_ >= silence_.opening_limit_ns()) {
    // A process that is stopped answers no more, but its host still takes connections.
    if (opening_reached_) reached_ns_ = now_ns;
    if (opening_reached_ || (resumes_ && ++unanswered_ % paths_.routes.size() == 0))
      silence_.left_a_rail(now_ns);
    streams_.close(opening_);
    opening_failed(now_ns, opening_reached_ ? "it is there, and does not answer" : "no answer");
  }
  if (control_ == no_stream && needed_) {
    if (now_ns - reached_ns_ > core_.settings.peer_timeout_ns)
      fail("for the time that SUIRO_NET_PEER_SECONDS says nothing got through: " + obstacle_);
    else
      connect(now_ns);
    return;
  }
  if (!resumes_ || !outbox_.attached()) return;
  const std::int64_t silent_ns = now_ns - heard_ns_;
  silence_.note(silent_ns, probed_, now_ns);
  if (!needs_peer()) return;
  const std::int64_t limit_ns = silence_limit_ns();
  if (silent_ns > limit_ns && probed_) {
    silence_.left_a_rail(now_ns);
    core_.suspect(control_rail_);
    lose_control("the peer does not answer on this rail");
  } else if (silent_ns > limit_ns / 2) {
    if (!std::exchange(probed_, true)) heard_ns_ = now_ns - limit_ns / 2;  // it has time to answer
    outbox_.tell(Outbox::Answer::wanted);
  }
}

}  // namespace suiro::net
