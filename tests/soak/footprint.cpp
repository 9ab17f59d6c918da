// SPDX-License-Identifier: BSD-3-Clause
// What a rank keeps at thousands of ranks, 64 on a node, and how long the making of it takes:
//
//     ./dev build release suiro_footprint && ./dev run suiro_footprint
//
// Of a communicator its topology, which those that are placed alike share. Of a choice that is not
// native the schedule, as the executor keeps it: of this rank, for one root and size. Of suiro's
// transport a peer that was never talked to, and a connection over loopback, its half at one end.
#include <malloc.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "../net/pair.hpp"
#include "algorithms/catalog.hpp"
#include "execute/executor.hpp"

namespace {

using namespace suiro;

constexpr int ppn = 64;
constexpr std::int64_t bytes = 1 << 20;
constexpr std::array algorithms{
    "bcast/node_pipeline",  "bcast/shared_tree",          "reduce/shared_tree",
    "allreduce/lanes",      "allreduce/shared_leader",    "allreduce/shared_lanes",
    "allgather/lanes",      "reduce_scatter_block/lanes", "scan/linear",
    "alltoall/node_leader", "alltoall/two_level_pairwise"};

std::size_t kept_bytes() {
  const struct mallinfo2 now = mallinfo2();
  return now.uordblks + now.hblkhd;
}

/// Prints what is in use more after than before, and the time between.
class Measured {
 public:
  explicit Measured(std::string what) : what_(std::move(what)) {}
  ~Measured() {
    const std::chrono::duration<double> took = Clock::now() - begin_;
    std::printf("  %-28s %9.1f KiB %9.2f ms\n", what_.c_str(),
                static_cast<double>(kept_bytes() - before_) / 1024, 1e3 * took.count());
  }
  Measured(const Measured&) = delete;
  Measured& operator=(const Measured&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  std::string what_;
  std::size_t before_ = kept_bytes();
  Clock::time_point begin_ = Clock::now();
};

void measure(const Topology& topology, const std::string& name) {
  const std::size_t slash = name.find('/');
  const Algorithm& algorithm = *find_algorithm(name.substr(0, slash), name.substr(slash + 1));
  std::unique_ptr<Executor> kept;
  const Measured measured(name);
  const Schedule schedule = build(algorithm, Call{.topology = topology, .bytes = bytes});
  kept = std::make_unique<Executor>(schedule, topology.ranks() / 2);
}

void measure_transport() {
  constexpr int strangers = 10'000;
  constexpr int others = 16;
  const net::Settings settings = net::loopback();
  net::Process own(settings);
  std::vector<std::unique_ptr<net::Process>> processes;
  for (int i = 0; i < others; ++i) processes.push_back(std::make_unique<net::Process>(settings));
  std::printf("transport: %d peers never talked to, and %d ends of connections\n", strangers,
              2 * others);
  {
    const Measured measured("peers");
    net::Name name = own.endpoint.name();
    for (int i = 0; i < strangers; ++i) {
      std::memcpy(name.nonce.data(), &i, sizeof i);
      own.endpoint.peer(name);
    }
  }
  const Measured measured("connections");
  const std::vector<std::uint8_t> message(8);
  std::vector<std::uint8_t> place(8);
  for (const auto& process : processes) {
    process->receive(1, place);
    own.send(own.endpoint.peer(process->endpoint.name()), 1, message);
    process->wait(1);
  }
  own.wait(others);
}

}  // namespace

int main() {
  mallopt(M_ARENA_MAX, 1);  // what helper threads take is counted, too
  for (const int nodes : {16, 64, 256}) {
    std::printf("%d ranks on %d nodes\n", nodes * ppn, nodes);
    std::unique_ptr<Topology> topology;
    {
      const Measured measured("topology");
      topology = std::make_unique<Topology>(Topology::block(nodes, ppn));
    }
    for (const char* name : algorithms) measure(*topology, name);
  }
  measure_transport();
  return 0;
}
