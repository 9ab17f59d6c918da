// SPDX-License-Identifier: BSD-3-Clause
// What a rank keeps at thousands of ranks, 64 on a node, and how long the making of it takes:
//
//     ./dev build release suiro_footprint && ./dev run suiro_footprint [--json]
//
// Of communicators what suiro knows of them before anything but native runs, with an MPI underneath
// that tells how large they are and no more. Of a decision what is kept of a trial. Of a choice
// that is not native the schedule, as the executor keeps it: of this rank, for one root and size.
// Of suiro's transport a peer that was never talked to, and a connection over loopback, its half at
// one end.
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "../net/pair.hpp"
#include "algorithms/catalog.hpp"
#include "execute/executor.hpp"
#include "mpi/decide/communicators.hpp"
#include "mpi/job/job.hpp"

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

struct Output {
  bool json = false;
  int ranks = 0;  // 0: of any job
} output;

void print(const std::string& what, double bytes, double seconds) {
  if (!output.json) {
    std::printf("  %-40s %9.1f KiB %9.3f ms\n", what.c_str(), bytes / 1024, 1e3 * seconds);
    return;
  }
  std::printf(R"({"what": "%s", "ranks": %d, "ppn": %d, "bytes": %.0f, "seconds": %.9f})"
              "\n",
              what.c_str(), output.ranks, ppn, bytes, seconds);
}

/// What is in use more at the end than at the beginning, and the time between, for one of `count`.
class Measured {
 public:
  explicit Measured(std::string what, int count = 1) : what_(std::move(what)), count_(count) {}
  ~Measured() {
    const std::chrono::duration<double> took = Clock::now() - begin_;
    const auto bytes = static_cast<double>(kept_bytes()) - static_cast<double>(before_);
    print(what_, bytes / count_, took.count() / count_);
  }
  Measured(const Measured&) = delete;
  Measured& operator=(const Measured&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  std::string what_;
  int count_;
  std::size_t before_ = kept_bytes();
  Clock::time_point begin_ = Clock::now();
};

/// Handles of communicators that the MPI underneath has: of all ranks, and of all but the last.
constexpr MPI_Comm alike[] = {1, 2};
constexpr MPI_Comm otherwise = 3;

void pretend_mpi() {
  mpi::real.Comm_create_keyval = [](auto...) { return MPI_SUCCESS; };
  mpi::real.Comm_set_attr = [](auto...) { return MPI_SUCCESS; };
  mpi::real.Comm_test_inter = [](MPI_Comm, int* flag) { return *flag = 0, MPI_SUCCESS; };
  mpi::real.Comm_rank = [](MPI_Comm, int* rank) { return *rank = 0, MPI_SUCCESS; };
  mpi::real.Comm_size = [](MPI_Comm communicator, int* size) {
    *size = output.ranks - (communicator == otherwise ? 1 : 0);
    return MPI_SUCCESS;
  };
  mpi::real.Comm_group = [](auto...) { return MPI_SUCCESS; };
  mpi::real.Group_free = [](auto...) { return MPI_SUCCESS; };
  mpi::real.Group_translate_ranks = [](MPI_Group, int count, const int* ranks, MPI_Group,
                                       int* found) {
    std::copy_n(ranks, count, found);
    return MPI_SUCCESS;
  };
}

/// Known, and every collective has been called on it.
void use(MPI_Comm communicator) {
  mpi::Communicator& known = mpi::communicators.adopt(communicator);
  for (const Collective& collective : collectives()) known.plan(collective);
}

void measure_communicators(int nodes) {
  mpi::job.chooser =
      std::make_unique<Chooser>(Surroundings{.mpi = "openmpi", .release = 4, .tries = true});
  {
    const Measured measured("world communicator");
    std::vector<int> node_of_rank(static_cast<std::size_t>(output.ranks));
    for (int rank = 0; rank < output.ranks; ++rank)
      node_of_rank[static_cast<std::size_t>(rank)] = rank / ppn * ppn;
    const std::vector<int> links(node_of_rank.size(), 1);
    mpi::job.placement = mpi::Placement(std::move(node_of_rank), {}, links);
    use(MPI_COMM_WORLD);
  }
  use(alike[0]);  // what those that are placed alike share
  {
    const Measured measured("further communicator, placed alike");
    use(alike[1]);
  }
  {
    const Measured measured("further communicator, placed otherwise");
    use(otherwise);
  }
  const Topology topology = Topology::block(nodes, ppn);
  const Measured measured("decision that calls have shown");
  mpi::job.chooser->learn(*find_collective("bcast"), topology, bytes,
                          {.algorithm = "chain", .parameters = {}, .reason = "tried"});
}

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
  {
    const Measured measured("transport: peer that was never talked to", strangers);
    net::Name name = own.endpoint.name();
    for (int i = 0; i < strangers; ++i) {
      std::memcpy(name.nonce.data(), &i, sizeof i);
      own.endpoint.peer(name);
    }
  }
  const Measured measured("transport: end of a connection", 2 * others);
  const std::vector<std::uint8_t> message(8);
  std::vector<std::uint8_t> place(8);
  for (const auto& process : processes) {
    process->receive(1, place);
    own.send(own.endpoint.peer(process->endpoint.name()), 1, message);
    process->wait(1);
  }
  own.wait(others);
}

/// In a process of its own, where nothing is left of what was measured before.
template <class What>
void alone(What what) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    what();
    std::fflush(stdout);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
}

void measure_all() {
  for (const int nodes : {16, 64, 256}) {
    output.ranks = nodes * ppn;
    if (!output.json) std::printf("%d ranks on %d nodes\n", output.ranks, nodes);
    alone([&] { measure_communicators(nodes); });
    alone([&] {
      const Topology topology = Topology::block(nodes, ppn);
      for (const char* name : algorithms) measure(topology, name);
    });
  }
  output.ranks = 0;
  if (!output.json) std::printf("of each\n");
  alone(measure_transport);
}

}  // namespace

int main(int count, char** words) {
  output.json = count > 1 && std::string_view(words[1]) == "--json";
  mallopt(M_ARENA_MAX, 1);  // what helper threads take is counted, too
  pretend_mpi();
  const int turns = output.json ? 9 : 1;  // who reads them takes the middle
  for (int turn = 0; turn < turns; ++turn) measure_all();
  return 0;
}
