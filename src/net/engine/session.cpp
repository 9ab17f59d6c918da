// SPDX-License-Identifier: BSD-3-Clause
#include "net/engine/session.hpp"

#include <algorithm>
#include <utility>

namespace suiro::net {
namespace {

/// An acknowledgement that nobody asked for waits for a frame that goes anyway, but not longer.
constexpr std::int64_t acknowledgement_delay_ns = 20'000'000;
/// While a long frame comes, within the time after which a silent rail is left.
constexpr std::int64_t signs_of_life = 16;

}  // namespace

Session::Session(Core& core, Mailbox& mailbox, Streams& streams, Peer peer, const Name& name)
    : core_(core),
      mailbox_(mailbox),
      streams_(streams),
      peer_(peer),
      name_(name),
      paths_(paths_to(core.links, core.own, name)),
      resumes_(!paths_.same_host && paths_.routes.size() > 1),
      silence_(core.settings, resumes_),
      bulk_table_(core, paths_),
      offers_(core, outbox_, *this, bulk_table_),
      fetches_(core, mailbox, outbox_, *this, *this, bulk_table_),
      outbox_(core, offers_, resumes_),
      inbox_(mailbox, outbox_, *this, peer),
      bulk_(core, streams, *this, silence_, bulk_table_, offers_, fetches_,
            core.own.nonce < name.nonce),
      shared_memory_(paths_.same_host) {}

Status Session::send(const SendRequest& request) {
  if (gone_) {
    complain();
    return Status::unreachable;
  }
  const Status status = outbox_.send(request);
  if (control_ == no_stream && opening_ == no_stream)
    connect(core_.carrier.now_ns());
  else
    wake();
  return status;
}

void Session::finish() {
  if (gone_ || goodbye_said_ || !needed_) return;
  goodbye_said_ = true;
  Header goodbye;
  goodbye.kind = FrameKind::goodbye;
  outbox_.post(goodbye);
  wake();
}

void Session::tell_leaving(std::size_t number, std::uint64_t life) {
  if (gone_ || goodbye_said_) return;
  Header header;
  header.kind = FrameKind::leave;
  header.stream = static_cast<std::uint8_t>(number);
  header.data = life;
  outbox_.post(header);
  wake();
}

void Session::tell_wanted(std::size_t rail) {
  if (gone_ || goodbye_said_) return;
  Header header;
  header.kind = FrameKind::want;
  header.stream = static_cast<std::uint8_t>(rail);
  outbox_.post(header);
}

void Session::fetch(Receive& receive, std::uint64_t transfer, std::uint64_t ahead) {
  fetches_.fetch(receive, transfer, ahead);
  wake();
}

void Session::came_ahead(Receive& receive) {
  fetches_.came_ahead(receive);
  wake();
}

void Session::decline(std::uint64_t transfer) {
  if (gone_) return;
  fetches_.decline(transfer);
  wake();
}

void Session::abandon(Receive& receive) { fetches_.abandon(receive); }

void Session::consumed(std::uint64_t bytes) {
  if (gone_) return;
  give_credit(core_.credit.renew(share_, bytes));
  outbox_.acknowledge(Outbox::Urgency::credit);
}

/// The peer may send so much more, with its share as it is now.
void Session::give_credit(std::uint64_t bytes) {
  outbox_.set_share(share_.bytes);
  outbox_.add_credit(bytes);
}

void Session::writable(const Stream& stream) {
  if (stream.introduction.kind == StreamKind::bulk)
    offers_.writable(stream.introduction.stream);
  else if (stream.id == control_)
    outbox_.writable();
}

void Session::received(Stream& stream, std::span<const std::byte> bytes) {
  if (stream.introduction.kind == StreamKind::control) {
    if (stream.id != control_) return;
    core_.statistics.rails[control_rail_].received_bytes += bytes.size();
    control_moves_ = true;
    if (!inbox_.receive(bytes)) fail(inbox_.objection());
    return;
  }
  const std::size_t number = stream.introduction.stream;
  while (!bytes.empty()) {
    const std::span<std::byte> room = fetches_.wanted(number);
    if (room.empty()) {
      bulk_.end(number);
      return;
    }
    const std::size_t here = std::min(room.size(), bytes.size());
    std::copy_n(bytes.begin(), here, room.begin());
    bytes = bytes.subspan(here);
    fetches_.placed(number, here);
  }
}

std::span<std::byte> Session::wanted(const Stream& stream) {
  if (stream.introduction.kind == StreamKind::bulk)
    return fetches_.wanted(stream.introduction.stream);
  return stream.id == control_ ? inbox_.wanted() : std::span<std::byte>();
}

void Session::placed(const Stream& stream, std::size_t bytes) {
  if (stream.introduction.kind == StreamKind::bulk) {
    fetches_.placed(stream.introduction.stream, bytes);
  } else if (stream.id == control_) {
    core_.statistics.rails[control_rail_].received_bytes += bytes;
    control_moves_ = true;
    if (!inbox_.placed(bytes)) fail(inbox_.objection());
  }
}

void Session::drained(const Stream& stream) {
  if (stream.id != control_) return;
  outbox_.acknowledge(Outbox::Urgency::wanted);
  show_life();
  if (!resumes_ || acknowledge_ns_ != never_ns || !outbox_.owes_acknowledgement()) return;
  acknowledge_ns_ = core_.carrier.now_ns() + acknowledgement_delay_ns;
  core_.timers.schedule(*this, acknowledge_ns_);
}

/// A frame is answered when it is there. While a long one comes over a slow rail, its sender is to
/// hear that it does, soon enough even if it suspects the rail.
void Session::show_life() {
  if (!resumes_ || !inbox_.amid_payload()) return;
  const std::int64_t now_ns = core_.carrier.now_ns();
  if (now_ns - shown_life_ns_ < core_.settings.stall_timeout_ns / signs_of_life) return;
  shown_life_ns_ = now_ns;
  outbox_.tell(Outbox::Answer::unwanted);
}

bool Session::heard(const Header& header) {
  ++frames_heard_;
  return outbox_.hear(header);
}

bool Session::frame(const Header& header) {
  switch (header.kind) {
    case FrameKind::request:
      announced(header);
      return true;
    case FrameKind::grant:
      return offers_.granted(header);
    case FrameKind::done:
      return offers_.done(header);
    case FrameKind::goodbye:
      goodbye_heard_ = true;
      return true;
    case FrameKind::leave:
      return bulk_.left(header.stream, header.data);
    case FrameKind::want:
      return bulk_.wanted_by_peer(header.stream);
    case FrameKind::eager:
    case FrameKind::acknowledgement:
      break;
  }
  return false;
}

void Session::announced(const Header& header) {
  fetches_.heard(header.busy);
  if (header.message_bytes > 0) want_bulk();
  if (header.ahead_bytes == 0 && header.message_bytes > 0) return;
  give_credit(core_.credit.grow(share_, core_.settings.unexpected_budget));
}

void Session::want_bulk() {
  bulk_.open(core_.carrier.now_ns());
  watch(core_.carrier.now_ns());
}

void Session::want_route(std::size_t index) { bulk_.want(index, core_.carrier.now_ns()); }

void Session::end_bulk(std::size_t number, std::string_view) { bulk_.end(number); }

void Session::fail(std::string_view reason) {
  if (gone_) return;
  gone_ = true;
  failure_ = reason;
  const std::uint64_t unreachable = unreachable_so_far();
  if (opening_ != no_stream) streams_.close(opening_);
  if (control_ != no_stream) streams_.close(control_);
  opening_ = control_ = no_stream;
  bulk_.fail();
  inbox_.fail();
  fetches_.fail();
  offers_.fail();
  outbox_.fail();
  mailbox_.lose(*this, peer_);
  if (unreachable_so_far() != unreachable) complain();
}

std::uint64_t Session::unreachable_so_far() const {
  return core_.sends.unreachable() + mailbox_.unreachable();
}

/// A peer that ended when nobody needed it any more is not worth a word.
void Session::complain() {
  if (!std::exchange(complained_, true) && core_.peer_lost) core_.peer_lost(name_, failure_);
}

}  // namespace suiro::net
