// SPDX-License-Identifier: BSD-3-Clause
// Blocks of unequal sizes on any transport, for schedules that join blocks into messages: node
// leader, Send-side Aggregation, Bruck. A rank on the way does not know how large the blocks of
// others are, so a message says so in front: one length per block, then their bytes without gaps.
//
// Every block has a slot of the same capacity on all ranks, in each buffer. A block that is larger
// stays `elsewhere`: its message says so, and once the schedule is done, it goes straight from the
// sender's buffer into the receiver's, as in Linear. So a wrong capacity costs time and no byte.
// A block that did not arrive is `lost`, which its messages say as well.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "execute/executor.hpp"

namespace suiro {

/// The blocks of one buffer: block b has lengths[b] bytes from b * capacity on, or is elsewhere, or
/// lost.
struct Slots {
  using Length = std::uint32_t;
  static constexpr Length elsewhere = std::numeric_limits<Length>::max();
  static constexpr Length lost = elsewhere - 1;
  static constexpr bool is_here(Length length) { return length < lost; }

  std::span<std::byte> bytes;
  std::vector<Length> lengths;

  std::byte* block(std::int64_t index, std::size_t capacity) const {
    return bytes.data() + static_cast<std::size_t>(index) * capacity;
  }
};

/// What a rank keeps between runs, so that the steady state does not allocate. The caller fills
/// `of[send]` before a run, and finds what has arrived in `of[receive]` after it.
struct UnequalBlocks {
  UnequalBlocks(const Schedule& schedule, int rank);

  /// Before each run, with bytes(slot_capacity) of memory, which need not be written. All ranks
  /// give the same capacity.
  void prepare(std::size_t slot_capacity, std::byte* memory);
  std::size_t bytes(std::size_t slot_capacity) const;

  Slots& operator[](Buffer buffer) { return of[static_cast<std::size_t>(buffer)]; }

  /// Bytes of a message of so many blocks at most.
  std::size_t message_bytes(std::int64_t blocks) const { return message_bytes(blocks, capacity); }

  /// The largest capacity with which no message of any rank is longer than `bytes`.
  static std::size_t capacity_max(const Schedule& schedule, std::size_t bytes);

  /// A message that is under way to this rank.
  struct Arrival {
    Blocks blocks;
    std::size_t begin = 0;  // in staging
    std::int64_t token = 0;
  };

  Slots of[3];                   // by Buffer
  std::span<std::byte> staging;  // of all messages of a run
  std::size_t capacity = 0;
  std::vector<Arrival> arrivals;
  std::vector<Ended> ended;

 private:
  static std::size_t message_bytes(std::int64_t blocks, std::size_t capacity) {
    return static_cast<std::size_t>(blocks) * (sizeof(Slots::Length) + capacity);
  }

  Footprint footprint_;
};

/// A transport over another one, whose scratch must be `staging` in blocks of one byte, and whose
/// other buffers are the user's. Messages may be shorter than what was posted for them.
template <Transport T>
class UnequalTransport {
 public:
  UnequalTransport(T& inner, UnequalBlocks& blocks) : inner_(inner), blocks_(blocks) {}

  int send(const Blocks& blocks, int peer, std::int64_t token) {
    const std::size_t begin = used_;
    append(blocks);
    return inner_.send(staged(begin, used_ - begin), peer, token);
  }

  /// Never asked for: each block says for itself that it is lost.
  int send_nothing(const Blocks& blocks, int peer, std::int64_t token) {
    return send(blocks, peer, token);
  }

  int receive(const Blocks& blocks, int peer, std::int64_t token) {
    const std::size_t begin = used_;
    used_ += blocks_.message_bytes(blocks.count);
    const auto arrival = static_cast<std::int64_t>(blocks_.arrivals.size());
    blocks_.arrivals.push_back({blocks, begin, token});
    return inner_.receive(staged(begin, used_ - begin), peer, -1 - arrival);
  }

  bool copy(const Blocks& source, const Blocks& target, int /*owner*/) {
    Slots& from = blocks_[source.buffer];
    Slots& to = blocks_[target.buffer];
    for (std::int64_t i = 0; i < source.count; ++i) {
      const Slots::Length length = length_of(from, source.first + i);
      length_of(to, target.first + i) = length;
      if (!Slots::is_here(length) || length == 0) continue;
      std::memcpy(to.block(target.first + i, blocks_.capacity),
                  from.block(source.first + i, blocks_.capacity), length);
    }
    return true;
  }

  bool reduce(const Blocks&, const Blocks&, int) { return false; }

  bool wait(std::vector<Ended>& ended, bool all) {
    blocks_.ended.clear();
    if (!inner_.wait(blocks_.ended, all)) return false;
    for (const auto [token, lost] : blocks_.ended) {
      if (token >= 0) {
        ended.push_back({token});
        continue;
      }
      const Arrival& arrival = blocks_.arrivals[static_cast<std::size_t>(-1 - token)];
      if (lost) {
        lose(arrival);
      } else if (!take_apart(arrival)) {
        return false;
      }
      ended.push_back({arrival.token});
    }
    return true;
  }

  /// After finish(): something that this rank waited for did not come.
  bool lost() const {
    const std::vector<Slots::Length>& lengths = blocks_[Buffer::receive].lengths;
    return lost_ || std::ranges::find(lengths, Slots::lost) != lengths.end();
  }

  /// After the schedule: what is elsewhere goes straight to its place. `has_room(from)` says
  /// whether the place of a block is larger than a slot: of one that is lost it is not known
  /// whether it was elsewhere, and its sender must not wait for ever.
  template <class HasRoom>
  bool finish(int rank, HasRoom&& has_room) {
    std::int64_t pending = 0;
    const auto ranks = static_cast<int>(blocks_[Buffer::send].lengths.size());
    for (int step = 0; step < ranks; ++step) {
      const int from = (rank - step + ranks) % ranks;
      const int to = (rank + step) % ranks;
      if (!start_straight(rank, from, to, has_room, pending)) return false;
    }
    while (pending > 0) {
      blocks_.ended.clear();
      if (!inner_.wait(blocks_.ended, true)) return false;
      pending -= std::ssize(blocks_.ended);
      lost_ = lost_ || std::ranges::find(blocks_.ended, true, &Ended::lost) != blocks_.ended.end();
    }
    return true;
  }

 private:
  using Arrival = UnequalBlocks::Arrival;

  static Blocks staged(std::size_t begin, std::size_t bytes) {
    return {Buffer::scratch, static_cast<std::int64_t>(begin), static_cast<std::int64_t>(bytes)};
  }

  static Slots::Length& length_of(Slots& slots, std::int64_t block) {
    return slots.lengths[static_cast<std::size_t>(block)];
  }

  /// All blocks of a message that failed.
  void lose(const Arrival& arrival) {
    Slots& slots = blocks_[arrival.blocks.buffer];
    for (std::int64_t i = 0; i < arrival.blocks.count; ++i) {
      length_of(slots, arrival.blocks.first + i) = Slots::lost;
    }
  }

  void append(const Blocks& blocks) {
    Slots& slots = blocks_[blocks.buffer];
    const std::size_t lengths_bytes =
        static_cast<std::size_t>(blocks.count) * sizeof(Slots::Length);
    if (blocks.count > 0) {
      std::memcpy(blocks_.staging.data() + used_, &length_of(slots, blocks.first), lengths_bytes);
    }
    used_ += lengths_bytes;
    for (std::int64_t i = 0; i < blocks.count; ++i) {
      const Slots::Length length = length_of(slots, blocks.first + i);
      if (!Slots::is_here(length) || length == 0) continue;
      std::memcpy(blocks_.staging.data() + used_, slots.block(blocks.first + i, blocks_.capacity),
                  length);
      used_ += length;
    }
  }

  /// False when a length cannot be: the message is none of ours.
  bool take_apart(const Arrival& arrival) {
    Slots& slots = blocks_[arrival.blocks.buffer];
    const std::byte* length_at = blocks_.staging.data() + arrival.begin;
    const std::byte* byte_at =
        length_at + static_cast<std::size_t>(arrival.blocks.count) * sizeof(Slots::Length);
    for (std::int64_t i = 0; i < arrival.blocks.count; ++i) {
      Slots::Length& length = length_of(slots, arrival.blocks.first + i);
      std::memcpy(&length, length_at, sizeof length);
      length_at += sizeof length;
      if (!Slots::is_here(length) || length == 0) continue;
      if (length > blocks_.capacity) return false;
      std::memcpy(slots.block(arrival.blocks.first + i, blocks_.capacity), byte_at, length);
      byte_at += length;
    }
    return true;
  }

  template <class HasRoom>
  bool start_straight(int rank, int from, int to, HasRoom& has_room, std::int64_t& pending) {
    const Blocks arriving{Buffer::receive, from, 1};
    const Blocks leaving{Buffer::send, to, 1};
    if (to == rank) {
      const bool here = length_of(blocks_[Buffer::send], rank) == Slots::elsewhere;
      return !here || inner_.copy(leaving, arriving, -1);
    }
    const Slots::Length arrived = length_of(blocks_[Buffer::receive], from);
    if (arrived == Slots::elsewhere || (arrived == Slots::lost && has_room(from))) {
      const int operations = inner_.receive(arriving, from, 0);
      if (operations < 0) return false;
      pending += operations;
    }
    if (length_of(blocks_[Buffer::send], to) == Slots::elsewhere) {
      const int operations = inner_.send(leaving, to, 0);
      if (operations < 0) return false;
      pending += operations;
    }
    return true;
  }

  T& inner_;
  UnequalBlocks& blocks_;
  std::size_t used_ = 0;  // bytes of staging
  bool lost_ = false;     // something that goes straight
};

}  // namespace suiro
