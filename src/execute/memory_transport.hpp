// SPDX-License-Identifier: BSD-3-Clause
// The `memory` transport: ranks are threads of one process, blocks are byte ranges of ordinary
// memory. It is shipped: the tests, and anyone who tries a schedule without MPI, run on it. Sends
// are synchronous (complete when received), the harshest rule that MPI allows, or buffered.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "execute/pieces.hpp"
#include "execute/transport_concept.hpp"
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

/// The bytes of one rank. Each buffer is a whole number of blocks of `block_bytes`; where data are
/// cut, only scratch and shared are, and the others are pieces, the user's from some piece of all
/// on. `shared` has those of every rank, by rank, and is new for each run.
struct MemoryBuffers {
  std::size_t block_bytes = 0;
  std::span<const std::byte> send;
  std::span<std::byte> receive;
  std::span<std::byte> scratch;
  std::span<std::byte> work = {};
  std::span<const std::span<std::byte>> shared = {};
  Pieces cut = {};
  std::int64_t first_sent = 0;
  std::int64_t first_received = 0;
  std::size_t unit_bytes = 1;
  /// inout = in (op) inout.
  std::function<void(std::span<const std::byte> in, std::span<std::byte> inout)> reduction = {};
};

/// One rank's end; used by one thread.
class MemoryTransport {
 public:
  MemoryTransport(MemoryNetwork& network, int rank, MemoryBuffers buffers)
      : network_(network), rank_(rank), buffers_(std::move(buffers)) {}

  int send(const Blocks& blocks, int peer, std::int64_t token);
  int send_nothing(const Blocks& blocks, int peer, std::int64_t token);
  int receive(const Blocks& blocks, int peer, std::int64_t token);
  bool copy(const Blocks& source, const Blocks& target, int owner = -1);
  bool reduce(const Blocks& source, const Blocks& target, int owner = -1);
  bool wait(std::vector<Ended>& ended, bool all);

 private:
  int send(std::span<const std::byte> source, bool nothing, int peer, std::int64_t token);
  template <class Span>
  Span part(Span buffer, const Blocks& blocks) const;
  std::span<const std::byte> bytes(const Blocks& blocks, int owner = -1) const;
  std::span<std::byte> shared(const Blocks& blocks, int owner) const;
  std::span<std::byte> writable(const Blocks& blocks) const;

  MemoryNetwork& network_;
  int rank_;
  MemoryBuffers buffers_;
};

}  // namespace suiro
