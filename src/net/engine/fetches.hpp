// SPDX-License-Identifier: BSD-3-Clause
// Long messages from one peer to this process: ranges of them are granted on bulk streams, and come
// without headers in that order. What a stream had not delivered when it was lost is granted again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "net/engine/bulk_table.hpp"
#include "net/frames/core.hpp"
#include "net/frames/outbox.hpp"
#include "net/links/choice.hpp"
#include "net/operations/mailbox.hpp"
#include "net/operations/origin.hpp"

namespace suiro::net {

class Fetches {
 public:
  Fetches(Core& core, Mailbox& mailbox, Outbox& outbox, BulkOpener& opener, Origin& origin,
          BulkTable& streams)
      : core_(core),
        mailbox_(mailbox),
        outbox_(outbox),
        opener_(opener),
        origin_(origin),
        streams_(streams) {}

  /// What the peer's links have to carry to others.
  void heard(const BusyLinks& busy);
  /// Of the message, `ahead` bytes come with the request; came_ahead() follows when they have.
  void fetch(Receive& receive, std::uint64_t number, std::uint64_t ahead);
  void came_ahead(Receive& receive);
  void decline(std::uint64_t number);
  void abandon(Receive& receive);
  std::span<std::byte> wanted(std::size_t number);
  void placed(std::size_t number, std::size_t bytes);

  void opened(std::size_t number);
  void closed(std::size_t number);
  /// Grants what can be granted now.
  void distribute();
  bool receiving() const { return active_ > 0; }
  void fail();

 private:
  double rate(std::size_t rail) const;
  Load load(std::size_t rail) const;
  double peers_load(std::size_t rail) const;
  ChunkLimits chunks(std::size_t rail) const;
  bool has_enough(const BulkStream& stream) const;
  std::optional<Choice> choose_stream(std::uint64_t left);
  void want_more();
  void begin_measuring(BulkStream& stream);
  void plan();
  void grant_all();
  void give(const Choice& choice, Transfer& transfer, std::uint64_t offset);
  void measure(BulkStream& stream, const Grant& grant);
  Ahead ahead(const BulkStream& stream) const;
  void complete(Transfer& transfer);
  void queue(Transfer& transfer);

  Core& core_;
  Mailbox& mailbox_;
  Outbox& outbox_;
  BulkOpener& opener_;
  Origin& origin_;
  BulkTable& streams_;
  BusyLinks peers_;            // what the peer's links had to carry to others
  std::int64_t peers_ns_ = 0;  // at this time
  std::uint64_t planned_ = 0;  // bytes that are not asked for yet
  std::uint64_t told_ = 0;     // of them, to others, as what this rail is to carry
  std::size_t told_rail_ = max_rails;
  std::deque<Transfer*> waiting_;  // with something to grant, in order
  std::vector<Candidate> candidates_;
  std::size_t active_ = 0;
};

}  // namespace suiro::net
