// SPDX-License-Identifier: BSD-3-Clause
// Where ranks are, as a command line says it: --nodes N --ppn P, --shape 1,2,4,5 (both with
// --order), or --node-of-rank 0,1,1,0.
#pragma once

#include <string_view>

#include "tools/arguments.hpp"

namespace suiro::tools {

/// Takes these options; throws when they are missing or say it twice. `command` is for messages.
Topology take_topology(Arguments& arguments, std::string_view command, std::int64_t ranks_max);

/// The same ranks on nodes at these sites; at one where the list is empty. Throws UsageError.
Topology at_sites(const Topology& topology, const std::vector<int>& site_of_node);

/// What a schedule is to be built for.
struct Request {
  Topology topology;
  int root = 0;
  std::optional<std::int64_t> bytes = {};

  Call call() const { return {.topology = topology, .root = root, .bytes = bytes.value_or(0)}; }
};

/// Also takes --root R, and --bytes N of the message that is cut.
Request take_request(Arguments& arguments, std::string_view command, std::int64_t ranks_max);

}  // namespace suiro::tools
