// SPDX-License-Identifier: BSD-3-Clause
// Every network that a job may run on, as far as somebody knows: what nobody told stays a set.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/catalog.hpp"
#include "collectives/collectives.hpp"
#include "model/network_json.hpp"
#include "topology/topology.hpp"

namespace suiro {

/// What a job knows beside its topology, the same on all ranks.
struct Surroundings {
  std::string mpi;  // as Library has it, or another name: then nothing is known of it
  int release = 0;
  int minor = 1;
  Link link = {};
  bool rate_known = true;                   // of the link, that of the slowest node
  int processors = 0;                       // of the node that has fewest; 0: as many as ranks
  bool node_memory = false;                 // that ranks of a node share may be had
  bool tries = false;                       // what is not sure to be faster, in the job's calls,
  bool tries_reductions = false;            // and of these, too
  std::optional<NetworkFile> network = {};  // as far as a cluster's file knows it

  bool are_tried(const Collective& collective) const {
    return tries && (!collective.reduces || tries_reductions);
  }
};

/// A network's links, as algorithms see them that cut messages: a start takes processor time, and
/// the way, unless the file tells otherwise.
Link link_of(const NetworkFile& file);

/// What is known of a network of which nothing was measured.
NetworkFile unmeasured_network(const Link& link, bool rate_known, int processors);

/// The same, as far as a text of JSON does not tell (model/network_json.hpp). `link` becomes what
/// it tells. Throws as parse_network().
NetworkFile told_network(std::string_view text, std::string_view name, Link& link, bool rate_known,
                         int processors);

/// Those that this may be while nobody else uses nodes or links.
std::vector<Network> usual_networks(const Surroundings& surroundings, const Topology& topology);

/// Every network that this may be: what nobody told stays a set. The usual ones come first.
std::vector<Network> possible_networks(const Surroundings& surroundings, const Topology& topology);

}  // namespace suiro
