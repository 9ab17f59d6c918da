// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/collectives.hpp"

#include <algorithm>

namespace suiro {

namespace {

// How many blocks a buffer has.

std::int64_t one_per_rank(const Instance& call, int) { return call.ranks; }
std::int64_t all_pieces(const Instance& call, int) { return call.pieces; }
std::int64_t pieces_at_root(const Instance& call, int rank) {
  return rank == call.root ? call.pieces : 0;
}
std::int64_t pieces_but_at_root(const Instance& call, int rank) {
  return rank == call.root ? 0 : call.pieces;
}
std::int64_t none(const Instance&, int) { return 0; }

// What is where at the end.

Content from_each(const Instance&, int rank, std::int64_t index) {
  const int origin = static_cast<int>(index);
  return {origin, origin + 1, rank};
}
Content from_root(const Instance& call, int, std::int64_t index) {
  return {call.root, call.root + 1, index};
}
Content from_all(const Instance& call, int, std::int64_t index) { return {0, call.ranks, index}; }
Content nothing(const Instance&, int, std::int64_t) { return {}; }

// What links must carry.

double largest_of_nodes(const Topology& topology, double (*of_node)(const Topology&, int)) {
  double most = 0;
  for (int node = 0; node < topology.nodes(); ++node) {
    most = std::max(most, of_node(topology, node) / topology.links(node));
  }
  return most;
}

/// Every rank of a node has a block for every rank elsewhere, and gets as many.
double to_all_elsewhere(const Topology& topology) {
  return largest_of_nodes(topology, [](const Topology& t, int node) {
    return static_cast<double>(t.ppn(node)) * (t.ranks() - t.ppn(node));
  });
}

/// The message leaves or enters every node.
double once(const Topology& topology) {
  if (topology.nodes() == 1) return 0;
  return largest_of_nodes(topology, [](const Topology&, int) { return 1.0; });
}

/// Each of the vector's elements must come together from all nodes and go back to them, which are
/// 2 (N - 1) crossings that all links share; and every node hears of every element.
double there_and_back(const Topology& topology) {
  double links = 0;
  for (int node = 0; node < topology.nodes(); ++node) links += topology.links(node);
  return std::max(once(topology), 2.0 * (topology.nodes() - 1) / links);
}

double no_bytes(const Topology&) { return 0; }

constexpr Collective all_to_all(std::string_view name, std::string_view summary) {
  return {.name = name,
          .regular = "alltoall",
          .summary = summary,
          .rooted = false,
          .reduces = false,
          .bytes = Measure::per_pair,
          .send_blocks = one_per_rank,
          .receive_blocks = one_per_rank,
          .expected = from_each,
          .busiest_link = to_all_elsewhere,
          .bound_text = "a (P - a) M / B"};
}

constexpr std::array rows = {
    Collective{.name = "allreduce",
               .regular = "allreduce",
               .summary = "the vectors of all ranks, reduced, to every rank",
               .rooted = false,
               .reduces = true,
               .bytes = Measure::vector,
               .send_blocks = all_pieces,
               .receive_blocks = all_pieces,
               .expected = from_all,
               .busiest_link = there_and_back,
               .bound_text = "2 M (N - 1) / (N B)"},
    all_to_all("alltoall", "a block of every rank to every rank"),
    all_to_all("alltoallv", "the same with blocks of any sizes"),
    all_to_all("alltoallw", "the same with blocks of any sizes and types"),
    Collective{.name = "barrier",
               .regular = "barrier",
               .summary = "no rank leaves before every rank has come",
               .rooted = false,
               .reduces = false,
               .bytes = Measure::nothing,
               .send_blocks = none,
               .receive_blocks = none,
               .expected = nothing,
               .busiest_link = no_bytes,
               .bound_text = "no bytes"},
    Collective{.name = "bcast",
               .regular = "bcast",
               .summary = "the root's message to every rank",
               .rooted = true,
               .reduces = false,
               .bytes = Measure::vector,
               .send_blocks = pieces_at_root,
               .receive_blocks = pieces_but_at_root,
               .expected = from_root,
               .busiest_link = once,
               .bound_text = "M / B"},
    Collective{.name = "reduce",
               .regular = "reduce",
               .summary = "the vectors of all ranks, reduced, to the root",
               .rooted = true,
               .reduces = true,
               .bytes = Measure::vector,
               .send_blocks = all_pieces,
               .receive_blocks = pieces_at_root,
               .expected = from_all,
               .busiest_link = once,
               .bound_text = "M / B"},
};

}  // namespace

std::string_view name(Measure measure) {
  switch (measure) {
    case Measure::per_pair:
      return "per pair of ranks";
    case Measure::vector:
      return "of the whole message";
    case Measure::nothing:
      return "none";
  }
  return "unknown";
}

std::span<const Collective> collectives() { return rows; }

const Collective* find_collective(std::string_view name) {
  const auto found = std::ranges::find(rows, name, &Collective::name);
  return found == rows.end() ? nullptr : &*found;
}

double bound_s(const Collective& collective, const Topology& topology, std::int64_t bytes,
               double link_Bps) {
  return collective.busiest_link(topology) * static_cast<double>(bytes) / link_Bps;
}

}  // namespace suiro
