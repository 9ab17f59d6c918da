// SPDX-License-Identifier: BSD-3-Clause
// The `memory` transport: ranks are threads of one process, blocks are byte ranges of ordinary
// memory. It is shipped: the tests, and anyone who tries a schedule without MPI, run on it. Sends
// are synchronous (complete when received), the harshest rule that MPI allows, or buffered.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "schedule/schedule.hpp"

namespace suiro {

enum class SendMode : std::uint8_t { synchronous, buffered };

/// Whether a message must be as long as its place, as in all schedules of equal blocks.
enum class Lengths : std::uint8_t { equal, at_most };

/// Where the ranks meet: one mailbox per ordered pair of ranks.
class MemoryNetwork {
 public:
  explicit MemoryNetwork(int ranks, SendMode mode = SendMode::synchronous,
                         Lengths lengths = Lengths::equal);
  ~MemoryNetwork();
  int ranks() const { return ranks_; }

 private:
  friend class MemoryTransport;
  struct Mailbox;
  struct Inbox;
  int ranks_;
  SendMode mode_;
  Lengths lengths_;
  std::vector<std::unique_ptr<Inbox>> inboxes_;  // indexed by the receiving rank
};

/// The bytes of one rank; each buffer is a whole number of blocks of `block_bytes`.
struct MemoryBuffers {
  std::size_t block_bytes = 0;
  std::span<const std::byte> send;
  std::span<std::byte> receive;
  std::span<std::byte> scratch;
};

/// One rank's end; used by one thread. reduce() adds bytes modulo 256, which is enough to see who
/// was reduced.
class MemoryTransport {
 public:
  MemoryTransport(MemoryNetwork& network, int rank, MemoryBuffers buffers)
      : network_(network), rank_(rank), buffers_(buffers) {}

  int send(const Blocks& blocks, int peer, std::int64_t token);
  int receive(const Blocks& blocks, int peer, std::int64_t token);
  bool copy(const Blocks& source, const Blocks& target);
  bool reduce(const Blocks& source, const Blocks& target);
  bool wait(std::vector<std::int64_t>& completed);

 private:
  std::span<const std::byte> bytes(const Blocks& blocks) const;
  std::span<std::byte> writable(const Blocks& blocks) const;

  MemoryNetwork& network_;
  int rank_;
  MemoryBuffers buffers_;
};

}  // namespace suiro
