// SPDX-License-Identifier: BSD-3-Clause
// The catalog: one row per algorithm. Everything that a person or a program may ask of an algorithm
// without building it is in its row; docs/reference/algorithms.md and `suiro algorithms` are
// printed from it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "collectives/collectives.hpp"
#include "schedule/schedule.hpp"
#include "topology/topology.hpp"

namespace suiro {

/// What an algorithm costs on a topology, counted from its schedule.
struct Cost {
  std::int64_t rounds = 0;       // rounds per rank, synchronisation rounds included
  std::int64_t wire_blocks = 0;  // most that any node sends to other nodes, or gets from them
  std::int64_t scratch = 0;      // blocks of scratch per rank
  friend bool operator==(const Cost&, const Cost&) = default;
};

struct ParameterSpec {
  std::string_view name;
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
  std::int64_t fallback = 0;  // the value when none is given
  std::string_view meaning;
  std::span<const std::int64_t> others = {};  // values that are best somewhere, too
};

/// Properties that a builder declares and verify proves.
enum class Property : std::uint8_t {
  one_peer_per_node_per_round,  // at any time that the window allows, a node sends to at most one
                                // other node and receives from at most one: free of head-of-line
                                // blocking
  direct,                       // every message is one block, from its sender's send buffer to its
                                // receiver's receive buffer: blocks may differ in size and type
  ordered,                      // operands stay in the order of ranks: for operations that do not
                                // commute
  same_everywhere,              // every rank's result is put together alike: all get the same bits
  in_place,                     // right also where send and receive buffer are one
  port_optimal,                 // no node's port carries more than the collective's bound
};
inline constexpr Property every_property[] = {Property::one_peer_per_node_per_round,
                                              Property::direct,
                                              Property::ordered,
                                              Property::same_everywhere,
                                              Property::in_place,
                                              Property::port_optimal};
std::string_view name(Property property);

/// The parameter of algorithms that cut a message: bytes of a segment.
inline constexpr std::string_view segment_parameter = "segment";

/// The parameter of algorithms that limit how many ranks of a site use the way to others at once.
inline constexpr std::string_view wan_flows_parameter = "n";

/// How fast a link is, for algorithms that cut messages into segments. As long as nobody knows
/// better: 1 Gbit/s, what a message of MPI over TCP takes to start in microseconds, and one TCP
/// stream fills it.
struct Link {
  double startup_s = 50e-6;
  double Bps = 125e6;
  int streams = 1;  // that it takes to fill it
};

/// `Bps`: what calls have shown, or 0.
inline Link with_rate(Link link, std::int64_t Bps) {
  if (Bps > 0) link.Bps = static_cast<double>(Bps);
  return link;
}

/// What a schedule is built for: plain values that all ranks have in common.
struct Call {
  const Topology& topology;
  int root = 0;
  std::int64_t bytes = 0;  // of the whole message, where that is cut
  Link link = {};
};

struct Algorithm {
  std::string_view collective;
  std::string_view name;
  std::string_view summary;    // one line
  std::string_view source;     // paper and figure
  std::string_view cost_text;  // rounds, bytes on the wire, scratch, as formulas
  std::span<const ParameterSpec> parameters;
  std::span<const Property> properties;
  /// The formula of `cost_text`, where there is one; tests compare it with what they count.
  Cost (*cost)(const Topology&, const Parameters&);
  /// Pure, for any call. `parameters` is complete (see complete()).
  Schedule (*build)(const Call&, const Parameters&);
  bool for_sites = false;  // of no use at one site
  /// Inside nodes it goes through shared blocks: the ranks of a node must be able to share memory.
  bool in_shared_memory = false;
};

/// Lists for a row, such as .parameters = taking<segment_spec>, .properties =
/// having<Property::direct>.
template <const ParameterSpec&... specs>
inline constexpr ParameterSpec taking[] = {specs...};
template <Property... properties>
inline constexpr Property having[] = {properties...};

bool declares(const Algorithm& algorithm, Property property);

/// Every algorithm, ordered by collective and name.
std::span<const Algorithm> catalog();

/// nullptr when there is none.
const Algorithm* find_algorithm(std::string_view collective, std::string_view name);

/// Fills in fallbacks. Throws std::invalid_argument that names an unknown parameter or a value out
/// of range.
Parameters complete(const Algorithm& algorithm, const Parameters& given);

/// complete(), the algorithm's build(), and the placement.
Schedule build(const Algorithm& algorithm, const Call& call, const Parameters& given = {});
inline Schedule build(const Algorithm& algorithm, const Topology& topology,
                      const Parameters& given = {}) {
  return build(algorithm, Call{.topology = topology}, given);
}

}  // namespace suiro
