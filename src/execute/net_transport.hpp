// SPDX-License-Identifier: BSD-3-Clause
// The `net` transport: blocks are byte ranges of ordinary memory, and travel on suiro's own
// transport engine, so that they arrive while nobody calls, over all links.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "execute/pieces.hpp"
#include "execute/transport_concept.hpp"
#include "net/endpoint/endpoint.hpp"
#include "schedule/schedule.hpp"

namespace suiro {

/// Where block b of a buffer is. Blocks that a schedule merges must be of one size and adjacent.
struct ByteBlocks {
  std::byte* base = nullptr;
  std::size_t block_bytes = 0;                // of every block, unless there are `offsets`
  std::span<const std::size_t> offsets = {};  // block b is [offsets[b], offsets[b] + sizes[b])
  std::span<const std::size_t> sizes = {};
  Pieces cut = {};               // where data are cut; scratch has `block_bytes` for each piece
  std::int64_t first_piece = 0;  // of the buffer, among all
  std::size_t unit_bytes = 1;

  std::span<std::byte> bytes(const Blocks& blocks) const;
};

/// inout = in (op) inout, of so many bytes; false when it failed.
struct Reduction {
  bool (*function)(void* argument, const std::byte* in, std::byte* inout,
                   std::size_t bytes) = nullptr;
  void* argument = nullptr;
};

/// Who takes part, and how these messages differ from all others between the same processes.
struct NetGroup {
  net::Endpoint* endpoint = nullptr;
  std::vector<net::Peer> peers;  // by rank
  std::uint64_t tag = 0;
};

/// Called while a rank waits: what else wants to make progress meanwhile. False ends the run.
struct IdleWork {
  bool (*function)(void*) = nullptr;
  void* argument = nullptr;
};

/// By Buffer.
using BytesOfBuffers = std::array<ByteBlocks, buffers>;

class NetTransport final : public net::CompletionSink {
 public:
  /// `direct`: no rank hands on what came from another, and blocks may be shorter than their
  /// places, or empty. Elsewhere a message without payload, where there should be one, is a loss.
  NetTransport(const NetGroup& group, const BytesOfBuffers& bytes, IdleWork idle,
               Reduction reduction = {}, bool direct = false);
  /// Nothing is written into the buffers from here on, even if the run ended early.
  ~NetTransport() override;
  NetTransport(const NetTransport&) = delete;
  NetTransport& operator=(const NetTransport&) = delete;

  int send(const Blocks& blocks, int peer, std::int64_t token);
  int send_nothing(const Blocks& blocks, int peer, std::int64_t token);
  int receive(const Blocks& blocks, int peer, std::int64_t token);
  bool copy(const Blocks& source, const Blocks& target, int owner = -1);
  bool reduce(const Blocks& source, const Blocks& target, int owner = -1);
  bool wait(std::vector<Ended>& ended, bool all);

  /// Empty, or what went wrong first, with the rank: "rank 3: no link is left".
  const std::string& error() const { return error_; }

  void complete(const net::Completion& completion) override;

 private:
  std::span<std::byte> bytes(const Blocks& blocks) const;
  int fail(int peer, net::Status status);
  int rank_of(net::Peer peer) const;
  static bool has_finished(void* transport);
  static void take_finished(void* transport);

  const NetGroup& group_;
  BytesOfBuffers buffers_;
  IdleWork idle_;
  Reduction reduction_;
  std::string error_;
  bool direct_;
  std::vector<Ended>* taken_ = nullptr;  // where take_finished puts what has ended
  // Touched under the endpoint's lock only:
  std::vector<Ended> finished_;
  net::Status first_failure_ = net::Status::ok;
  net::Peer failed_peer_ = net::any_peer;
};

}  // namespace suiro
