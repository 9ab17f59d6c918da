// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/entry/agreement.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/tell.hpp"
#include "base/variables.hpp"
#include "choose/bound_rules.hpp"
#include "host/identity.hpp"
#include "host/links.hpp"
#include "host/local_place.hpp"
#include "mpi/carry/device_memory.hpp"
#include "mpi/carry/net_group.hpp"
#include "mpi/job/job.hpp"
#include "mpi/job/sites.hpp"
#include "mpi/underneath/fault_tolerance.hpp"
#include "mpi/underneath/load.hpp"
#include "mpi/underneath/profilers.hpp"

namespace suiro::mpi {

namespace {

/// What the ranks tell each other once.
struct Stand {
  std::uint64_t hash = 0;  // of the settings
  std::int32_t has_error = 0;
  std::int32_t node = 0;  // the lowest world rank on this rank's node, once all have told theirs
  std::int32_t has_devices = 0;
  std::int32_t lacks_net = 0;  // though it was asked for
  std::int32_t cores = 0;      // of its node, for all ranks there
  std::int32_t site = -1;      // that the settings name for this host
  host::NodeLinks links;
  host::Networks networks{};
  std::uint64_t detours = 0;  // the collectives that a profiler takes past suiro
  std::uint64_t host = 0;     // the same for all ranks of a node
  std::uint64_t view = 0;     // the same for ranks of a node that find each other under /proc
};

/// A pipeline is as fast as its slowest link. 0: no node knows its rate.
double slowest_Bps(const std::vector<Stand>& stands) {
  constexpr double bytes_per_megabit = 125000;
  std::uint32_t slowest = 0;
  for (const Stand& stand : stands) {
    const std::uint32_t rate = stand.links.megabits;
    if (rate != 0) slowest = slowest == 0 ? rate : std::min(slowest, rate);
  }
  return slowest * bytes_per_megabit;
}

/// The lowest rank that has an error, or that differs from rank 0, speaks for all.
bool all_agree(const std::vector<Stand>& stands) {
  const Settings& settings = job.settings;
  const auto wrong =
      std::ranges::find_if(stands, [](const Stand& stand) { return stand.has_error != 0; });
  const auto other = std::ranges::find_if(
      stands, [&](const Stand& stand) { return stand.hash != stands.front().hash; });
  const auto speaker = wrong != stands.end() ? wrong : other;
  if (speaker == stands.end()) return true;
  if (speaker - stands.begin() == job.rank) {
    const std::string reason = settings.error.empty()
                                   ? "its SUIRO settings or its rule file are not those of rank 0"
                                   : settings.error;
    say("rank " + std::to_string(job.rank) + " on " + host_name() + ": " + reason +
        "; all ranks use native collectives");
  }
  return false;
}

/// By what each rank tells of its host, not by the MPI: it would make a communicator for that.
void find_nodes(std::vector<Stand>& stands) {
  std::unordered_map<std::uint64_t, std::int32_t> lowest;
  for (std::size_t rank = 0; rank < stands.size(); ++rank) {
    const auto found = lowest.try_emplace(stands[rank].host, static_cast<std::int32_t>(rank));
    stands[rank].node = found.first->second;
  }
}

int ranks_on_node(const std::vector<Stand>& stands) {
  const std::int32_t mine = stands[static_cast<std::size_t>(job.rank)].node;
  return static_cast<int>(std::ranges::count(stands, mine, &Stand::node));
}

std::vector<int> nodes_of(const std::vector<Stand>& stands) {
  std::vector<int> nodes;
  nodes.reserve(stands.size());
  for (const Stand& stand : stands) nodes.push_back(stand.node);
  return nodes;
}

/// The site of each rank of the world, from the addresses that the lowest rank of its node has.
std::vector<int> sites_by_address(const std::vector<Stand>& stands) {
  std::vector<host::Networks> networks;
  std::vector<std::size_t> place(stands.size());  // of a node's networks, at its lowest rank
  for (std::size_t rank = 0; rank < stands.size(); ++rank) {
    if (static_cast<std::size_t>(stands[rank].node) != rank) continue;
    place[rank] = networks.size();
    networks.push_back(stands[rank].networks);
  }
  const std::vector<int> site_of_node = sites_of(networks);
  std::vector<int> sites;
  sites.reserve(stands.size());
  for (const Stand& stand : stands) {
    sites.push_back(site_of_node[place[static_cast<std::size_t>(stand.node)]]);
  }
  return sites;
}

std::vector<int> links_of_ranks(const std::vector<Stand>& stands) {
  std::vector<int> links;
  links.reserve(stands.size());
  for (const Stand& stand : stands) {
    links.push_back(stands[static_cast<std::size_t>(stand.node)].links.count);
  }
  return links;
}

/// A host that the settings put at no site makes them those of other nodes: not one of them is
/// followed then. The lowest rank there says so, by way of `suiro run`, which knows the file.
void settle_sites(const std::vector<Stand>& stands) {
  if (job.settings.sites.empty()) return;
  const auto unnamed = std::ranges::find_if(stands, [](const Stand& s) { return s.site < 0; });
  if (unnamed == stands.end()) return;
  job.settings.sites.clear();
  job.settings.network.clear();
  job.settings.wan_flows = 0;
  if (unnamed - stands.begin() != job.rank) return;
  const bool one_node = std::ranges::all_of(
      stands, [&](const Stand& stand) { return stand.node == stands.front().node; });
  const nlohmann::json told{{"host", host_name()}, {"one_node", one_node}};
  if (job.service.send(text_of({{"unnamed", told}}))) return;
  say("SUIRO_SITES does not name " + host_name() + ", where rank " + std::to_string(job.rank) +
      " runs: the addresses tell the sites");
}

/// The site of each rank; empty: all are at one. Also what tells so.
std::vector<int> sites_of_ranks(const std::vector<Stand>& stands, std::string_view& source) {
  source = "setting";
  if (job.settings.one_site) return {};
  if (job.settings.sites.empty()) {
    const bool told =
        std::ranges::any_of(stands, [](const Stand& s) { return s.networks[0] != 0; });
    source = told ? "addresses" : "nothing";
    return sites_by_address(stands);
  }
  source = "names";
  std::vector<int> sites;
  sites.reserve(stands.size());
  for (const Stand& stand : stands) sites.push_back(stand.site);
  return sites;
}

/// For --explain, which also tells when the addresses contradict a file that may be out of date.
void report_sites(const std::vector<int>& sites, std::string_view source,
                  const std::vector<int>& by_address) {
  const std::set<int> different(sites.begin(), sites.end());
  std::set<std::pair<int, int>> both;
  for (std::size_t rank = 0; rank < sites.size(); ++rank) {
    both.emplace(sites[rank], by_address[rank]);
  }
  const std::set<int> addresses(by_address.begin(), by_address.end());
  const bool alike = both.size() == different.size() && both.size() == addresses.size();
  const nlohmann::json report{{"count", std::max<std::size_t>(different.size(), 1)},
                              {"told_by", source},
                              {"contradicted", source == "names" && !alike}};
  job.service.send(nlohmann::json{{"sites", report}}.dump());
}

/// Nodes that no rank is left for have none.
Placement pretended_placement(const Settings& settings, std::size_t ranks) {
  std::vector<int> site_of_node;
  std::size_t all = 0;
  for (std::size_t site = 0; site < settings.pretended_nodes.size(); ++site) {
    all += static_cast<std::size_t>(settings.pretended_nodes[site]);
    site_of_node.resize(std::min(all, ranks), static_cast<int>(site));
  }
  const std::size_t ppn = (ranks + all - 1) / std::max<std::size_t>(all, 1);
  std::vector<int> nodes;
  std::vector<int> sites;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    nodes.push_back(static_cast<int>(rank / ppn));
    sites.push_back(site_of_node[rank / ppn]);
  }
  return {std::move(nodes), std::move(sites), {}};
}

Placement placement_of(const std::vector<Stand>& stands) {
  const Settings& settings = job.settings;
  if (!settings.pretended_nodes.empty()) return pretended_placement(settings, stands.size());
  std::string_view source;
  std::vector<int> sites = sites_of_ranks(stands, source);
  if (job.rank == 0 && settings.explain) report_sites(sites, source, sites_by_address(stands));
  return {nodes_of(stands), std::move(sites), links_of_ranks(stands)};
}

bool lacks_net() { return job.settings.on_net && !net_failure().empty(); }

/// One rank that cannot use the transport keeps all from it; the lowest says why.
void settle_transport(const std::vector<Stand>& stands) {
  const auto without =
      std::ranges::find_if(stands, [](const Stand& s) { return s.lacks_net != 0; });
  if (without == stands.end()) return;
  job.settings.on_net = false;
  if (without - stands.begin() == job.rank) {
    say("rank " + std::to_string(job.rank) + " on " + host_name() + ": " + net_failure() +
        "; suiro's collectives use the MPI's own messages");
  }
}

/// Ranks in containers of their own do not find each other's memory. So nothing is predicted that
/// would need it.
bool find_each_other(const std::vector<Stand>& stands) {
  return std::ranges::all_of(stands, [&](const Stand& stand) {
    return stand.view == stands[static_cast<std::size_t>(stand.node)].view;
  });
}

/// What a cluster's file says comes before what nodes say of their links.
void settle_network(const std::vector<Stand>& stands) {
  const double slowest = slowest_Bps(stands);
  if (slowest > 0) job.link.Bps = slowest;
  const std::string& told = job.settings.network;
  const int cores = std::ranges::min(stands, {}, &Stand::cores).cores;
  const NetworkFile known = told.empty() ? unmeasured_network(job.link, slowest > 0, cores)
                                         : told_network(told, variables::cluster_network.name,
                                                        job.link, slowest > 0, cores);
  RuleTable rules = known.tells_rate ? bound_rules(job.link, cores) : RuleTable();
  // A process that dies tells nobody by a signal, and suiro's own messages bring no signals.
  const bool node_memory = !survives_failures() && !job.settings.on_net && find_each_other(stands);
  const bool tries_reductions = job.settings.tries_reductions();
  const Surroundings surroundings{.mpi = implementation(),
                                  .release = release().first,
                                  .minor = release().second,
                                  .link = job.link,
                                  .rate_known = known.tells_rate,
                                  .processors = cores,
                                  .node_memory = node_memory,
                                  .tries = job.settings.tries(),
                                  .tries_reductions = tries_reductions,
                                  .network = known};
  job.chooser = std::make_unique<Chooser>(surroundings, std::move(rules));
}

std::string names_of(std::uint64_t places) {
  std::string names;
  for (const Collective& collective : collectives()) {
    if ((places >> index_of(collective) & 1) == 0) continue;
    names += (names.empty() ? "" : ", ") + std::string(collective.name);
  }
  return names;
}

/// A rank whose profiler goes past suiro runs native, and so all must; the lowest says why.
void settle_detours(const std::vector<Stand>& stands) {
  for (const Stand& stand : stands) job.left_native |= stand.detours;
  const auto first = std::ranges::find_if(stands, [](const Stand& s) { return s.detours != 0; });
  if (first - stands.begin() != job.rank) return;
  say("rank " + std::to_string(job.rank) + " on " + host_name() + ": " + detours.file + " takes " +
      names_of(detours.collectives) + " past suiro: native runs there on all ranks" +
      " (let it call PMPI_X, or preload it before suiro's library)");
}

}  // namespace

bool agree() {
  int size = 0;
  real.Comm_size(MPI_COMM_WORLD, &size);
  const Stand mine{.hash = job.settings.hash,
                   .has_error = job.settings.error.empty() ? 0 : 1,
                   .has_devices = has_device_runtime() ? 1 : 0,
                   .lacks_net = lacks_net() ? 1 : 0,
                   .cores = host::local_place().cores,
                   .site = site_named(job.settings.sites, host_name()),
                   .links = host::node_links(),
                   .networks = host::host_networks(),
                   .detours = detours.collectives,
                   .host = host::node_identity(),
                   .view = host::view_identity()};
  std::vector<Stand> stands(static_cast<std::size_t>(size));
  if (real.Allgather(&mine, sizeof mine, MPI_BYTE, stands.data(), sizeof mine, MPI_BYTE,
                     MPI_COMM_WORLD) != MPI_SUCCESS ||
      !all_agree(stands)) {
    return false;
  }
  find_nodes(stands);
  job.devices = std::ranges::any_of(stands, [](const Stand& s) { return s.has_devices != 0; });
  settle_transport(stands);
  settle_sites(stands);
  job.placement = placement_of(stands);
  settle_network(stands);
  job.waiting = waiting_on(ranks_on_node(stands));
  const bool acts = job.placement.nodes() > 1 || job.settings.observed();
  if (acts) settle_detours(stands);
  return acts;
}

}  // namespace suiro::mpi
