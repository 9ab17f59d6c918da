// SPDX-License-Identifier: BSD-3-Clause
#include "net/engine/session.hpp"

#include <algorithm>
#include <utility>

namespace suiro::net {
Session::Session(Core& core, Mailbox& mailbox, Streams& streams, Peer peer, const Name& name)
    : core_(core),
      mailbox_(mailbox),
      peer_(peer),
      name_(name),
      paths_(paths_to(core.links, core.own, name)),
      resumes_(!paths_.same_host && paths_.have_spares()),
      silence_(core.settings, resumes_),
      bulk_table_(core, paths_),
      offers_(core, outbox_, *this, bulk_table_),
      fetches_(core, mailbox, outbox_, *this, *this, bulk_table_),
      outbox_(core, offers_, resumes_),
      inbox_(mailbox, outbox_, *this, peer),
      bulk_(core, streams, *this, silence_, bulk_table_, offers_, fetches_,
            core.own.nonce < name.nonce),
      control_(core, streams, *this, *this, paths_, silence_, outbox_, inbox_, bulk_, resumes_,
               core.own.nonce < name.nonce) {}

Status Session::send(const SendRequest& request) {
  if (gone_) {
    complain();
    return Status::unreachable;
  }
  const Status status = outbox_.send(request);
  control_.need();
  return status;
}

void Session::finish() {
  if (gone_ || goodbye_said_ || !control_.needed()) return;
  goodbye_said_ = true;
  Header goodbye;
  goodbye.kind = FrameKind::goodbye;
  outbox_.post(goodbye);
  control_.wake();
}

void Session::tell_leaving(std::size_t number, std::uint64_t life) {
  if (gone_ || goodbye_said_) return;
  Header header;
  header.kind = FrameKind::leave;
  header.stream = static_cast<std::uint8_t>(number);
  header.data = life;
  outbox_.post(header);
  control_.wake();
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
  control_.wake();
}

void Session::came_ahead(Receive& receive) {
  fetches_.came_ahead(receive);
  control_.wake();
}

void Session::decline(std::uint64_t transfer) {
  if (gone_) return;
  fetches_.decline(transfer);
  control_.wake();
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

void Session::connected() {
  share_ = core_.credit.begin();
  give_credit(share_.bytes);
}

Welcome Session::introduced(Stream& stream) {
  return stream.introduction.kind == StreamKind::bulk ? bulk_.introduced(stream)
                                                      : control_.introduced(stream);
}

bool Session::welcomed(const Stream& stream, const Welcome& welcome) {
  if (stream.introduction.kind == StreamKind::control) return control_.welcomed(stream, welcome);
  if (!welcome.accepted) bulk_.closed(stream.id);
  return welcome.accepted;
}

void Session::established(Stream& stream) {
  if (stream.introduction.kind == StreamKind::bulk)
    bulk_.established(stream);
  else
    control_.established(stream);
}

void Session::closed(StreamId id, std::string_view reason) {
  if (!gone_ && !control_.closed(id, reason)) bulk_.closed(id);
}

void Session::writable(const Stream& stream) {
  if (stream.introduction.kind == StreamKind::bulk)
    offers_.writable(stream.introduction.stream);
  else if (control_.is(stream.id))
    outbox_.writable();
}

void Session::received(Stream& stream, std::span<const std::byte> bytes) {
  if (stream.introduction.kind == StreamKind::control) {
    if (!control_.is(stream.id)) return;
    control_.arrived(bytes.size());
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
  return control_.is(stream.id) ? inbox_.wanted() : std::span<std::byte>();
}

void Session::placed(const Stream& stream, std::size_t bytes) {
  if (stream.introduction.kind == StreamKind::bulk) {
    fetches_.placed(stream.introduction.stream, bytes);
  } else if (control_.is(stream.id)) {
    control_.arrived(bytes);
    if (!inbox_.placed(bytes)) fail(inbox_.objection());
  }
}

void Session::drained(const Stream& stream) {
  if (control_.is(stream.id)) control_.drained();
}

bool Session::heard(const Header& header) {
  control_.heard_frame();
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
      control_.heard_goodbye();
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
  control_.watch(core_.carrier.now_ns());
}

void Session::want_route(std::size_t index) { bulk_.want(index, core_.carrier.now_ns()); }

void Session::end_bulk(std::size_t number, std::string_view) { bulk_.end(number); }

void Session::fail(std::string_view reason) {
  if (gone_) return;
  gone_ = true;
  failure_ = reason;
  const std::uint64_t unreachable = unreachable_so_far();
  control_.end();
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
