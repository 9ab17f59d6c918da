// SPDX-License-Identifier: BSD-3-Clause
// suiro-schedule native: which algorithm an MPI library runs, in the catalog's words.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "choose/native.hpp"
#include "tools/shape.hpp"

namespace suiro::tools {

namespace {

using Json = nlohmann::ordered_json;

Json native_json(const std::optional<Native>& native, const NativeCall& call) {
  if (!native) return nullptr;
  return {{"said", native->said},
          {"algorithm", native->algorithm},
          {"parameters", native->parameters},
          {"moves_the_same", moves_the_same(*native, call)}};
}

}  // namespace

int native_command(Arguments arguments) {
  constexpr std::int64_t ranks_max = 1 << 18;
  const std::string mpi = arguments.take_option("--mpi").value_or("");
  const auto [release, minor] = arguments.take_release();
  const std::vector<std::int64_t> sizes = arguments.take_sizes("native");
  const Request request = take_request(arguments, "native", ranks_max);
  const Collective& collective = arguments.take_collective();
  arguments.expect_none_left();
  Json rows = Json::array();
  for (const std::int64_t bytes : sizes) {
    const NativeCall call{collective, request.topology, request.root, bytes};
    rows.push_back(native_json(native_of({mpi, release, minor}, call), call));
  }
  std::fputs((Json{{"native", rows}}.dump(1) + "\n").c_str(), stdout);
  return 0;
}

}  // namespace suiro::tools
