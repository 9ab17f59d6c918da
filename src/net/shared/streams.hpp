// SPDX-License-Identifier: BSD-3-Clause
// The streams of the shared-memory carrier: how they come to be and end, and which of them have
// something to be looked at.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "net/carrier/carrier.hpp"
#include "net/protocol/name.hpp"
#include "net/shared/doorbell.hpp"
#include "net/shared/greeting.hpp"
#include "net/shared/stream.hpp"

namespace suiro::net {

class SharedStreams {
 public:
  /// Numbers of these streams have this bit, those of other carriers have not.
  static constexpr StreamId marker = StreamId{1} << 31;

  /// Listens in the name of this process. Throws std::runtime_error in one line.
  SharedStreams(const Nonce& own, bool may_pull);
  ~SharedStreams();
  SharedStreams(const SharedStreams&) = delete;
  SharedStreams& operator=(const SharedStreams&) = delete;

  void attach(Events& events) { events_ = &events; }

  /// Null if it is closed.
  SharedStream* find(StreamId id);
  StreamId open(const Nonce& peer);
  /// Out of sight; deleted by bury_closed(), since an event of its own may be at work.
  void close(SharedStream& stream);
  void bury_closed() { graveyard_.clear(); }
  /// Closes, and tells the engine if it knows of the stream.
  void end(SharedStream& stream, const std::string& reason);

  /// Takes what peers have sent to open streams, and hears of ends.
  void service();
  /// It is to be looked at without being rung for.
  void queue(SharedStream& stream);
  /// Those that are to be looked at now.
  void take_queued(std::vector<StreamId>& streams);
  void ring(SharedStream& stream);
  /// There is something to be raised since a call that was no poll: whoever made it may be the only
  /// one awake, and may compute from now on.
  void ask_for_poll();

  /// Raises what open() has failed at.
  bool raise_failures();
  void forget_failure(StreamId id);

  int wait_descriptor() const { return watched_.number(); }
  /// False: there is something already.
  bool may_sleep();
  void abandon() noexcept;
  std::uint64_t system_calls() const { return system_calls_; }

 private:
  struct Failure {
    StreamId stream;
    std::string reason;
  };

  StreamId next_id(StreamId slot);
  SharedStream* add(Descriptor socket, bool opener);
  void fail(StreamId id, const std::string& reason);
  void accept_all();
  void greet(SharedStream& stream);
  Greeting greeting(const SharedStream& stream) const;

  Events* events_ = nullptr;
  const bool may_pull_;
  std::uint64_t probe_ = 0;  // what peers find if they may read our memory
  Doorbell doorbell_;
  Descriptor listener_;
  Descriptor reserve_;
  Descriptor watched_;  // an epoll descriptor
  std::array<std::unique_ptr<SharedStream>, max_slots> streams_;
  std::vector<std::unique_ptr<SharedStream>> graveyard_;
  std::vector<Failure> failures_;
  std::deque<StreamId> greeted_;  // that are in this phase, oldest first
  std::vector<StreamId> queued_;
  std::vector<Slot> news_;
  StreamId last_slot_ = 0;
  StreamId generation_ = 0;
  std::uint64_t system_calls_ = 0;
};

}  // namespace suiro::net
