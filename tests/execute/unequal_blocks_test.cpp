// SPDX-License-Identifier: BSD-3-Clause
// Blocks of unequal sizes through every algorithm, over the memory transport: every byte checked.
#include "execute/unequal_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "algorithms/catalog.hpp"
#include "execute/memory_transport.hpp"

namespace suiro {
namespace {

constexpr std::size_t capacity = 48;
constexpr int lives = 1 << 30;  // sends before it dies

/// Bytes that each rank sends to each: none, a few, as many as a slot holds, or more.
using Sizes = std::vector<std::vector<std::size_t>>;

Sizes random_sizes(int ranks, unsigned seed) {
  std::mt19937 random(seed);
  const std::size_t sizes[] = {0, 1, 7, capacity - 1, capacity, capacity + 1, 5 * capacity};
  Sizes result(static_cast<std::size_t>(ranks), std::vector<std::size_t>());
  for (auto& row : result) {
    for (int to = 0; to < ranks; ++to) row.push_back(sizes[random() % std::size(sizes)]);
  }
  return result;
}

std::byte content(int source, int target, std::size_t offset) {
  return static_cast<std::byte>(source * 31 + target * 7 + static_cast<int>(offset));
}

/// A memory transport whose user blocks have sizes of their own: it counts bytes, not blocks.
class Varied {
 public:
  Varied(MemoryNetwork& network, int rank, const std::vector<std::size_t>& sent,
         const std::vector<std::size_t>& received, MemoryBuffers buffers, int sends_before_death)
      : transport_(network, rank, buffers),
        sizes_{sent, received},
        sends_before_death_(sends_before_death) {}

  int send(const Blocks& blocks, int peer, std::int64_t token) {
    if (sends_before_death_-- <= 0) return send_nothing(blocks, peer, token);
    return transport_.send(bytes(blocks), peer, token);
  }
  int send_nothing(const Blocks& blocks, int peer, std::int64_t token) {
    return transport_.send_nothing(bytes(blocks), peer, token);
  }
  int receive(const Blocks& blocks, int peer, std::int64_t token) {
    return transport_.receive(bytes(blocks), peer, token);
  }
  bool copy(const Blocks& source, const Blocks& target, int owner) {
    return transport_.copy(bytes(source), bytes(target), owner);
  }
  bool reduce(const Blocks&, const Blocks&, int) { return false; }
  bool wait(std::vector<Ended>& ended, bool all) { return transport_.wait(ended, all); }

 private:
  Blocks bytes(const Blocks& blocks) const {
    if (blocks.buffer == Buffer::scratch) return blocks;
    const auto& sizes = sizes_[static_cast<std::size_t>(blocks.buffer)];
    Blocks result{blocks.buffer, 0, 0};
    for (std::int64_t block = 0; block < blocks.first + blocks.count; ++block) {
      const auto size = static_cast<std::int64_t>(sizes[static_cast<std::size_t>(block)]);
      (block < blocks.first ? result.first : result.count) += size;
    }
    return result;
  }

  MemoryTransport transport_;
  std::vector<std::size_t> sizes_[2];
  int sends_before_death_;
};

/// One rank's part of a call.
class Rank {
 public:
  Rank(int rank, const Schedule& schedule)
      : rank_(rank),
        executor_(schedule, rank),
        blocks_(schedule, rank),
        memory_(blocks_.bytes(capacity)) {}

  /// A description of the first wrong byte, which may be anything where the rank knows of a loss.
  std::string call(MemoryNetwork& network, const Sizes& sizes, int sends_before_death = lives) {
    const int ranks = network.ranks();
    std::vector<std::size_t> received;
    for (const auto& row : sizes) received.push_back(row[static_cast<std::size_t>(rank_)]);
    const std::vector<std::size_t>& sent = sizes[static_cast<std::size_t>(rank_)];
    std::vector<std::byte> send = all_bytes(sent);
    std::vector<std::byte> receive(all_bytes(received).size());
    blocks_.prepare(capacity, memory_.data());
    pack(sent, send);
    Varied inner(network, rank_, sent, received, {1, send, receive, blocks_.staging},
                 sends_before_death);
    UnequalTransport transport(inner, blocks_);
    const auto has_room = [&](int from) {
      return received[static_cast<std::size_t>(from)] > capacity;
    };
    if (!executor_.run(transport) || !transport.finish(rank_, has_room)) return "the run failed";
    if (transport.lost() || sends_before_death < lives) return {};
    unpack(receive, received);
    std::size_t at = 0;
    for (int source = 0; source < ranks; ++source) {
      for (std::size_t i = 0; i < received[static_cast<std::size_t>(source)]; ++i, ++at) {
        if (receive[at] == content(source, rank_, i)) continue;
        return "rank " + std::to_string(rank_) + " block " + std::to_string(source);
      }
    }
    return {};
  }

 private:
  std::vector<std::byte> all_bytes(const std::vector<std::size_t>& sizes) const {
    std::vector<std::byte> bytes;
    for (std::size_t to = 0; to < sizes.size(); ++to) {
      for (std::size_t i = 0; i < sizes[to]; ++i)
        bytes.push_back(content(rank_, static_cast<int>(to), i));
    }
    return bytes;
  }

  void pack(const std::vector<std::size_t>& sizes, const std::vector<std::byte>& bytes) {
    Slots& slots = blocks_[Buffer::send];
    auto at = bytes.begin();
    for (std::size_t to = 0; to < sizes.size(); ++to) {
      const bool fits = sizes[to] <= capacity;
      slots.lengths[to] = fits ? static_cast<Slots::Length>(sizes[to]) : Slots::elsewhere;
      const auto end = at + static_cast<std::ptrdiff_t>(sizes[to]);
      if (fits) std::copy(at, end, slots.block(static_cast<std::int64_t>(to), capacity));
      at = end;
    }
  }

  void unpack(std::vector<std::byte>& bytes, const std::vector<std::size_t>& sizes) {
    Slots& slots = blocks_[Buffer::receive];
    auto at = bytes.begin();
    for (std::size_t from = 0; from < sizes.size(); ++from) {
      const Slots::Length length = slots.lengths[from];
      const std::byte* block = slots.block(static_cast<std::int64_t>(from), capacity);
      if (length != Slots::elsewhere) std::copy(block, block + length, at);
      at += static_cast<std::ptrdiff_t>(sizes[from]);
    }
  }

  int rank_;
  Executor executor_;
  UnequalBlocks blocks_;
  std::vector<std::byte> memory_;
};

/// A rank whose peers get nothing of it any more, after so many sends of each call.
struct Death {
  int rank = -1;
  int sends = lives;
};

/// Three calls of other sizes on the same ranks.
std::string run(const Schedule& schedule, SendMode mode, Death death = {}) {
  MemoryNetwork network(schedule.ranks, mode, Lengths::at_most);
  std::vector<std::string> wrong(static_cast<std::size_t>(schedule.ranks));
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < schedule.ranks; ++rank) {
    threads.emplace_back([&, rank] {
      Rank mine(rank, schedule);
      std::string& text = wrong[static_cast<std::size_t>(rank)];
      for (unsigned call = 0; call < 3 && text.empty(); ++call)
        text = mine.call(network, random_sizes(schedule.ranks, call),
                         rank == death.rank ? death.sends : lives);
    });
  }
  threads.clear();
  const auto found = std::ranges::find_if(wrong, [](const auto& text) { return !text.empty(); });
  return found != wrong.end() ? *found : "";
}

TEST(UnequalBlocks, MovesEveryByteThroughEveryAlgorithm) {
  const int uneven[] = {0, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3};
  for (const Topology& topology : {Topology::block(1, 1), Topology::block(4, 1),
                                   Topology::round_robin(3, 4), Topology::from_nodes(uneven)}) {
    for (const Algorithm& algorithm : catalog()) {
      if (algorithm.collective != "alltoall") continue;
      for (const SendMode mode : {SendMode::synchronous, SendMode::buffered}) {
        EXPECT_EQ(run(build(algorithm, topology), mode), "")
            << algorithm.name << " on " << topology.describe();
      }
    }
  }
}

TEST(UnequalBlocks, AreRightOrKnownToBeLostWhereARankDies) {
  const int uneven[] = {0, 1, 1, 2, 2, 2};
  const Topology topology = Topology::from_nodes(uneven);
  for (const Algorithm& algorithm : catalog()) {
    if (algorithm.collective != "alltoall") continue;
    for (const Death death : {Death{0, 0}, Death{0, 2}, Death{1, 1}, Death{3, 0}, Death{5, 4}}) {
      EXPECT_EQ(run(build(algorithm, topology), SendMode::synchronous, death), "")
          << algorithm.name << ", rank " << death.rank << " after " << death.sends;
    }
  }
}

TEST(UnequalBlocks, RefusesALengthThatCannotBe) {
  const Schedule schedule =
      build(*find_algorithm("alltoall", "node_leader"), Topology::block(2, 1));
  MemoryNetwork network(2, SendMode::buffered, Lengths::at_most);
  const Slots::Length wrong = capacity + 1;
  std::vector<std::byte> message(2 * (sizeof wrong + capacity));
  std::memcpy(message.data(), &wrong, sizeof wrong);
  MemoryTransport other(network, 1, {1, message, {}, {}});
  other.send({Buffer::send, 0, static_cast<std::int64_t>(sizeof wrong)}, 0, 0);
  Rank mine(0, schedule);
  EXPECT_EQ(mine.call(network, Sizes(2, {1, 1})), "the run failed");
}

TEST(UnequalBlocks, KeepsMessagesAsShortAsMpiCanCount) {
  const Schedule schedule = build(*find_algorithm("alltoall", "bruck"), Topology::block(4, 4));
  constexpr std::size_t bytes = 1 << 20;
  const std::size_t most = UnequalBlocks::capacity_max(schedule, bytes);
  UnequalBlocks blocks(schedule, 0);
  std::vector<std::byte> memory(blocks.bytes(most));
  blocks.prepare(most, memory.data());
  EXPECT_LE(blocks.message_bytes(schedule.ranks), bytes);
  EXPECT_EQ(UnequalBlocks::capacity_max(schedule, 4), 0U);
}

}  // namespace
}  // namespace suiro
