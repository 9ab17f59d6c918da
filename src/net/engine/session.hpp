// SPDX-License-Identifier: BSD-3-Clause
// One peer: what is sent to it, what comes from it, and its end, with every operation that needs
// it.
#pragma once

#include <string>
#include <string_view>

#include "net/engine/bulk.hpp"
#include "net/engine/bulk_table.hpp"
#include "net/engine/control.hpp"
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

class Session : public BulkOwner, private ControlOwner, private FrameSink, private BulkOpener {
 public:
  Session(Core& core, Mailbox& mailbox, Streams& streams, Peer peer, const Name& name);

  bool gone() const { return gone_; }
  /// Why it is gone.
  const std::string& failure() const { return failure_; }
  std::size_t control_rail() const override { return control_.rail(); }

  Status send(const SendRequest& request);
  void tell_leaving(std::size_t number, std::uint64_t life) override;
  void tell_wanted(std::size_t rail) override;
  void bulk_ended() override { control_.watch(core_.carrier.now_ns()); }
  /// Says goodbye if the peer has ever been talked to.
  void finish();

  void fetch(Receive& receive, std::uint64_t transfer, std::uint64_t ahead) override;
  void came_ahead(Receive& receive) override;
  void decline(std::uint64_t transfer) override;
  void abandon(Receive& receive) override;
  void consumed(std::uint64_t bytes) override;

  const Name& name() const override { return name_; }
  void reached(StreamId id) override { control_.reached(id); }
  Welcome introduced(Stream& stream) override;
  bool welcomed(const Stream& stream, const Welcome& welcome) override;
  void established(Stream& stream) override;
  void closed(StreamId id, std::string_view reason) override;
  void writable(const Stream& stream) override;
  void received(Stream& stream, std::span<const std::byte> bytes) override;
  std::span<std::byte> wanted(const Stream& stream) override;
  void placed(const Stream& stream, std::size_t bytes) override;
  void drained(const Stream& stream) override;

 private:
  bool heard(const Header& header) override;
  bool frame(const Header& header) override;
  void want_bulk() override;
  void want_route(std::size_t index) override;
  void end_bulk(std::size_t number, std::string_view reason) override;

  void connected() override;
  void attached() override { fetches_.distribute(); }
  void fail(std::string_view reason) override;

  void announced(const Header& header);
  void complain();
  std::uint64_t unreachable_so_far() const;
  void give_credit(std::uint64_t bytes);

  Core& core_;
  Mailbox& mailbox_;
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
  Control control_;

  CreditPool::Share share_;  // of the memory for messages that nobody has asked for yet
  bool gone_ = false;
  bool goodbye_said_ = false;
  std::string failure_;
  bool complained_ = false;
};

}  // namespace suiro::net
