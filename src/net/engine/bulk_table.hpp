// SPDX-License-Identifier: BSD-3-Clause
// The bulk streams of a pair of processes, and what both directions of long messages must know of
// them. A stream that is lost takes its grants with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "net/frames/core.hpp"
#include "net/links/pace.hpp"
#include "net/links/paths.hpp"
#include "net/operations/fetched_message.hpp"

namespace suiro::net {

/// A range that the peer was told to write.
struct Grant {
  Transfer* transfer = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t done = 0;
  Pace::Answer answer;
};

/// A range that the peer told us to write.
struct Piece {
  Send* send = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

/// One stream, through all its lives; both sides know it by one number.
struct BulkStream {
  enum class State : std::uint8_t { closed, opening, open };
  State state = State::closed;
  StreamId stream = no_stream;
  std::uint32_t life = 0;  // grants for another life are void
  std::size_t rail = 0;
  std::size_t preference = 0;  // lower is better
  std::int64_t since_ns = 0;   // opening
  std::int64_t retry_ns = 0;
  std::int64_t pause_ns = 0;
  // What we write.
  std::deque<Piece> pieces;
  bool blocked = false;  // until it is writable
  // What we read.
  std::deque<Grant> grants;
  std::uint64_t outstanding = 0;     // bytes of `grants`
  std::int64_t measured_ns = 0;      // up to when
  std::uint64_t measured_bytes = 0;  // that had come on the rail by then, of all processes
  std::int64_t progress_ns = 0;
  Pace pace;

  bool is_open() const { return state == State::open; }
};

/// What long messages ask of their session.
class BulkOpener {
 public:
  virtual ~BulkOpener() = default;
  /// There is, or will be, work for bulk streams.
  virtual void want_bulk() = 0;
  /// And for those of this route, besides the preferred one.
  virtual void want_route(std::size_t index) = 0;
  /// Ends this life of a stream; whoever uses it is told, from inside the call.
  virtual void end_bulk(std::size_t number, std::string_view reason) = 0;
};

class BulkTable {
 public:
  BulkTable(Core& core, const Paths& paths) : core_(core), paths_(paths) {}

  std::size_t size() const { return streams_.size(); }
  auto begin() { return streams_.begin(); }
  auto end() { return streams_.end(); }
  auto begin() const { return streams_.begin(); }
  auto end() const { return streams_.end(); }
  BulkStream& operator[](std::size_t number) { return streams_[number]; }
  /// As many as it takes are made.
  BulkStream& stream(std::size_t number);

  /// Streams of a rail that is suspected serve only where there are no others.
  bool trusted(const BulkStream& stream) const;
  /// The stream that messages prefer, as long as it serves; null if none does.
  const BulkStream* preferred() const;
  /// The link that they will prefer; max_rails if it is shared memory.
  std::size_t home_rail() const;
  /// Messages are cut over several links.
  bool shares() const;
  const Paths& paths() const { return paths_; }

 private:
  Core& core_;
  const Paths& paths_;
  std::vector<BulkStream> streams_;
};

}  // namespace suiro::net
