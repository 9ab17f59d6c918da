// SPDX-License-Identifier: BSD-3-Clause
// The lives of the bulk streams of a pair: opened when long messages want them, by the process with
// the smaller nonce, so that they never cross; opened again when they break, with growing pauses.
#pragma once

#include <bitset>

#include "net/engine/bulk_table.hpp"
#include "net/engine/fetches.hpp"
#include "net/engine/offers.hpp"
#include "net/engine/silence.hpp"
#include "net/engine/streams.hpp"
#include "net/frames/core.hpp"
#include "net/links/paths.hpp"

namespace suiro::net {

/// What bulk streams ask of the session that owns them.
class BulkOwner : public StreamOwner {
 public:
  /// The peer is to hear that this life of a stream is over.
  virtual void tell_leaving(std::size_t number, std::uint64_t life) = 0;
  /// The peer is to open its streams on this rail of its.
  virtual void tell_wanted(std::size_t rail) = 0;
  /// A stream has ended; look() is to be called, as it may be needed again.
  virtual void bulk_ended() = 0;
  /// Where the control stream is, or was last.
  virtual std::size_t control_rail() const = 0;
};

class Bulk {
 public:
  Bulk(Core& core, Streams& streams, BulkOwner& owner, const Silence& silence, BulkTable& table,
       Offers& offers, Fetches& fetches, bool opens)
      : core_(core),
        streams_(streams),
        owner_(owner),
        silence_(silence),
        paths_(table.paths()),
        table_(table),
        offers_(offers),
        fetches_(fetches),
        opens_(opens) {}

  /// Opens what is wanted, allowed by now, and not open.
  void open(std::int64_t now_ns);
  /// Besides the first route that serves, this one is wanted from now on.
  void want(std::size_t index, std::int64_t now_ns);
  /// The peer wants it on this rail. False: it cannot be asked for.
  bool wanted_by_peer(std::size_t rail);
  Welcome introduced(Stream& stream);
  void established(const Stream& stream);
  /// False: no stream of this kind has this number.
  bool closed(StreamId id);
  /// Ends a life of a stream, and lets it be opened again.
  void end(std::size_t number);
  /// The peer has ended that life of a stream, and our end may not have heard of it: nothing gets
  /// through on a rail that is down. False: there is no such stream.
  bool left(std::size_t number, std::uint64_t life);
  void fail();

  /// Ends openings that take too long, and, if the peer has been heard of at `heard_ns`, streams
  /// that have stood still since long before.
  void look(std::int64_t now_ns, std::int64_t heard_ns);
  /// The control stream has left this rail: its streams are opened anew, which proves it.
  void end_rail(std::size_t rail);
  /// Long messages are under way.
  bool busy() const;
  /// A stream is opening, or waits to be tried again.
  bool restless() const;
  /// The shared memory did not open; TCP serves.
  void give_up_shared_memory() { shared_memory_ = false; }

 private:
  void open(std::size_t number, const Route& route, std::size_t preference, std::int64_t now_ns);
  std::size_t preference_of(const Route& route) const;
  void close(std::size_t number);
  void lost(std::size_t number);
  void leave(std::size_t number);

  Core& core_;
  Streams& streams_;
  BulkOwner& owner_;
  const Silence& silence_;
  const Paths& paths_;
  BulkTable& table_;
  Offers& offers_;
  Fetches& fetches_;
  const bool opens_;
  bool shared_memory_ = true;
  bool wanted_ = false;
  std::bitset<max_rails> wanted_routes_;
};

}  // namespace suiro::net
