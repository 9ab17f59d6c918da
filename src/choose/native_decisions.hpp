// SPDX-License-Identifier: BSD-3-Clause
// What the decisions of the MPI libraries have in common; for the files beside this one.
#pragma once

#include <bit>
#include <span>

#include "choose/native.hpp"

namespace suiro {

Native native_of_openmpi(int release, int minor, const NativeCall& call);
Native native_of_mpich(const NativeCall& call);

inline std::int64_t elements(const NativeCall& call) { return call.bytes / 4; }
inline bool is_power_of_two(std::int64_t number) { return (number & (number - 1)) == 0; }
inline std::int64_t power_of_two_below(int number) {
  return std::bit_floor(static_cast<unsigned>(number));
}

bool is_one_per_node(const Topology& topology);
/// Going round the ranks, from the root on, each node is left but once.
bool is_node_by_node(const Topology& topology, int root);

/// As suiro's `algorithm`.
inline Native same(std::string said, std::string_view algorithm, Where where = Where::anywhere) {
  return {.said = std::move(said), .algorithm = algorithm, .where = where};
}
/// In one segment.
Native unsegmented(std::string said, std::string_view algorithm, const NativeCall& call,
                   Where where);
/// Where ranks are no power of two, the other one of each pair goes on.
Native halving(const NativeCall& call);

}  // namespace suiro
