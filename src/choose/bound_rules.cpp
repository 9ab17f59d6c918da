// SPDX-License-Identifier: BSD-3-Clause
#include "choose/bound_rules.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <vector>

#include "model/network.hpp"

namespace suiro {
namespace {

constexpr Range any{};
constexpr Range from(std::int64_t minimum) { return {minimum, Range::unbounded}; }
constexpr std::int64_t kib(std::int64_t number) { return number << 10; }
constexpr Range only(std::int64_t value) { return {value, value}; }

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

/// What passes once through every node takes the time of its
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
    MessageRow{"reduce", any, kib(32), 1, "node_pipeline", once_through_links},
    MessageRow{"reduce_scatter", only(1), kib(128), 1, "lanes", every_rank_drives},
    MessageRow{"reduce_scatter", from(2), kib(128), 1, "counterparts", over_the_wan_once},
    MessageRow{"reduce_scatter_block", only(1), kib(128), 1, "lanes", every_rank_drives},
    MessageRow{"reduce_scatter_block", from(2), kib(128), 1, "counterparts", over_the_wan_once},
};
constexpr double starts_covered = 4;

/// A message of a node's leader to each of its ranks, and in lanes to and from every rank twice
/// what the node sends or gets: copied at both ends, and operated on. Links are to need twice the
/// time.
int ranks_per_node_max(const Link& link, int processors) {
  constexpr Network usual;
  const double free_s = 0.5 / link.Bps;  // for each byte
  const double leader_s = 1 / usual.copy_Bps;
  const double rank_s = 4 / usual.copy_Bps + 1 / usual.reduce_Bps;
  const double by_leader = free_s / leader_s;
  if (by_leader < 1 || rank_s > free_s) return 0;
  const double most = std::min(by_leader, double{1 << 20});
  const double together = std::max<double>(free_s / rank_s, 1) * processors;
  return static_cast<int>(processors > 0 ? std::min(most, together) : most);
}

std::vector<Rule> message_rules(std::string_view collective, const Link& link, int processors) {
  std::vector<Rule> rules;
  const Range ranks_per_node{1, ranks_per_node_max(link, processors)};
  for (const MessageRow& row : message_rows) {
    if (row.collective != collective) continue;
    Rule& rule = rules.emplace_back();
    rule.collective = collective;
    rule.sites = row.sites;
    rule.ppn = ranks_per_node;
    rule.port_bytes = static_cast<double>(row.port_bytes);
    rule.port_bytes_per_hop = starts_covered * row.ways * link.startup_s * link.Bps;
    rule.algorithm = row.algorithm;
    rule.reason = "rule: " + std::string(row.why);
    rule.unasked = true;
  }
  return rules;
}

}  // namespace

RuleTable bound_rules(const Link& link, int processors) {
  std::vector<Rule> rules;
  for (const Collective& collective : collectives()) {
    std::ranges::move(message_rules(collective.name, link, processors), std::back_inserter(rules));
  }
  return RuleTable(std::move(rules));
}

}  // namespace suiro
