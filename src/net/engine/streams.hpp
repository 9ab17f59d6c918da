// SPDX-License-Identifier: BSD-3-Clause
// The streams of an engine, and their opening exchange. Until it is over, nothing that comes on a
// stream is looked at but the exchange itself; what opens and does not prove that it belongs is
// dropped: after a time, or when there are too many of its kind.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "net/carrier/timers.hpp"
#include "net/frames/core.hpp"
#include "net/protocol/handshake.hpp"

namespace suiro::net {

class StreamOwner;

struct Stream {
  StreamId id = no_stream;
  Route route;
  Introduction introduction;
  StreamOwner* owner = nullptr;     // null: nobody knows yet who opened it
  bool opener = false;              // this side opened it
  bool established = false;         // the exchange is over
  bool leaves = false;              // not wanted any more, and has yet to say so
  bool refused = false;             // the other side is told so and closes it
  std::uint32_t peer_received = 0;  // control: frames of ours, as the exchange said
  std::unique_ptr<Handshake> handshake;
  std::vector<std::byte> unwritten;  // of the exchange

  std::size_t rail() const { return route.shared_memory ? max_rails : route.own_rail; }
};

/// Whose streams they are: there is one for each peer.
class StreamOwner {
 public:
  virtual ~StreamOwner() = default;
  virtual const Name& name() const = 0;

  /// Somebody answers where the peer should be, though nothing is proved.
  virtual void reached(StreamId id) = 0;
  /// The peer has opened this: is it wanted, and where does the session stand?
  virtual Welcome introduced(Stream& stream) = 0;
  /// The peer has taken what this side opened, or not. False: it is not wanted any more.
  virtual bool welcomed(const Stream& stream, const Welcome& welcome) = 0;
  virtual void established(Stream& stream) = 0;
  virtual void closed(StreamId id, std::string_view reason) = 0;

  // Of established streams; see Events.
  virtual void writable(const Stream& stream) = 0;
  virtual void received(Stream& stream, std::span<const std::byte> bytes) = 0;
  virtual std::span<std::byte> wanted(const Stream& stream) = 0;
  virtual void placed(const Stream& stream, std::size_t bytes) = 0;
  virtual void drained(const Stream& stream) = 0;
};

/// Who knows the owner of streams of a process that has proved to belong to the job.
class StreamOwners {
 public:
  virtual ~StreamOwners() = default;
  /// Null: this name cannot be, or the peer is gone.
  virtual StreamOwner* owner_of(const Name& name) = 0;
};

class Streams : public Watcher {
 public:
  Streams(Core& core, StreamOwners& owners) : core_(core), owners_(owners) {}

  StreamId open(StreamOwner& owner, const Introduction& introduction, const Route& route);
  void close(StreamId id);
  Stream* find(StreamId id);
  /// Of a stream that this side opens: the other side may count on it already.
  bool has_proved(StreamId id);

  void accepted(StreamId id, const Route& route);
  void opened(StreamId id);
  void closed(StreamId id, std::string_view reason);
  void writable(StreamId id);
  void received(StreamId id, std::span<const std::byte> bytes);

  void look(std::int64_t now_ns) override;

 private:
  void exchange(Stream& stream, std::span<const std::byte> bytes);
  void introduce(Stream& stream);
  void finish(Stream& stream);
  void begin_exchange(Stream& stream);
  void leave(Stream& stream);
  void write_last(Stream& stream);
  void limit_time(StreamId id);
  void write(Stream& stream);
  void write_on(Stream& stream);
  void establish(Stream& stream);
  void drop(Stream& stream);
  void forget(StreamId id);
  Stream*& known(StreamId id) { return known_[id % known_.size()]; }
  void lose(Stream& stream, std::string_view reason);

  struct Stranger {
    StreamId id;
    std::int64_t since_ns;
  };

  Core& core_;
  StreamOwners& owners_;
  std::unordered_map<StreamId, Stream> streams_;
  std::array<Stream*, 64> known_{};  // some of them, each in the place that its number gives
  std::deque<Stranger> strangers_;   // by age, and who leaves; some are gone or known by now
};

}  // namespace suiro::net
