// SPDX-License-Identifier: BSD-3-Clause
// Which of several bulk streams takes the next part of what a receiver wants, and how much: with
// one link all at once; with several, in chunks, each to the link that would be through with it
// first, by its rate and by what all processes of the host have under way on it. So a message has
// all links if nobody else needs them, however fast they are, and keeps to its own where everybody
// is busy: there it would only meet more others on each (as in the paper on SMP clusters with
// multi-link Ethernet, 2009, where static beats striping).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace suiro::net {

/// What is under way on a link, at one look.
struct Load {
  double bytes = 0;
  double rate = 0;       // bytes per ns
  bool crowded = false;  // others use it, for whose sake it is not to be taken lightly
  /// When the link would be through with so much more, in ns from now; one that others use is taken
  /// only if that is a good deal earlier.
  double end_ns(std::uint64_t more, bool preferred) const;
};

/// How much a link is asked for at a time: it takes a while that nobody minds, so that what is not
/// asked for yet can still take another.
struct ChunkLimits {
  std::uint64_t shortest = 0;
  std::uint64_t longest = 0;
};
/// `rate` in bytes per ns, 0: not known. `chunk_bytes`: at most, as the user sets it.
ChunkLimits chunk_limits(double rate, std::uint64_t chunk_bytes);

/// A stream that could take more.
struct Candidate {
  std::size_t number = 0;
  std::size_t preference = 0;  // lower is better
  bool preferred = false;      // it is on the link that messages prefer
  bool has_enough = false;     // and need not get more
  std::uint64_t outstanding = 0;
  Load load;
  ChunkLimits chunks;
};

struct Choice {
  std::size_t number = 0;
  std::uint64_t length = 0;
};

/// Of `left` bytes of a message, and `planned` bytes of all messages that wait. Nothing: none of
/// the streams should get more now. `shares`: messages are cut over links.
std::optional<Choice> choose(std::span<const Candidate> candidates, std::uint64_t left,
                             std::uint64_t planned, bool shares);

}  // namespace suiro::net
