// SPDX-License-Identifier: BSD-3-Clause
// Long messages between this process and one peer. The receiver grants ranges on bulk streams, the
// sender writes them in that order and nothing else, so what comes needs no headers. A stream that
// is lost takes its grants with it; the receiver grants again what they had not delivered.
#pragma once

#include <deque>
#include <unordered_map>
#include <vector>

#include "net/engine/core.hpp"
#include "net/engine/departures.hpp"
#include "net/engine/outbox.hpp"
#include "net/links/paths.hpp"
#include "net/operations/mailbox.hpp"
#include "net/operations/origin.hpp"

namespace suiro::net {

/// A range that the peer was told to write.
struct Grant {
  Transfer* transfer = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t done = 0;
  std::int64_t asked_ns = 0;  // 0: the stream had others to serve
  std::int64_t first_ns = 0;  // when the first bytes of it were read
  std::uint64_t first_bytes = 0;
};

/// A range that the peer told us to write.
struct Piece {
  Send* send = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

/// One of the bulk streams of a pair, through all its lives; both sides know it by one number.
struct BulkStream {
  enum class State : std::uint8_t { closed, opening, open };
  State state = State::closed;
  StreamId stream = no_stream;
  std::uint32_t life = 0;  // grants for another life are void
  std::size_t rail = 0;
  std::size_t preference = 0;  // lower is better
  std::deque<Grant> grants;
  std::deque<Piece> pieces;
  bool blocked = false;              // until it is writable
  std::uint64_t outstanding = 0;     // bytes of `grants`
  std::int64_t measured_ns = 0;      // up to when
  std::uint64_t measured_bytes = 0;  // that had come on the rail by then, of all processes
  double flow_bytes_per_ns = 0;      // once they come
  std::int64_t round_trip_ns = 0;    // from a grant to its bytes, the shortest of late; 0: not yet
  double answer_bytes_per_ns = 0;    // from a grant to its end, the fastest of late
  std::int64_t progress_ns = 0;
  std::int64_t since_ns = 0;  // opening
  std::int64_t retry_ns = 0;
  std::int64_t pause_ns = 0;
};

/// What transfers ask of their session.
class BulkOpener {
 public:
  virtual ~BulkOpener() = default;
  /// There is, or will be, work for bulk streams.
  virtual void want_bulk() = 0;
  /// And for those of this route, besides the preferred one.
  virtual void want_route(std::size_t index) = 0;
  /// Ends this life of a stream; Transfers::closed follows, from inside the call.
  virtual void end_bulk(std::size_t number, std::string_view reason) = 0;
};

class Transfers : public Announcer {
 public:
  Transfers(Core& core, Mailbox& mailbox, Outbox& outbox, BulkOpener& opener, Origin& origin,
            const Paths& paths)
      : core_(core),
        mailbox_(mailbox),
        outbox_(outbox),
        opener_(opener),
        origin_(origin),
        paths_(paths),
        departures_(core) {}

  // Sending.
  std::uint64_t announce(Send& send) override;
  BusyLinks busy_links() const override;
  /// False: what the peer says cannot be.
  bool granted(const Header& header);
  bool done(const Header& header);
  void writable(std::size_t number);

  // Receiving.
  /// What the peer's links have to carry to others.
  void heard(const BusyLinks& busy);
  /// Of the message, `ahead` bytes come with the request; came_ahead() follows when they have.
  void fetch(Receive& receive, std::uint64_t number, std::uint64_t ahead);
  void came_ahead(Receive& receive);
  void decline(std::uint64_t number);
  void abandon(Receive& receive);
  std::span<std::byte> wanted(std::size_t number);
  void placed(std::size_t number, std::size_t bytes);

  // The streams, as their opener and the session see them.
  std::vector<BulkStream>& streams() { return streams_; }
  BulkStream& stream(std::size_t number);
  void opened(std::size_t number);
  void closed(std::size_t number);

  /// Grants what can be granted now.
  void distribute();

  bool receiving() const { return active_ > 0; }
  bool sending() const { return !outgoing_.empty(); }
  void fail();

 private:
  BulkStream* choose(std::uint64_t left, std::uint64_t& length);
  bool trusted(const BulkStream& stream) const;
  const BulkStream* preferred() const;
  std::size_t home_rail() const;
  bool shares() const;
  double rate(std::size_t rail) const;
  struct Load {
    double bytes = 0;
    double rate = 0;       // bytes per ns
    bool crowded = false;  // others use it, for whose sake it is not to be taken lightly
    double end_ns(std::uint64_t more, bool preferred) const;
  };
  Load load(std::size_t rail) const;
  double peers_load(std::size_t rail) const;
  bool has_enough(const BulkStream& stream) const;
  void want_more();
  void begin_measuring(BulkStream& stream);
  void plan();
  void grant_all();
  std::uint64_t longest_chunk(std::size_t rail) const;
  std::uint64_t shortest_chunk(std::size_t rail) const;
  std::uint64_t chunk(std::uint64_t left, std::size_t rail, double part) const;
  void give(std::size_t number, Transfer& transfer, Transfer::Range range);
  void measure(BulkStream& stream, const Grant& grant);
  static void measure_answer(BulkStream& stream, const Grant& grant, std::int64_t now_ns);
  Ahead ahead(const BulkStream& stream) const;
  void complete(Transfer& transfer);
  void queue(Transfer& transfer);
  void flush(std::size_t number);

  Core& core_;
  Mailbox& mailbox_;
  Outbox& outbox_;
  BulkOpener& opener_;
  Origin& origin_;
  const Paths& paths_;
  Departures departures_;
  BusyLinks peers_;            // what the peer's links had to carry to others
  std::int64_t peers_ns_ = 0;  // at this time
  std::uint64_t planned_ = 0;  // bytes that are not asked for yet
  std::uint64_t told_ = 0;     // of them, to others, as what this rail is to carry
  std::size_t told_rail_ = max_rails;
  std::unordered_map<std::uint64_t, Send*> outgoing_;
  std::uint64_t last_number_ = 0;
  std::vector<BulkStream> streams_;
  std::deque<Transfer*> waiting_;  // with something to grant, in order
  std::size_t active_ = 0;
};

}  // namespace suiro::net
