// SPDX-License-Identifier: BSD-3-Clause
// Runs a schedule of any collective with real data, a thread for each rank, and compares what every
// rank has at the end with what the table of collectives says. Elements are affine maps modulo a
// prime, and the operation composes them, so it shows when operands are not in order; for schedules
// that need not keep the order it adds them.
#pragma once

#include <atomic>
#include <cstring>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "collectives/collectives.hpp"
#include "execute/executor.hpp"
#include "execute/memory_transport.hpp"

namespace suiro {

struct Run {
  std::int64_t elements = 0;  // of the whole message where it is cut, else of a block
  SendMode mode = SendMode::synchronous;
  bool in_place = false;
  bool in_order = false;  // of ranks are the operands to be
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
    if (collective_.bytes == Measure::vector) cut_ = {run.elements, schedule.pieces};
  }

  /// Nothing, or the first rank and block that are wrong.
  std::string run() {
    MemoryNetwork network(schedule_.ranks, run_.mode);
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

  std::int64_t begin(std::int64_t block) const {
    return cut_ ? cut_.begin(block) : block * run_.elements;
  }

  std::vector<Affine> buffer(std::int64_t blocks) const {
    return std::vector<Affine>(static_cast<std::size_t>(begin(blocks)));
  }

  Affine expected(const Content& content, std::int64_t offset) const {
    const std::int64_t element = begin(content.index) + offset;
    Affine result = own(content.last - 1, element);
    for (int rank = content.last - 2; rank >= content.first; --rank) {
      result = operation(own(rank, element), result);
    }
    return result;
  }

  std::string check(int rank, const std::vector<Affine>& receive) const {
    for (std::int64_t block = 0; block < collective_.receive_blocks(instance_, rank); ++block) {
      const Content content = collective_.expected(instance_, rank, block);
      for (std::int64_t element = begin(block); element < begin(block + 1); ++element) {
        const Affine found = receive[static_cast<std::size_t>(element)];
        if (found == expected(content, element - begin(block))) continue;
        return "rank " + std::to_string(rank) + " block " + std::to_string(block) + " element " +
               std::to_string(element);
      }
    }
    return {};
  }

  std::string run_rank(MemoryNetwork& network, int rank) {
    Executor executor(schedule_, rank);
    for (int call = 0; call < calls; ++call) {
      std::vector<Affine> send = buffer(collective_.send_blocks(instance_, rank));
      for (std::size_t i = 0; i < send.size(); ++i) {
        send[i] = own(rank, static_cast<std::int64_t>(i));
      }
      std::vector<Affine> receive = buffer(collective_.receive_blocks(instance_, rank));
      const bool one = run_.in_place && !send.empty() && !receive.empty();
      if (one) receive = send;
      const std::int64_t slot = cut_ ? cut_.largest() : run_.elements;
      std::vector<Affine> scratch(static_cast<std::size_t>(schedule_.scratch * slot));
      MemoryTransport transport(network, rank,
                                {.block_bytes = static_cast<std::size_t>(slot) * sizeof(Affine),
                                 .send = std::as_bytes(std::span(one ? receive : send)),
                                 .receive = std::as_writable_bytes(std::span(receive)),
                                 .scratch = std::as_writable_bytes(std::span(scratch)),
                                 .cut = cut_,
                                 .unit_bytes = sizeof(Affine),
                                 .reduction = [this](auto in, auto inout) { reduce(in, inout); }});
      ++come_[call];
      executor.run(transport);
      if (collective_.bytes == Measure::nothing && come_[call] < schedule_.ranks) {
        return "rank " + std::to_string(rank) + " left early";
      }
      if (std::string wrong = check(rank, receive); !wrong.empty()) return wrong;
    }
    return {};
  }

  const Schedule& schedule_;
  Run run_;
  const Collective& collective_;
  Instance instance_;
  Pieces cut_;
  std::atomic<int> come_[calls] = {0, 0};
};

inline std::string run_collective(const Schedule& schedule, const Run& run) {
  return RealData(schedule, run).run();
}

}  // namespace suiro
