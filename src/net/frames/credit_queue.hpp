// SPDX-License-Identifier: BSD-3-Clause
// Messages to a peer that wait for credit, which is likely to come soon. What is no message passes
// them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "net/carrier/timers.hpp"
#include "net/frames/admission.hpp"
#include "net/frames/core.hpp"
#include "net/frames/frame_list.hpp"

namespace suiro::net {

/// What messages that wait ask of those who write.
class CreditSeeker {
 public:
  virtual ~CreditSeeker() = default;
  /// Some of them do not wait any more.
  virtual void flush() = 0;
  /// The peer is to say what credit it has.
  virtual void ask_for_credit() = 0;
  /// The peer has all that was written.
  virtual bool all_arrived() const = 0;
};

class CreditQueue : private Watcher {
 public:
  /// `ready`: the frames that go next, in order; messages join them when they wait no more.
  CreditQueue(Core& core, Admission& admission, FrameList& ready, CreditSeeker& seeker)
      : core_(core), admission_(admission), ready_(ready), seeker_(seeker) {}

  bool empty() const { return messages_.empty(); }
  std::size_t size() const { return messages_.size; }
  void add(Frame& frame) { messages_.add(frame); }
  /// Takes all messages out of those that go next, as they keep their order.
  void hold_back();
  /// There is more credit.
  void spend();
  /// No more of it comes soon: some messages are asked for.
  void give_up();
  /// All that is here, and nobody waits for.
  FrameList& abandoned() { return messages_; }

 private:
  void hope(std::int64_t now_ns);
  void look(std::int64_t now_ns) override;

  Core& core_;
  Admission& admission_;
  FrameList& ready_;
  CreditSeeker& seeker_;
  FrameList messages_;
  std::int64_t hopes_until_ns_ = 0;
};

}  // namespace suiro::net
