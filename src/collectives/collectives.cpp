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
std::int64_t pieces_but_at_first(const Instance& call, int rank) {
  return rank == 0 ? 0 : call.pieces;
}
std::int64_t of_each(const Instance& call, int) { return call.ranks * call.pieces; }
std::int64_t of_each_at_root(const Instance& call, int rank) {
  return rank == call.root ? call.ranks * call.pieces : 0;
}
std::int64_t none(const Instance&, int) { return 0; }

// Which piece of all it is.

std::int64_t as_numbered(const Instance&, int, std::int64_t index) { return index; }
std::int64_t of_own_block(const Instance& call, int rank, std::int64_t index) {
  return rank * call.pieces + index;
}

// What is where at the end.

Content from_each(const Instance&, int rank, std::int64_t index) {
  const int origin = static_cast<int>(index);
  return {origin, origin + 1, rank};
}
Content own_of_each(const Instance& call, int, std::int64_t index) {
  const auto origin = static_cast<int>(index / call.pieces);
  return {origin, origin + 1, index % call.pieces};
}
Content from_root(const Instance& call, int, std::int64_t index) {
  return {call.root, call.root + 1, index};
}
Content for_me_from_root(const Instance& call, int rank, std::int64_t index) {
  return {call.root, call.root + 1, rank * call.pieces + index};
}
Content from_all(const Instance& call, int, std::int64_t index) { return {0, call.ranks, index}; }
Content for_me_from_all(const Instance& call, int rank, std::int64_t index) {
  return {0, call.ranks, rank * call.pieces + index};
}
Content up_to_me(const Instance&, int rank, std::int64_t index) { return {0, rank + 1, index}; }
Content before_me(const Instance&, int rank, std::int64_t index) { return {0, rank, index}; }
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

/// What every node must get of all others, or give to all others.
double of_elsewhere(const Topology& topology) {
  return largest_of_nodes(topology, [](const Topology& t, int node) {
    return t.nodes() == 1 ? 0.0 : static_cast<double>(t.ranks() - t.ppn(node));
  });
}

/// What the root's node must: that of the root for which it is least.
double of_elsewhere_at_root(const Topology& topology) {
  double least = topology.nodes() == 1 ? 0 : topology.ranks();
  for (int node = 0; node < topology.nodes(); ++node) {
    const double elsewhere = topology.ranks() - topology.ppn(node);
    least = std::min(least, elsewhere / topology.links(node));
  }
  return least;
}

/// The same, of a vector that is a block for each rank.
double share_of_elsewhere(const Topology& topology) {
  return of_elsewhere(topology) / topology.ranks();
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

constexpr Collective all_to_all(std::string_view name, Sizes sizes, std::string_view summary) {
  return {.name = name,
          .regular = "alltoall",
          .summary = summary,
          .rooted = false,
          .reduces = false,
          .bytes = Measure::per_pair,
          .sizes = sizes,
          .send_blocks = one_per_rank,
          .receive_blocks = one_per_rank,
          .expected = from_each,
          .busiest_link = to_all_elsewhere,
          .bound_text = "a (P - a) M / B"};
}

constexpr Collective all_gather(std::string_view name, Sizes sizes, std::string_view summary) {
  return {.name = name,
          .regular = "allgather",
          .summary = summary,
          .rooted = false,
          .reduces = false,
          .bytes = Measure::per_rank,
          .sizes = sizes,
          .piece = of_own_block,
          .for_each_rank = true,
          .send_blocks = all_pieces,
          .receive_blocks = of_each,
          .expected = own_of_each,
          .busiest_link = of_elsewhere,
          .bound_text = "(P - a) M / B"};
}

constexpr Collective to_root(std::string_view name, Sizes sizes, std::string_view summary) {
  Collective row = all_gather(name, sizes, summary);
  row.regular = "gather";
  row.rooted = true;
  row.receive_blocks = of_each_at_root;
  row.busiest_link = of_elsewhere_at_root;
  return row;
}

constexpr Collective of_root(std::string_view name, Sizes sizes, std::string_view summary) {
  Collective row = to_root(name, sizes, summary);
  row.regular = "scatter";
  row.piece = as_numbered;
  row.send_blocks = of_each_at_root;
  row.receive_blocks = all_pieces;
  row.expected = for_me_from_root;
  return row;
}

constexpr Collective reduce_and_scatter(std::string_view name, Sizes sizes,
                                        std::string_view summary) {
  Collective row = all_gather(name, sizes, summary);
  row.regular = "reduce_scatter_block";
  row.reduces = true;
  row.piece = as_numbered;
  row.send_blocks = of_each;
  row.receive_blocks = all_pieces;
  row.expected = for_me_from_all;
  return row;
}

constexpr Collective reduce_scatter() {
  Collective row =
      reduce_and_scatter("reduce_scatter", Sizes::known, "the same with blocks of any sizes");
  row.bytes = Measure::vector;
  row.busiest_link = share_of_elsewhere;
  row.bound_text = "(P - a) M / (P B)";
  return row;
}

constexpr Collective on_vectors(std::string_view name, std::string_view summary) {
  return {.name = name,
          .regular = name,
          .summary = summary,
          .rooted = false,
          .reduces = true,
          .bytes = Measure::vector,
          .piece = as_numbered,
          .send_blocks = all_pieces,
          .receive_blocks = all_pieces,
          .expected = from_all,
          .busiest_link = once,
          .bound_text = "M / B"};
}

constexpr Collective all_reduce() {
  Collective row = on_vectors("allreduce", "the vectors of all ranks, reduced, to every rank");
  row.busiest_link = there_and_back;
  row.bound_text = "2 M (N - 1) / (N B)";
  return row;
}

constexpr Collective reduce_to_root() {
  Collective row = on_vectors("reduce", "the vectors of all ranks, reduced, to the root");
  row.rooted = true;
  row.receive_blocks = pieces_at_root;
  return row;
}

constexpr Collective broadcast() {
  Collective row = on_vectors("bcast", "the root's message to every rank");
  row.rooted = true;
  row.reduces = false;
  row.send_blocks = pieces_at_root;
  row.receive_blocks = pieces_but_at_root;
  row.expected = from_root;
  return row;
}

constexpr Collective inclusive_scan() {
  Collective row = on_vectors("scan", "to every rank, those of the ranks up to it, reduced");
  row.expected = up_to_me;
  return row;
}

constexpr Collective exclusive_scan() {
  Collective row = on_vectors("exscan", "to every rank, those of the ranks before it, reduced");
  row.receive_blocks = pieces_but_at_first;
  row.expected = before_me;
  return row;
}

constexpr Collective meeting() {
  return {.name = "barrier",
          .regular = "barrier",
          .summary = "no rank leaves before every rank has come",
          .rooted = false,
          .reduces = false,
          .bytes = Measure::nothing,
          .send_blocks = none,
          .receive_blocks = none,
          .expected = nothing,
          .busiest_link = no_bytes,
          .bound_text = "no bytes"};
}

constexpr std::string_view of_any_sizes = "the same with blocks of any sizes";

constexpr std::array rows = {
    all_gather("allgather", Sizes::equal, "a block of every rank to all ranks"),
    all_gather("allgatherv", Sizes::known, of_any_sizes),
    all_reduce(),
    all_to_all("alltoall", Sizes::equal, "a block of every rank to every rank"),
    all_to_all("alltoallv", Sizes::own, of_any_sizes),
    all_to_all("alltoallw", Sizes::own, "the same with blocks of any sizes and types"),
    meeting(),
    broadcast(),
    exclusive_scan(),
    to_root("gather", Sizes::equal, "a block of every rank to the root"),
    to_root("gatherv", Sizes::at_root, of_any_sizes),
    reduce_to_root(),
    reduce_scatter(),
    reduce_and_scatter("reduce_scatter_block", Sizes::equal,
                       "the vectors of all ranks, reduced, a block of it to every rank"),
    inclusive_scan(),
    of_root("scatter", Sizes::equal, "a block of the root for every rank"),
    of_root("scatterv", Sizes::at_root, of_any_sizes),
};

}  // namespace

std::string_view name(Measure measure) {
  switch (measure) {
    case Measure::per_pair:
      return "per pair of ranks";
    case Measure::per_rank:
      return "per rank";
    case Measure::vector:
      return "of the whole message";
    case Measure::nothing:
      return "none";
  }
  return "unknown";
}

std::string_view name(Sizes sizes) {
  switch (sizes) {
    case Sizes::equal:
      return "equal";
    case Sizes::known:
      return "known to all";
    case Sizes::own:
      return "own";
    case Sizes::at_root:
      return "known to the root";
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
