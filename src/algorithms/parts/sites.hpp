// SPDX-License-Identifier: BSD-3-Clause
// Sites that a wide-area network joins, after the paper on GridMPI: data are cut in parts, each the
// business of one rank at every site, so that several nodes use the way between sites at once, and
// no more than it bears.
#pragma once

#include "algorithms/parts/gathering.hpp"
#include "algorithms/parts/segments.hpp"

namespace suiro {

inline constexpr ParameterSpec at_once_spec = {
    .name = wan_flows_parameter,
    .minimum = 0,
    .maximum = 4096,
    .fallback = 0,
    .meaning =
        "ranks of a site that use the way to others at a time; 0: one of every node of the "
        "smallest site, up to 8"};

/// A vector in parts. Ranks of a site are numbered one node after the other, that of the root
/// first, and so are the nodes and the sites.
class SiteParts {
 public:
  /// As many parts as `parts`, or as the smallest site has ranks; `bytes` of all are cut.
  SiteParts(const Call& call, const Parameters& parameters, int parts = 0);

  int parts() const { return parts_; }
  std::int64_t pieces() const { return pieces_; }  // of a part
  const Groups& sites() const { return sites_; }
  /// Where a part is in all.
  Range range(int part) const { return {part * pieces_, pieces_}; }
  /// Its rank at a site: those of one node after the other, so that parts which are dealt with
  /// together are on different nodes.
  int driver(int site, int part) const;

  /// These are schedules for all ranks, and work at every site at once. Parts are in the receive
  /// buffer.
  ///
  /// From each site's first rank to the drivers, and back.
  Schedule scatter() const;
  Schedule gather(Buffer held) const;
  /// From the drivers to all of their site.
  Schedule spread() const;
  /// Sums of all of a site, at the drivers.
  Schedule reduce_scatter(Sums sums) const;

  /// `schedule`, in which the drivers of parts talk to each other, or those of the root's site to
  /// the others, with n of them at a time.
  enum class Senders : std::uint8_t { all, at_root };
  Schedule capped(Schedule schedule, Senders senders = Senders::all) const;

 private:
  Schedule at_each_site(const std::function<Schedule(int site)>& build) const;
  std::vector<int> owned(int site, int place) const;

  Groups sites_;
  std::vector<Groups> nodes_;  // of each site, by places in it
  Groups drivers_;             // of each site, by places in it
  Groups first_parts_;         // that a place drives; the inverse
  int parts_ = 1;
  std::int64_t pieces_ = 1;
  int at_once_ = 1;
};

/// Without messages to ranks that have all already, and where they have it: `held`.
Schedule spared(Schedule schedule, const std::vector<int>& ranks, Buffer held);

/// Only what ranks of a group do.
Schedule only_at(Schedule schedule, const std::vector<int>& ranks);

/// The nodes of a site, by places among its ranks.
Groups nodes_at(const Topology& topology, const std::vector<int>& ranks);

/// The ranks of all sites in the order in which they take turns.
Groups turns_at_sites(const Topology& topology, int first);
int at_once(const Topology& topology, const Parameters& parameters);

}  // namespace suiro
