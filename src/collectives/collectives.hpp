// SPDX-License-Identifier: BSD-3-Clause
// What each collective means: one row, read by verify, rules, bench, the preloaded library, the
// command line and the reference. Entry points and measuring programs are generated from what
// `suiro-schedule collectives --json` prints of this table. Other places name collectives for what
// is by nature something for each, such as what runs; docs/add-an-algorithm.md lists them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "topology/topology.hpp"

namespace suiro {

/// One call as a schedule sees it. A rooted collective has a root. What is cut is one message, or
/// one block for each rank, and each is cut in `pieces`, which are numbered block after block.
struct Instance {
  int ranks = 1;
  int root = 0;
  std::int64_t pieces = 1;
};

/// What must be in a block at the end: block `index` of the origins first .. last - 1, reduced to
/// one in any order where there are several.
struct Content {
  int first = 0;
  int last = 0;
  std::int64_t index = 0;
  friend bool operator==(const Content&, const Content&) = default;
};

/// What "bytes" means for a collective, in rules, reports and measurements; always of packed data.
enum class Measure : std::uint8_t {
  per_pair,  // what one rank has for one other; where that differs, what the ranks agreed on
  per_rank,  // what is of one rank or for one rank; where that differs, the mean
  vector,    // the whole message or vector of a rank
  nothing,   // no data
};
std::string_view name(Measure measure);

/// Whether blocks of ranks may differ in size, and who knows how large they are.
enum class Sizes : std::uint8_t {
  equal,
  known,    // they differ, and every rank knows all
  own,      // a rank knows what it sends and gets
  at_root,  // the root knows all, others their own
};
std::string_view name(Sizes sizes);

struct Collective {
  std::string_view name;  // as MPI has it, in small letters
  std::string_view
      regular;  // whose algorithms it runs: itself, or what it extends to unequal blocks
  std::string_view summary;  // one line
  bool rooted = false;
  bool reduces = false;
  Measure bytes = Measure::vector;
  Sizes sizes = Sizes::equal;
  /// Blocks are cut in pieces, each of its own size: which piece of all block `index` of the send
  /// buffer is. Null where they are not cut.
  std::int64_t (*piece)(const Instance&, int rank, std::int64_t index) = nullptr;
  bool for_each_rank = false;  // there is a block for each rank, and not one message
  std::int64_t (*send_blocks)(const Instance&, int rank);
  std::int64_t (*receive_blocks)(const Instance&, int rank);
  /// Before, send[index] of `rank` holds its own block `index`; this is what receive[index] of
  /// `rank` holds at the end.
  Content (*expected)(const Instance&, int rank, std::int64_t index);
  /// Bytes that the busiest link of any node must carry in one direction for each of "bytes",
  /// whatever the algorithm. `bound_text` says so in symbols: M bytes, N nodes of a ranks, P ranks.
  double (*busiest_link)(const Topology&);
  std::string_view bound_text;

  bool unequal() const { return sizes != Sizes::equal; }
  bool cut() const { return piece != nullptr; }
  /// Only the root receives: the others are done when they have sent.
  bool to_root() const { return rooted && receive_blocks({.ranks = 2}, 1) == 0; }
  /// Blocks that are cut, and the pieces of all.
  std::int64_t blocks(int ranks) const { return for_each_rank ? ranks : 1; }
  std::int64_t pieces(const Instance& call) const { return blocks(call.ranks) * call.pieces; }
  /// Bytes of what is cut, of a call's: of the message, or of the block of a rank.
  std::int64_t cut_bytes(std::int64_t of_call, int ranks) const {
    return for_each_rank && bytes == Measure::vector ? of_call / ranks : of_call;
  }
  /// Which piece a block of the receive buffer is at the end.
  std::int64_t received_piece(const Instance& call, int rank, std::int64_t index) const {
    const Content content = expected(call, rank, index);
    return piece(call, content.first, content.index);
  }
};

/// Every collective, ordered by name.
std::span<const Collective> collectives();

/// nullptr when there is none of that name.
const Collective* find_collective(std::string_view name);

/// The place of a row in the table.
inline std::size_t index_of(const Collective& collective) {
  return static_cast<std::size_t>(&collective - collectives().data());
}

/// Seconds that a call takes at least, since a node's bytes must cross its links. `link_Bps` is
/// what one link carries of the user's bytes per second; it must be positive.
double bound_s(const Collective& collective, const Topology& topology, std::int64_t bytes,
               double link_Bps);

}  // namespace suiro
