// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/job/sites.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <string_view>
#include <unordered_map>

#include "base/message.hpp"

namespace suiro::mpi {

namespace {

/// Sets of nodes (union-find): each has its lowest node as its root.
class Sets {
 public:
  explicit Sets(int nodes) : above_(static_cast<std::size_t>(nodes)) {
    std::iota(above_.begin(), above_.end(), 0);
  }
  int root_of(int node) {
    while (above(node) != node) {
      above(node) = above(above(node));  // halves the way of whoever comes next
      node = above(node);
    }
    return node;
  }
  void join(int one, int other) {
    const auto [low, high] = std::minmax({root_of(one), root_of(other)});
    above(high) = low;
  }

 private:
  int& above(int node) { return above_[static_cast<std::size_t>(node)]; }
  std::vector<int> above_;
};

}  // namespace

NamedSites parse_sites(std::string_view text) {
  NamedSites sites;
  int site = 0;
  for (std::size_t begin = 0; begin <= text.size(); ++site) {
    const std::size_t site_end = std::min(text.find(';', begin), text.size());
    while (begin <= site_end) {
      const std::size_t end = std::min(text.find(',', begin), site_end);
      const std::string host(text.substr(begin, end - begin));
      if (host.empty() || !sites.emplace(host, site).second) {
        throw std::runtime_error(
            "expected 1, or the hosts of each site, every host once, as a,b;c,d; got \"" +
            printable(host) + "\"" + (host.empty() ? "" : " twice"));
      }
      begin = end + 1;
    }
  }
  return sites;
}

int site_named(const NamedSites& sites, std::string_view host) {
  const auto found = sites.find(host);
  return found != sites.end() ? found->second : -1;
}

std::vector<int> sites_of(std::span<const host::Networks> networks_of_node) {
  const auto nodes = static_cast<int>(networks_of_node.size());
  Sets sets(nodes);
  std::unordered_map<std::uint64_t, int> first_in;  // the first node in each network
  for (int node = 0; node < nodes; ++node) {
    bool unknown = true;
    for (const std::uint64_t network : networks_of_node[static_cast<std::size_t>(node)]) {
      if (network == 0) continue;
      unknown = false;
      sets.join(first_in.try_emplace(network, node).first->second, node);
    }
    if (unknown) sets.join(0, node);
  }
  std::vector<int> sites;
  sites.reserve(networks_of_node.size());
  for (int node = 0; node < nodes; ++node) sites.push_back(sets.root_of(node));
  return sites;
}

}  // namespace suiro::mpi
