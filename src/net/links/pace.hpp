// SPDX-License-Identifier: BSD-3-Clause
// How soon and how fast a bulk stream answers, by the ranges that were asked for on it, and so what
// may come without being asked for.
#pragma once

#include <cstdint>

namespace suiro::net {

/// Less of a long message is not worth to go ahead of the rest.
constexpr std::uint64_t least_ahead = 4 << 10;

/// Between peers that take turns hardly a message is behind another, so longer ones may go whole.
constexpr std::uint64_t longer_in_turns = 8;

/// What may go to a peer before it asks for it: a message that is no longer than this, and, unless
/// `only_whole`, as much of a longer one.
struct Ahead {
  std::uint64_t bytes = 0;
  bool only_whole = false;
  bool fits(std::uint64_t length) const { return length <= bytes; }
  bool fits_in_turns(std::uint64_t length) const {
    return only_whole && length <= longer_in_turns * bytes;
  }
  std::uint64_t of_longer() const { return only_whole ? 0 : bytes; }
};

class Pace {
 public:
  /// A range that was asked for, and has come.
  struct Answer {
    std::uint64_t length = 0;
    std::int64_t asked_ns = 0;  // 0: the stream had others to serve
    std::int64_t first_ns = 0;  // when the first bytes of it were read
    std::uint64_t first_bytes = 0;
  };

  /// The last bytes have come now. Keeps the shortest round trip, and forgets it slowly, as it does
  /// the fastest answer; and the rate of what came after the first bytes, which is the link's.
  void note(const Answer& answer, std::int64_t now_ns);

  /// From a range's being asked for to its bytes, the shortest of late; 0: not known.
  std::int64_t round_trip_ns() const { return round_trip_ns_; }

  /// What may come without being asked for, `most` bytes: a message that the link is soon through
  /// with; of a longer one on a far link, what it carries until the answer comes, so that it is in
  /// use meanwhile. Either way a short message behind it waits no longer than that. Several rails
  /// together are faster with a message that is asked for.
  Ahead ahead(std::uint64_t most, bool several_rails) const;

 private:
  double flow_bytes_per_ns_ = 0;  // once they come
  std::int64_t round_trip_ns_ = 0;
  double answer_bytes_per_ns_ = 0;  // from asking for a range to its end, the fastest of late
};

}  // namespace suiro::net
