// SPDX-License-Identifier: BSD-3-Clause
// Runs a schedule of any collective with real data, a thread for each rank, and compares what every
// rank has at the end with what the table of collectives says. Elements are affine maps modulo a
// prime, and the operation composes them, so it shows when operands are not in order; for schedules
// that need not keep the order it adds them.
#pragma once

#include <atomic>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "collectives/collectives.hpp"
#include "execute/executor.hpp"
#include "execute/memory_transport.hpp"

namespace suiro {

struct Run {
  std::int64_t elements = 0;  // of the message, or of each block
  /// Elements of the block of each rank, where they differ.
  std::vector<std::int64_t> sizes = {};
  SendMode mode = SendMode::synchronous;
  bool in_place = false;
  bool in_order = false;  // of ranks are the operands to be
  /// A rank that dies: after so many sends its peers get nothing of it any more.
  int dies = -1;
  int sends_before_death = 0;
};

/// What the peers of a rank see of it, that dies after some sends: errors in place of messages. The
/// rank itself goes on unseen, so that nobody waits for it.
class Mortal {
 public:
  Mortal(MemoryTransport& transport, int& sends_left)
      : transport_(transport), sends_left_(sends_left) {}

  int send(const Blocks& blocks, int peer, std::int64_t token) {
    if (sends_left_ == 0) return send_nothing(blocks, peer, token);
    --sends_left_;
    return transport_.send(blocks, peer, token);
  }
  int send_nothing(const Blocks& blocks, int peer, std::int64_t token) {
    return transport_.send_nothing(blocks, peer, token);
  }
  int receive(const Blocks& blocks, int peer, std::int64_t token) {
    return transport_.receive(blocks, peer, token);
  }
  bool copy(const Blocks& source, const Blocks& target, int owner) {
    return transport_.copy(source, target, owner);
  }
  bool reduce(const Blocks& source, const Blocks& target, int owner) {
    return transport_.reduce(source, target, owner);
  }
  bool wait(std::vector<Ended>& ended, bool all) { return transport_.wait(ended, all); }

 private:
  MemoryTransport& transport_;
  int& sends_left_;
};

/// x -> factor x + term.
struct Affine {
  std::uint32_t factor = 1;
  std::uint32_t term = 0;
  friend bool operator==(const Affine&, const Affine&) = default;
};

class RealData {
 public:
  RealData(const Schedule& schedule, const Run& run)
      : schedule_(schedule),
        run_(run),
        collective_(*find_collective(schedule.collective)),
        instance_{schedule.ranks, schedule.root, schedule.pieces} {
    for (const std::int64_t size : run.sizes) begins_.push_back(begins_.back() + size);
    if (!collective_.cut()) return;
    cut_ = {.units = run.elements, .pieces = schedule.pieces};
    if (!run.sizes.empty()) cut_.begins = begins_;
  }
  RealData(const RealData&) = delete;
  RealData& operator=(const RealData&) = delete;

  /// Nothing, or the first rank and block that are wrong.
  std::string run() {
    MemoryNetwork network(schedule_.ranks, run_.mode);
    make_shared_blocks();
    std::vector<std::string> wrong(static_cast<std::size_t>(schedule_.ranks));
    {
      std::vector<std::jthread> threads;
      for (int rank = 0; rank < schedule_.ranks; ++rank) {
        threads.emplace_back(
            [&, rank] { wrong[static_cast<std::size_t>(rank)] = run_rank(network, rank); });
      }
    }
    for (const std::string& text : wrong) {
      if (!text.empty()) return text;
    }
    return {};
  }

 private:
  std::int64_t slot_elements() const { return cut_ ? cut_.largest() : run_.elements; }

  void make_shared_blocks() {
    const auto elements = static_cast<std::size_t>(schedule_.shared * slot_elements());
    for (int call = 0; call < calls; ++call) {
      shared_[call].assign(static_cast<std::size_t>(schedule_.ranks),
                           std::vector<Affine>(elements));
      for (std::vector<Affine>& of_rank : shared_[call]) {
        shared_spans_[call].push_back(std::as_writable_bytes(std::span(of_rank)));
      }
    }
  }

  static constexpr std::uint64_t prime = 65521;
  static constexpr int calls = 2;

  /// What a rank has in its send buffer.
  static Affine own(int rank, std::int64_t element) {
    const auto mixed = (static_cast<std::uint64_t>(rank) + 1) * 2654435761U +
                       static_cast<std::uint64_t>(element) * 40503U;
    return {static_cast<std::uint32_t>(1 + mixed % (prime - 1)),
            static_cast<std::uint32_t>(mixed / 7 % prime)};
  }

  Affine operation(const Affine& left, const Affine& right) const {
    const std::uint64_t factor = run_.in_order ? std::uint64_t{left.factor} * right.factor
                                               : std::uint64_t{left.factor} + right.factor;
    const std::uint64_t term = run_.in_order ? std::uint64_t{left.factor} * right.term + left.term
                                             : std::uint64_t{left.term} + right.term;
    return {static_cast<std::uint32_t>(factor % prime), static_cast<std::uint32_t>(term % prime)};
  }

  void reduce(std::span<const std::byte> in, std::span<std::byte> inout) const {
    Affine left;
    Affine right;
    for (std::size_t at = 0; at < inout.size(); at += sizeof(Affine)) {
      std::memcpy(&left, &in[at], sizeof left);
      std::memcpy(&right, &inout[at], sizeof right);
      const Affine result = operation(left, right);
      std::memcpy(&inout[at], &result, sizeof result);
    }
  }

  /// One of the user's buffers: so many blocks, which are pieces from `first` on where data are
  /// cut.
  struct Place {
    std::int64_t blocks = 0;
    std::int64_t first = 0;
  };

  Place sent(int rank) const {
    const std::int64_t blocks = collective_.send_blocks(instance_, rank);
    return {blocks, cut_ && blocks > 0 ? collective_.piece(instance_, rank, 0) : 0};
  }

  Place received(int rank) const {
    const std::int64_t blocks = collective_.receive_blocks(instance_, rank);
    return {blocks, cut_ && blocks > 0 ? collective_.received_piece(instance_, rank, 0) : 0};
  }

  /// The first element of a block, or of a piece of all.
  std::int64_t begin(std::int64_t block) const {
    return cut_ ? cut_.begin(block) : block * run_.elements;
  }

  std::vector<Affine> buffer(const Place& place) const {
    const std::int64_t elements = begin(place.first + place.blocks) - begin(place.first);
    return std::vector<Affine>(static_cast<std::size_t>(elements));
  }

  Affine expected(const Content& content, std::int64_t offset) const {
    const std::int64_t block =
        cut_ ? collective_.piece(instance_, content.first, content.index) : content.index;
    const std::int64_t element = begin(block) + offset;
    Affine result = own(content.last - 1, element);
    for (int rank = content.last - 2; rank >= content.first; --rank) {
      result = operation(own(rank, element), result);
    }
    return result;
  }

  std::string check(int rank, const std::vector<Affine>& receive) const {
    const Place place = received(rank);
    std::size_t next = 0;
    for (std::int64_t block = 0; block < place.blocks; ++block) {
      const Content content = collective_.expected(instance_, rank, block);
      const std::int64_t elements = begin(place.first + block + 1) - begin(place.first + block);
      for (std::int64_t offset = 0; offset < elements; ++offset, ++next) {
        if (receive[next] == expected(content, offset)) continue;
        return "rank " + std::to_string(rank) + " block " + std::to_string(block) + " element " +
               std::to_string(offset);
      }
    }
    return {};
  }

  /// All calls, even after one that is wrong: the other ranks wait for this one.
  std::string run_rank(MemoryNetwork& network, int rank) {
    std::string wrong;
    Executor executor(schedule_, rank);
    int sends_left = rank == run_.dies ? run_.sends_before_death : std::numeric_limits<int>::max();
    for (int call = 0; call < calls; ++call) {
      const Place from = sent(rank);
      std::vector<Affine> send = buffer(from);
      for (std::size_t i = 0; i < send.size(); ++i) {
        send[i] = own(rank, begin(from.first) + static_cast<std::int64_t>(i));
      }
      std::vector<Affine> receive = buffer(received(rank));
      const bool one = run_.in_place && !send.empty() && !receive.empty();
      if (one) receive = send;
      const std::int64_t slot = slot_elements();
      std::vector<Affine> scratch(static_cast<std::size_t>(schedule_.scratch * slot));
      std::vector<Affine> work = buffer({schedule_.work ? collective_.pieces(instance_) : 0, 0});
      MemoryTransport transport(network, rank,
                                {.block_bytes = static_cast<std::size_t>(slot) * sizeof(Affine),
                                 .send = std::as_bytes(std::span(one ? receive : send)),
                                 .receive = std::as_writable_bytes(std::span(receive)),
                                 .scratch = std::as_writable_bytes(std::span(scratch)),
                                 .work = std::as_writable_bytes(std::span(work)),
                                 .shared = shared_spans_[call],
                                 .cut = cut_,
                                 .first_sent = from.first,
                                 .first_received = received(rank).first,
                                 .unit_bytes = sizeof(Affine),
                                 .reduction = [this](auto in, auto inout) { reduce(in, inout); }});
      ++come_[call];
      Mortal mortal(transport, sends_left);
      executor.run(mortal);
      if (executor.lost() || rank == run_.dies) continue;
      if (collective_.bytes == Measure::nothing && come_[call] < schedule_.ranks) {
        wrong = "rank " + std::to_string(rank) + " left early";
      }
      if (wrong.empty()) wrong = check(rank, receive);
    }
    return wrong;
  }

  const Schedule& schedule_;
  Run run_;
  const Collective& collective_;
  Instance instance_;
  std::vector<std::int64_t> begins_ = {0};  // of blocks that differ in size
  Pieces cut_;
  std::atomic<int> come_[calls] = {0, 0};
  std::vector<std::vector<Affine>> shared_[calls];
  std::vector<std::span<std::byte>> shared_spans_[calls];
};

inline std::string run_collective(const Schedule& schedule, const Run& run) {
  return RealData(schedule, run).run();
}

}  // namespace suiro
