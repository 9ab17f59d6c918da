// SPDX-License-Identifier: BSD-3-Clause
// The frames that go out to one peer, in order: waiting to be written, and written but still
// needed. It outlives the control streams that carry them. A short message on an idle stream is
// written at once from the user's memory and leaves no trace here.
#pragma once

#include <cstdint>
#include <utility>

#include "net/frames/admission.hpp"
#include "net/frames/core.hpp"
#include "net/frames/credit_queue.hpp"
#include "net/frames/frame_list.hpp"
#include "net/protocol/frames.hpp"

namespace suiro::net {

/// Knows of the long messages that are asked for, one by one, by their receiver.
class Announcer {
 public:
  virtual ~Announcer() = default;
  /// The number under which the peer may ask for this message.
  virtual std::uint64_t announce(Send& send) = 0;
  /// What the peer is to hear of our links when it is asked to fetch a message.
  virtual BusyLinks busy_links() const = 0;
};

class Outbox : private CreditSeeker {
 public:
  /// `resumes`: the session survives its streams, so frames are kept until acknowledged.
  Outbox(Core& core, Announcer& announcer, bool resumes)
      : core_(core),
        announcer_(announcer),
        resumes_(resumes),
        admission_(core.settings),
        without_credit_(core, admission_, waiting_, *this) {}

  /// A new control stream; the peer has `received` frames. False: what is missing was not kept.
  bool attach(StreamId stream, std::size_t rail, std::uint32_t received);
  void detach();
  /// The streams will not come back: every send ends.
  void fail();

  Status send(const SendRequest& request);
  /// A frame without payload that must arrive.
  void post(const Header& header);
  void writable();

  /// What the peer's header says of our frames. False: it cannot be true.
  bool hear(const Header& header);
  /// A frame that must arrive has done so.
  void count_received();
  /// One that is a message has begun.
  void count_answer() { admission_.hear_answer(); }
  /// How many have.
  std::uint32_t received() const { return received_; }
  /// Lets the peer send that much more eager payload, or that it has sent it.
  void add_credit(std::uint64_t bytes) { credit_ += bytes; }
  std::uint64_t told_credit() const { return told_credit_; }
  /// What the peer lets go ahead from now on.
  void set_ahead(const Ahead& ahead) { admission_.set_ahead(ahead); }
  /// The peer has all of a message that was asked for, so it keeps up.
  void hear_of_end() { admission_.hear_end(); }
  /// How much of that the peer may use at a time: it is told of more before it has used it up.
  void set_share(std::uint64_t bytes) { share_ = bytes; }

  enum class Urgency : std::uint8_t { credit, wanted, overdue };
  /// Tells the peer what has arrived, in a frame of its own, if there is reason enough.
  void acknowledge(Urgency urgency);
  /// A sign of life, if nothing else is about to tell; whether one is wanted in return.
  enum class Answer : std::uint8_t { unwanted, wanted };
  void tell(Answer answer);
  bool owes_acknowledgement() const { return told_received_ != received_; }

  /// The peer once had more frames than that.
  bool knows_of_more(std::uint32_t received) const {
    return static_cast<std::int32_t>(received - acknowledged_) < 0;
  }

  bool attached() const { return stream_ != no_stream; }
  /// Something is not written, or not acknowledged though it is kept.
  bool unsettled() const { return !waiting_.empty() || !sent_.empty() || !without_credit_.empty(); }

 private:
  bool ready() const { return attached() && heard_ && waiting_.empty() && without_credit_.empty(); }
  bool may_inject(std::uint64_t length) const;
  bool keeps_copy(std::uint64_t length) const;
  Header header_of(const SendRequest& request, std::uint64_t length) const;
  Status send_now(const SendRequest& request, std::uint64_t length);
  void remember(const SendRequest& request, const Header& header, std::uint64_t written);
  void wait(const SendRequest& request, std::uint64_t length);
  bool wants_acknowledgement(const Header& header, bool complete_later, bool copied);
  void stamp(Header& header);
  void begin(Frame& frame);
  void decide(Frame& frame);
  void charge_eager(std::uint64_t length);
  void announce(Frame& frame);
  void flush() override;
  void ask_for_credit() override { tell(Answer::wanted); }
  bool all_arrived() const override { return acknowledged_ == next_sequence_; }
  void account(std::uint64_t written);
  void written(Frame& frame);
  void release(std::uint32_t received);
  void release(Frame& frame);
  void write_bare(bool wants_acknowledgement);

  Core& core_;
  Announcer& announcer_;
  const bool resumes_;
  Admission admission_;
  StreamId stream_ = no_stream;
  std::size_t rail_ = 0;
  bool heard_ = false;          // the peer's credit is known
  bool blocked_ = false;        // until the stream is writable
  FrameList waiting_;           // the first may be written in part
  FrameList sent_;              // until acknowledged
  CreditQueue without_credit_;  // messages that are behind those in `waiting_`
  std::uint32_t next_sequence_ = 0;
  std::uint32_t acknowledged_ = 0;
  std::uint64_t kept_bytes_ = 0;     // copies in `sent_`
  std::uint64_t unasked_bytes_ = 0;  // kept since an acknowledgement was asked for
  std::uint32_t received_ = 0, told_received_ = 0;
  std::uint64_t credit_ = first_credit, told_credit_ = first_credit, share_ = 0;
  bool acknowledgement_wanted_ = false;
  bool wanted_when_whole_ = false;  // by the message whose payload arrives
};

}  // namespace suiro::net
