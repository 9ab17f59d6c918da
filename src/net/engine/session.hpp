// SPDX-License-Identifier: BSD-3-Clause
// One peer: its control stream through all its lives, and what travels on it.
//
// Whoever has something to say opens the stream. If both do at once, the one begun by the process
// with the smaller nonce stays. If it breaks, both try to open another, on the next rail; each says
// how many frames it had received, and the rest is sent again. When no rail is left for
// peer_timeout, or when nothing was kept because there is one rail only, the session is gone for
// good, and with it every operation that needs the peer.
#pragma once

#include <string>
#include <string_view>

#include "net/carrier/timers.hpp"
#include "net/engine/bulk.hpp"
#include "net/engine/bulk_table.hpp"
#include "net/engine/fetches.hpp"
#include "net/engine/offers.hpp"
#include "net/engine/silence.hpp"
#include "net/engine/streams.hpp"
#include "net/frames/core.hpp"
#include "net/frames/inbox.hpp"
#include "net/frames/outbox.hpp"
#include "net/links/paths.hpp"
#include "net/operations/mailbox.hpp"

namespace suiro::net {

class Session : public Watcher, public BulkOwner, private FrameSink, private BulkOpener {
 public:
  Session(Core& core, Mailbox& mailbox, Streams& streams, Peer peer, const Name& name);

  bool gone() const { return gone_; }
  /// Why it is gone.
  const std::string& failure() const { return failure_; }
  std::size_t control_rail() const override { return control_rail_; }

  Status send(const SendRequest& request);
  void tell_leaving(std::size_t number, std::uint64_t life) override;
  void tell_wanted(std::size_t rail) override;
  /// Says goodbye if the peer has ever been talked to.
  void finish();

  void fetch(Receive& receive, std::uint64_t transfer, std::uint64_t ahead) override;
  void came_ahead(Receive& receive) override;
  void decline(std::uint64_t transfer) override;
  void abandon(Receive& receive) override;
  void consumed(std::uint64_t bytes) override;

  const Name& name() const override { return name_; }
  void reached(StreamId id) override { opening_reached_ = opening_reached_ || id == opening_; }
  Welcome introduced(Stream& stream) override;
  bool welcomed(const Stream& stream, const Welcome& welcome) override;
  void established(Stream& stream) override;
  void closed(StreamId id, std::string_view reason) override;
  void writable(const Stream& stream) override;
  void received(Stream& stream, std::span<const std::byte> bytes) override;
  std::span<std::byte> wanted(const Stream& stream) override;
  void placed(const Stream& stream, std::size_t bytes) override;
  void drained(const Stream& stream) override;

  void look(std::int64_t now_ns) override;

 private:
  bool heard(const Header& header) override;
  bool frame(const Header& header) override;
  void want_bulk() override;
  void want_route(std::size_t index) override;
  void end_bulk(std::size_t number, std::string_view reason) override;

  void announced(const Header& header);
  void connect(std::int64_t now_ns);
  Route route() const;
  Welcome introduced_control(const Stream& stream);
  void opening_failed(std::int64_t now_ns, std::string_view reason);
  void drop_control();
  void lose_control(std::string_view reason);
  void fail(std::string_view reason);
  void complain();
  std::uint64_t unreachable_so_far() const;
  void give_credit(std::uint64_t bytes);
  void watch(std::int64_t now_ns);
  void wake();
  void show_life();
  bool needs_peer() const;
  void look_control(std::int64_t now_ns);
  std::int64_t silence_limit_ns() const;

  Core& core_;
  Mailbox& mailbox_;
  Streams& streams_;
  const Peer peer_;
  const Name name_;
  const Paths paths_;
  const bool resumes_;
  Silence silence_;
  BulkTable bulk_table_;
  Offers offers_;
  Fetches fetches_;
  Outbox outbox_;
  Inbox inbox_;
  Bulk bulk_;

  CreditPool::Share share_;  // of the memory for messages that nobody has asked for yet
  bool gone_ = false;
  bool goodbye_said_ = false, goodbye_heard_ = false;
  bool had_control_ = false;
  bool needed_ = false;           // a control stream is
  bool shared_memory_ = false;    // to be tried, or in use
  StreamId control_ = no_stream;  // established, or about to be
  bool control_is_own_ = false;   // this side opened it
  std::size_t control_rail_ = 0;
  std::int64_t control_since_ns_ = 0;
  std::uint32_t control_count_ = 0;  // streams of the session so far, as both know
  StreamId opening_ = no_stream;
  std::int64_t opening_since_ns_ = 0;
  bool opening_reached_ = false;
  std::size_t unanswered_ = 0;  // openings that reached nobody, since there was a stream
  std::size_t path_ = 0;        // that is tried, or in use
  std::int64_t retry_ns_ = 0, pause_ns_ = 0;
  std::int64_t reached_ns_ = 0;  // when there was a way to the peer last
  std::uint64_t frames_heard_ = 0, frames_seen_ = 0;
  bool control_moves_ = false;  // some of a frame has come since the last look
  std::int64_t heard_ns_ = 0, shown_life_ns_ = 0;
  bool probed_ = false;  // since then
  std::int64_t acknowledge_ns_ = never_ns;
  std::string obstacle_;  // of the last opening
  std::string failure_;
  bool complained_ = false;
};

}  // namespace suiro::net
