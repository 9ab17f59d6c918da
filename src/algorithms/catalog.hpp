// SPDX-License-Identifier: BSD-3-Clause
// The catalog: one row per algorithm. Everything that a person or a program may ask of an algorithm
// without building it is in its row; docs/reference/algorithms.md and `suiro algorithms` are
// printed from it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "schedule/schedule.hpp"
#include "topology/topology.hpp"

namespace suiro {

/// What an algorithm costs on a topology; the tests count its schedule and compare.
struct Cost {
  std::int64_t rounds = 0;       // rounds per rank, synchronisation rounds included
  std::int64_t wire_blocks = 0;  // largest number of blocks that any node sends to other nodes
  std::int64_t scratch = 0;      // blocks of scratch per rank
  friend bool operator==(const Cost&, const Cost&) = default;
};

struct ParameterSpec {
  std::string_view name;
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
  std::int64_t fallback = 0;  // the value when none is given
  std::string_view meaning;
};

/// Properties that a builder declares and verify proves.
enum class Property : std::uint8_t {
  one_peer_per_node_per_round,  // at any time that the window allows, a node sends to at most one
                                // other node and receives from at most one: free of head-of-line
                                // blocking
  direct,                       // every message is one block, from its sender's send buffer to its
                                // receiver's receive buffer: blocks may differ in size and type
};
inline constexpr Property every_property[] = {Property::one_peer_per_node_per_round,
                                              Property::direct};
std::string_view name(Property property);

struct Algorithm {
  std::string_view collective;
  std::string_view name;
  std::string_view summary;    // one line
  std::string_view source;     // paper and figure
  std::string_view cost_text;  // rounds, bytes on the wire, scratch, as formulas
  std::span<const ParameterSpec> parameters;
  std::span<const Property> properties;
  Cost (*cost)(const Topology&, const Parameters&);
  /// Pure, for any topology. `parameters` is complete (see complete()).
  Schedule (*build)(const Topology&, const Parameters&);
};

bool declares(const Algorithm& algorithm, Property property);

/// Every algorithm, ordered by collective and name.
std::span<const Algorithm> catalog();

/// nullptr when there is none.
const Algorithm* find_algorithm(std::string_view collective, std::string_view name);

/// Fills in fallbacks. Throws std::invalid_argument that names an unknown parameter or a value out
/// of range.
Parameters complete(const Algorithm& algorithm, const Parameters& given);

/// complete(), the algorithm's build(), and the placement.
Schedule build(const Algorithm& algorithm, const Topology& topology, const Parameters& given = {});

}  // namespace suiro
