// SPDX-License-Identifier: BSD-3-Clause
// The table that suiro ships: what the model does not tell yet. All-to-all stands on measurements,
// which the comment above a row names, and is native elsewhere; of messages there is what the bound
// argues for, without a prediction that takes time. First match wins; the rest is predicted.
#include <algorithm>
#include <array>
#include <iterator>

#include "rules/candidates.hpp"
#include "rules/rules.hpp"

namespace suiro {
namespace {

/// A row for every MPI has an empty `mpi`, and so with `transport`. With an empty `collective` it
/// is for all kinds of all-to-all.
struct Row {
  std::string_view mpi;
  std::string_view collective;
  Range sites;
  Range nodes;
  Range ppn;
  Range bytes;
  std::string_view algorithm;
  std::string_view why;
  std::int64_t cap = 0;  // of the capped ones
  std::string_view transport = {};
  Range ranks = {};
  std::int64_t window = 0;  // of the ones with leaders
};

constexpr Range any{};
constexpr Range from(std::int64_t minimum) { return {minimum, Range::unbounded}; }
constexpr Range below(std::int64_t minimum, std::int64_t end) { return {minimum, end - 1}; }
constexpr std::int64_t kib(std::int64_t number) { return number << 10; }
constexpr Range only(std::int64_t value) { return {value, value}; }
constexpr std::string_view all_but_alike = "all at once, too, but each rank begins with another";

/// Measured on switches of every kind with 16 and 32 ranks, 4 per node. With 8 per node 32 KB was
/// slower than native on one.
constexpr Row few_at_a_time(std::string_view mpi, std::string_view collective, Range bytes,
                            std::int64_t cap) {
  return {.mpi = mpi,
          .collective = collective,
          .sites = only(1),
          .nodes = from(3),
          .ppn = {3, 6},
          .bytes = bytes,
          .algorithm = "two_level_capped",
          .why = "node by node, a few messages at a time, and none waits for an older one",
          .cap = cap,
          .ranks = below(2, 64)};
}

/// Blocks of no bytes are left to native, which sends nothing.
constexpr Row through_leaders(std::string_view collective, Range sites, Range nodes, Range ppn,
                              Range ranks, std::int64_t bytes_max) {
  return {.mpi = {},
          .collective = collective,
          .sites = sites,
          .nodes = nodes,
          .ppn = ppn,
          .bytes = {1, bytes_max},
          .algorithm = "node_leader",
          .why = "one rank per node carries the small blocks of all, in one message per node",
          .ranks = ranks,
          .window = 64};
}

/// Native's (Bruck) waits for the way there and back in several rounds.
constexpr Row small_between_sites{
    .mpi = {},
    .collective = "alltoall",
    .sites = only(2),
    .nodes = any,
    .ppn = only(1),
    .bytes = {1, 256},
    .algorithm = "linear",
    .why = "several sites: small blocks go at once, so none waits for another's way over the WAN",
    .ranks = {8, 32}};

/// Measured with two sites of eight ranks, one per node.
constexpr Row wan_first(std::string_view mpi, std::string_view collective, std::int64_t bytes) {
  return {.mpi = mpi,
          .collective = collective,
          .sites = only(2),
          .nodes = any,
          .ppn = only(1),
          .bytes = from(bytes),
          .algorithm = "wan_first",
          .why = "several sites: transfers within a site stay out of the way of those from afar",
          .ranks = below(2, 33)};
}

// The size of alltoallv and alltoallw is the one that the ranks agree on, which is below every
// rank's mean; none is agreed on when blocks are too uneven (mpi/size_agreement.hpp).
constexpr std::array rows = {
    // docs/results.md, lab two-sites: faster than native, and than all at once.
    wan_first("openmpi", "alltoall", kib(32)),
    wan_first("openmpi", "alltoallv", kib(24)),
    wan_first("", "alltoall", kib(64)),
    wan_first("", "alltoallv", kib(192)),
    // docs/results.md, small blocks: two-sites, then three-sites-uneven and two-4x4.
    small_between_sites,
    Row{"",
        "",
        from(2),
        any,
        only(1),
        {0, 512},
        native_algorithm,
        "several sites: with one rank per node nothing is faster than what the MPI does"},
    through_leaders("alltoall", from(2), from(4), {1, 6}, {8, 63}, 512),
    through_leaders("alltoallv", from(2), from(4), {1, 6}, {8, 63}, 512),
    // docs/results.md, lab two-sites. MPICH's native is pairwise above 32 KB: each of its steps
    // waits for the way there and back. Below, it has everything under way at once, too.
    Row{"mpich", "alltoall", from(2), any, any, from(kib(16)), "linear_capped",
        "several sites: no transfer waits for another's way over the WAN", 32},
    // The same lab: 2-Level Ring took four times as long as native.
    Row{"", "", from(2), any, any, any, native_algorithm,
        "several sites: every round would wait for the way there and back"},
    // docs/transport-results.md, blocks that differ: faster than native in 4x4-hol, 4x4-shared and
    // 4x4-voq, with Open MPI. Blocks of 64 KB are slower in the last.
    Row{"openmpi", "alltoallv", only(1), from(2), from(2), from(kib(96)), "two_level_pairwise",
        "over suiro's transport: one peer node at a time", 0, "suiro"},
    // docs/results.md, small blocks. 512 bytes are slower than native with 2 nodes, and with 2 and
    // 8 ranks per node.
    through_leaders("alltoall", only(1), from(4), {3, 6}, {8, 63}, 512),
    through_leaders("alltoall", only(1), from(2), {2, 16}, {8, 128}, 64),
    through_leaders("alltoallv", only(1), from(4), {3, 6}, {8, 63}, 512),
    through_leaders("alltoallv", only(1), from(2), {2, 16}, {8, 128}, 64),
    // docs/results.md, a few at a time. The sizes left out are slower than native in 4x4-voq, or
    // than Linear.
    few_at_a_time("", "alltoall", below(kib(4), kib(12)), 6),
    few_at_a_time("", "alltoall", below(kib(12), kib(24)), 3),
    few_at_a_time("openmpi", "alltoallv", below(kib(12), kib(24)), 3),
    few_at_a_time("openmpi", "alltoallv", below(kib(24), kib(48)), 4),
    few_at_a_time("openmpi", "alltoallv", below(kib(48), kib(96)), 6),
    few_at_a_time("openmpi", "alltoallv", below(kib(96), kib(448)), 3),
    few_at_a_time("openmpi", "alltoallw", below(kib(12), kib(24)), 3),
    few_at_a_time("openmpi", "alltoallw", below(kib(24), kib(48)), 4),
    few_at_a_time("mpich", "alltoallv", below(kib(2), kib(12)), 6),
    few_at_a_time("mpich", "alltoallv", below(kib(12), kib(24)), 4),
    few_at_a_time("mpich", "alltoallv", below(kib(48), kib(192)), 3),
    // docs/results.md, everything at once in another order. Below 64 ranks every rank of Open MPI
    // posts its sends from rank 0 on (coll_base_alltoallv.c, basic_linear; coll_basic_alltoallw.c).
    Row{"openmpi", "alltoallv", only(1), from(2), any, below(kib(2), kib(64)), "linear",
        all_but_alike, 0, "", below(2, 64)},
    Row{"openmpi", "alltoallw", only(1), from(2), any, below(kib(2), kib(64)), "linear",
        all_but_alike, 0, "", below(2, 64)},
    // docs/results.md, what a probe adds: what gains on one switch is slower on another.
    Row{"", "", any, any, only(1), any, native_algorithm, "one rank per node"},
    // docs/results.md, blocks of middle size. With MPICH faster than native in every lab; with Open
    // MPI slower in 4x4-voq, as are smaller blocks with both. Measured with 4 ranks per node only.
    Row{"mpich", "alltoall", only(1), from(2), only(4), below(kib(32), kib(64)),
        "send_side_aggregation", "one message per node, to one peer node at a time"},
    // The same table: 2-Level Pairwise has messages of one block and is slower than native in
    // 4x4-voq there.
    Row{"", "alltoall", only(1), from(2), from(2), below(kib(64), kib(192)),
        "send_side_aggregation", "one message per node, to one peer node at a time"},
    // docs/results.md, blocks of 256 KB and more in the labs 4x4-hol, 8x4-hol, 4x4-shared and
    // 4x4-voq: faster than native and than 2-Level Ring, or as fast.
    Row{"", "alltoall", only(1), from(2), from(2), from(kib(192)), "two_level_pairwise",
        "one peer node at a time, and acknowledgements meet no third node"},
    // docs/results.md, blocks that differ. With Open MPI slower than native in 4x4-voq for 256 KB.
    Row{"mpich", "", only(1), from(2), from(2), from(kib(192)), "two_level_pairwise",
        "one peer node at a time, and acknowledgements meet no third node"},
    Row{"", "", only(1), from(2), from(2), from(kib(448)), "two_level_pairwise",
        "one peer node at a time, and acknowledgements meet no third node"},
};

/// Of one message for, or from, all ranks.
struct MessageRow {
  std::string_view collective;
  Range sites;
  std::int64_t port_bytes;  // at least
  int ways;                 // that a piece goes from node to node through all
  std::string_view algorithm;
  std::string_view why;
};

constexpr std::string_view once_through_links =
    "from node to node in segments, through each link once";
constexpr std::string_view over_the_wan_once =
    "every rank sends over the WAN once, to its counterparts";
constexpr std::string_view every_rank_drives =
    "every rank of a node drives its share from node to node";

/// Argued by the bound, and not measured: what passes once through every node takes the time of its
/// bytes on one link, M / B, and that of the way through N - 1 further nodes. With the best segment
/// that is (sqrt(M / B) + sqrt((N - 1) a))^2 where a message takes `a` to start. From 4 (N - 1) a B
/// bytes on it is at most 2.25 M / B, and no algorithm without a pipeline takes less than 2 M / B
/// (van de Geijn's, and that without its starts). What goes round nodes block by block starts as
/// often. Below some frames for each node of the ring there is nothing to win.
///
/// Between sites the same holds, as rings and chains are laid site by site: what goes through all
/// nodes once takes one way over the WAN more. Blocks of all ranks go over it first, or last, and
/// not in every step of a ring.
constexpr std::array message_rows = {
    MessageRow{"allgather", only(1), kib(128), 1, "lanes", every_rank_drives},
    MessageRow{"allgather", from(2), kib(128), 1, "counterparts", over_the_wan_once},
    MessageRow{"allgatherv", only(1), kib(128), 1, "lanes", every_rank_drives},
    MessageRow{"allgatherv", from(2), kib(128), 1, "counterparts", over_the_wan_once},
    MessageRow{"allreduce", any, kib(384), 2, "lanes", every_rank_drives},
    MessageRow{"bcast", any, kib(32), 1, "node_pipeline", once_through_links},
    // docs/results.md, gather between sites: all at once is as fast as long as buffers hold it.
    MessageRow{"gather", from(2), kib(320), 1, "counterparts",
               "the root's site receives over the WAN for it, and its link is not flooded"},
    MessageRow{"gather", from(2), kib(32), 1, "linear", "no block waits for another's way"},
    MessageRow{"reduce", any, kib(32), 1, "node_pipeline", once_through_links},
    MessageRow{"reduce_scatter", only(1), kib(128), 1, "lanes", every_rank_drives},
    MessageRow{"reduce_scatter", from(2), kib(128), 1, "counterparts", over_the_wan_once},
    MessageRow{"reduce_scatter_block", only(1), kib(128), 1, "lanes", every_rank_drives},
    MessageRow{"reduce_scatter_block", from(2), kib(128), 1, "counterparts", over_the_wan_once},
    // docs/results.md, scatter between two sites.
    MessageRow{"scatter", from(2), kib(32), 1, "linear", "what has the longest way goes first"},
};
constexpr double starts_covered = 4;

std::vector<Rule> message_rules(std::string_view collective, const Link& link) {
  std::vector<Rule> rules;
  for (const MessageRow& row : message_rows) {
    if (row.collective != collective) continue;
    Rule& rule = rules.emplace_back();
    rule.collective = collective;
    rule.sites = row.sites;
    rule.port_bytes = static_cast<double>(row.port_bytes);
    rule.port_bytes_per_hop = starts_covered * row.ways * link.startup_s * link.Bps;
    rule.algorithm = row.algorithm;
    rule.reason = "rule: " + std::string(row.why);
    rule.unasked = true;
  }
  return rules;
}

Rule rule_of(const Row& row, std::string_view collective) {
  Rule rule;
  rule.collective = collective;
  rule.sites = row.sites;
  rule.nodes = row.nodes;
  rule.ppn = row.ppn;
  rule.ranks = row.ranks;
  rule.bytes = row.bytes;
  rule.algorithm = row.algorithm;
  if (row.cap > 0) rule.parameters.emplace("cap", row.cap);
  if (row.window > 0) rule.parameters.emplace("window", row.window);
  rule.reason = "measured: " + std::string(row.why);
  rule.unasked = true;
  return rule;
}

/// Also of small blocks, which are bound by latency, and which native aggregates (Bruck) or sends
/// all at once.
Rule native_elsewhere(std::string_view collective) {
  Rule rule;
  rule.collective = collective;
  rule.algorithm = native_algorithm;
  rule.reason = "ignorance: no faster algorithm was found";
  rule.unasked = true;
  return rule;
}

}  // namespace

RuleTable RuleTable::builtin(std::string_view mpi, std::string_view transport, const Link& link) {
  RuleTable table;
  for (const Collective& collective : collectives()) {
    if (collective.regular != "alltoall") {
      std::ranges::move(message_rules(collective.name, link), std::back_inserter(table.rules_));
      continue;
    }
    for (const Row& row : rows) {
      if (!row.mpi.empty() && row.mpi != mpi) continue;
      if (!row.transport.empty() && row.transport != transport) continue;
      if (!row.collective.empty() && row.collective != collective.name) continue;
      table.rules_.push_back(rule_of(row, collective.name));
    }
    table.rules_.push_back(native_elsewhere(collective.name));
  }
  return table;
}

}  // namespace suiro
