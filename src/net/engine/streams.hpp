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

#include "net/engine/core.hpp"
#include "net/engine/timers.hpp"
#include "net/protocol/handshake.hpp"

namespace suiro::net {

struct Stream {
  StreamId id = no_stream;
  Route route;
  Introduction introduction;
  Session* session = nullptr;       // null: nobody knows yet who opened it
  bool opener = false;              // this side opened it
  bool established = false;         // the exchange is over
  bool refused = false;             // the other side is told so and closes it
  std::uint32_t peer_received = 0;  // control: frames of ours, as the exchange said
  std::unique_ptr<Handshake> handshake;
  std::vector<std::byte> unwritten;  // of the exchange

  std::size_t rail() const { return route.shared_memory ? max_rails : route.own_rail; }
};

/// Who knows the session of a process that has proved to belong to the job.
class Sessions {
 public:
  virtual ~Sessions() = default;
  /// Null: this name cannot be.
  virtual Session* session_of(const Name& name) = 0;
};

class Streams : public Watcher {
 public:
  Streams(Core& core, Sessions& sessions) : core_(core), sessions_(sessions) {}

  StreamId open(Session& session, const Introduction& introduction, const Route& route);
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
  void write(Stream& stream);
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
  Sessions& sessions_;
  std::unordered_map<StreamId, Stream> streams_;
  std::array<Stream*, 64> known_{};  // some of them, each in the place that its number gives
  std::deque<Stranger> strangers_;   // by age; some are gone or known by now
};

}  // namespace suiro::net
