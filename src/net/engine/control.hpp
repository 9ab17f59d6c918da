// SPDX-License-Identifier: BSD-3-Clause
// The control stream of a session through all its lives.
//
// Whoever has something to say opens the stream. If both do at once, the one begun by the process
// with the smaller nonce stays. If it breaks, both try to open another, on the next rail; each says
// how many frames it had received, and the rest is sent again. When no rail is left for
// peer_timeout, or when nothing was kept because there is one rail only, the session is gone for
// good.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "net/carrier/timers.hpp"
#include "net/engine/bulk.hpp"
#include "net/engine/silence.hpp"
#include "net/engine/streams.hpp"
#include "net/frames/core.hpp"
#include "net/frames/inbox.hpp"
#include "net/frames/outbox.hpp"
#include "net/links/paths.hpp"

namespace suiro::net {

/// What a control stream is to its session.
class ControlOwner {
 public:
  virtual ~ControlOwner() = default;
  /// For the first time there is a stream.
  virtual void connected() = 0;
  /// Frames go and come.
  virtual void attached() = 0;
  /// There is none, and there will be none; Control::end() follows, from inside the call.
  virtual void fail(std::string_view reason) = 0;
};

class Control : private Watcher {
 public:
  /// `resumes`: the session survives its streams. `first`: of streams that cross, ours stays.
  Control(Core& core, Streams& streams, StreamOwner& stream_owner, ControlOwner& owner,
          const Paths& paths, Silence& silence, Outbox& outbox, Inbox& inbox, Bulk& bulk,
          bool resumes, bool first)
      : core_(core),
        streams_(streams),
        stream_owner_(stream_owner),
        owner_(owner),
        paths_(paths),
        silence_(silence),
        outbox_(outbox),
        inbox_(inbox),
        bulk_(bulk),
        resumes_(resumes),
        first_(first),
        shared_memory_(paths.same_host) {}

  bool is(StreamId id) const { return id == stream_; }
  /// Where it is, or was last.
  std::size_t rail() const { return rail_; }
  /// Somebody has wanted it, here or there.
  bool needed() const { return needed_; }
  /// There is something to say: opens a stream, or sees to it that a silent peer is noticed.
  void need();
  /// Sees to it that a silent peer is noticed, from now on if nobody has cared before.
  void wake();
  /// Has itself looked in at the next time that matters.
  void watch(std::int64_t now_ns);
  /// No stream any more, whatever is asked.
  void end();

  // From the streams; see StreamOwner.
  void reached(StreamId id) { opening_reached_ = opening_reached_ || id == opening_; }
  Welcome introduced(const Stream& stream);
  bool welcomed(const Stream& stream, const Welcome& welcome);
  void established(const Stream& stream);
  /// False: it was no control stream.
  bool closed(StreamId id, std::string_view reason);
  void drained();

  /// Bytes have come on it, some of a frame.
  void arrived(std::size_t bytes);
  /// A whole header has.
  void heard_frame() { ++frames_heard_; }
  void heard_goodbye() { goodbye_heard_ = true; }

 private:
  Route route() const;
  void connect(std::int64_t now_ns);
  void opening_failed(std::int64_t now_ns, std::string_view reason);
  void drop();
  void lose(std::string_view reason);
  void show_life();
  bool needs_peer() const;
  void look(std::int64_t now_ns) override;
  void look_at_opening(std::int64_t now_ns);
  void look_at_silence(std::int64_t now_ns);
  std::int64_t silence_limit_ns() const;

  Core& core_;
  Streams& streams_;
  StreamOwner& stream_owner_;
  ControlOwner& owner_;
  const Paths& paths_;
  Silence& silence_;
  Outbox& outbox_;
  Inbox& inbox_;
  Bulk& bulk_;
  const bool resumes_;
  const bool first_;

  bool over_ = false;
  bool needed_ = false;
  bool had_stream_ = false;
  bool shared_memory_;           // to be tried, or in use
  StreamId stream_ = no_stream;  // established, or about to be
  bool is_own_ = false;          // this side opened it
  std::size_t rail_ = 0;
  std::int64_t since_ns_ = 0;
  std::uint32_t count_ = 0;  // streams of the session so far, as both know
  StreamId opening_ = no_stream;
  std::int64_t opening_since_ns_ = 0;
  bool opening_reached_ = false;
  std::size_t unanswered_ = 0;  // openings that reached nobody, since there was a stream
  std::size_t path_ = 0;        // that is tried, or in use
  std::int64_t retry_ns_ = 0, pause_ns_ = 0;
  std::int64_t reached_ns_ = 0;  // when there was a way to the peer last
  std::uint64_t frames_heard_ = 0, frames_seen_ = 0;
  bool goodbye_heard_ = false;
  bool moves_ = false;  // some of a frame has come since the last look
  std::int64_t heard_ns_ = 0, shown_life_ns_ = 0;
  bool probed_ = false;  // since then
  std::int64_t acknowledge_ns_ = never_ns;
  std::string obstacle_;  // of the last opening
};

}  // namespace suiro::net
