// SPDX-License-Identifier: BSD-3-Clause
// Long messages from this process to one peer. The receiver grants ranges on bulk streams; they are
// written in that order and nothing else, so what is sent needs no headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "net/engine/bulk_table.hpp"
#include "net/frames/core.hpp"
#include "net/frames/outbox.hpp"
#include "net/links/departures.hpp"

namespace suiro::net {

class Offers : public Announcer {
 public:
  Offers(Core& core, Outbox& outbox, BulkOpener& opener, BulkTable& streams)
      : core_(core),
        outbox_(outbox),
        opener_(opener),
        streams_(streams),
        departures_(core.departing, core.carrier, core.links.size()) {}

  std::uint64_t announce(Send& send) override;
  BusyLinks busy_links() const override;
  /// False: what the peer says cannot be.
  bool granted(const Header& header);
  bool done(const Header& header);

  void writable(std::size_t number);
  void opened(std::size_t number);
  void closed(std::size_t number);
  bool sending() const { return !outgoing_.empty(); }
  void fail();

 private:
  void flush(std::size_t number);

  Core& core_;
  Outbox& outbox_;
  BulkOpener& opener_;
  BulkTable& streams_;
  Departures departures_;
  std::unordered_map<std::uint64_t, Send*> outgoing_;
  std::uint64_t last_number_ = 0;
};

}  // namespace suiro::net
