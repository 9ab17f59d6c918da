// SPDX-License-Identifier: BSD-3-Clause
// What the two halves of the shared-memory carrier have in common: opening streams
// (streams.cpp) and using them (carrier.cpp).
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/descriptor.hpp"
#include "net/shared/carrier.hpp"
#include "net/shared/stream.hpp"

namespace suiro::net {

struct SharedCarrier::State {
  State(const Nonce& own, bool may_pull);

  StreamId open(const Nonce& peer);
  StreamId next_id(StreamId slot);
  SharedStream* find(StreamId id);
  SharedStream* add(Descriptor socket, bool opener);
  void release(SharedStream& stream);
  void end(SharedStream& stream, const std::string& reason);
  void queue(SharedStream& stream);
  void ring(SharedStream& stream);
  void ask_for_poll();
  void fail(StreamId id, const std::string& reason);

  void service();
  void accept_all();
  void greet(SharedStream& stream);
  Greeting greeting(const SharedStream& stream) const;

  bool work();
  bool raise_alarm();
  bool raise_failures();
  bool raise_taken();
  bool visit(SharedStream& stream);

  struct Failure {
    StreamId stream;
    std::string reason;
  };

  Events* events = nullptr;
  bool may_pull;
  std::uint64_t probe = 0;  // what peers find if they may read our memory
  Doorbell doorbell;
  Descriptor listener;
  Descriptor reserve;
  Descriptor watched;  // an epoll descriptor
  std::array<std::unique_ptr<SharedStream>, max_slots> streams;
  std::vector<std::unique_ptr<SharedStream>> graveyard;  // closed, perhaps by an event of their own
  std::vector<Failure> failures;                         // of open(), to be told by poll
  std::deque<StreamId> greeted;                          // that are in this phase, oldest first
  std::vector<StreamId> queued;                          // to be looked at without being rung for
  std::vector<StreamId> pulled_from;                     // whose last write the peer still takes
  std::vector<Slot> news;
  std::vector<StreamId> visiting;
  StreamId last_slot = 0;
  StreamId generation = 0;
  std::uint32_t polls = 0;
  std::int64_t alarm_at_ns = never_ns;
  std::uint64_t system_calls = 0;
};

}  // namespace suiro::net
