// SPDX-License-Identifier: BSD-3-Clause
// suiro-net-bench: the engine against TCP alone, between two processes, in one run and turn by
// turn, both waiting in the same way. Half round trips, processor time per received byte, and how
// much of a transfer is hidden behind computation.
#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <getopt.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/sockets.hpp"
#include "host/links.hpp"
#include "net/bench/channel.hpp"
#include "net/bench/connections.hpp"
#include "net/bench/exercise.hpp"

namespace suiro::net::bench {
namespace {

constexpr std::size_t bytes_max = std::size_t{1} << 30;
constexpr std::size_t connections_max = 20'000;  // ports are few

struct Options {
  std::vector<std::size_t> sizes{1, 1024, 49152, 1 << 20, 16 << 20};
  std::vector<std::size_t> connections;
  int repetitions = 7;
  Waiting waiting = Waiting::polling;
  std::string peer_namespace;
  std::string peer_networks;
  bool json = false;
};

struct Measured {
  std::vector<double> seconds;       // of half a round trip
  std::vector<double> cpu_seconds;   // of the receiver, per message
  std::vector<double> wait_seconds;  // for a message that came during computation
  Statistics spent;                  // by the messages of the last repetition of `seconds`
  int messages = 0;                  // of them
};

void measure(Exercise& exercise, Channel& channel, std::size_t bytes, Measured& measured) {
  const int count = count_for(bytes);
  const Statistics before = channel.statistics();
  measured.seconds.push_back(exercise.half_round_trip(channel, bytes, count));
  const Statistics after = channel.statistics();
  measured.messages = 2 * count;
  measured.spent.system_calls = after.system_calls - before.system_calls;
  measured.spent.helper_wakeups = after.helper_wakeups - before.helper_wakeups;
  measured.cpu_seconds.push_back(exercise.receiver_cpu(channel, bytes, count));
  const double computing = 0.02 + 4 * measured.seconds.back();
  measured.wait_seconds.push_back(exercise.wait_after_computing(channel, bytes, computing));
}

void print(const Options& options, std::size_t bytes, const Measured& raw, const Measured& engine) {
  const double seconds = median(engine.seconds);
  const double cpu = median(engine.cpu_seconds);
  const double wait = median(engine.wait_seconds);
  const double calls = static_cast<double>(engine.spent.system_calls) / engine.messages;
  const double wakeups = static_cast<double>(engine.spent.helper_wakeups) / engine.messages;
  const double time_ratio = seconds / median(raw.seconds);
  const double cpu_ratio = cpu / median(raw.cpu_seconds);
  if (options.json) {
    std::cout << fmt::format(
        R"({{"bytes": {}, "half_round_trip_us": {:.3f}, "raw_half_round_trip_us": {:.3f}, )"
        R"("receiver_cpu_us": {:.3f}, "raw_receiver_cpu_us": {:.3f}, "wait_after_computing_us": )"
        R"({:.3f}, "system_calls_per_message": {:.3f}, "helper_wakeups_per_message": {:.5f}, )"
        R"("repetitions": {}}})",
        bytes, seconds * 1e6, median(raw.seconds) * 1e6, cpu * 1e6, median(raw.cpu_seconds) * 1e6,
        wait * 1e6, calls, wakeups, options.repetitions);
  } else {
    std::cout << fmt::format(
        "{:>9} {:>10.2f} {:>6.2f} {:>8.2f} {:>10.2f} {:>6.2f} {:>10.2f} {:>8.2f} {:>8.4f}", bytes,
        seconds * 1e6, time_ratio, static_cast<double>(bytes) * 8e-9 / seconds, cpu * 1e6,
        cpu_ratio, wait * 1e6, calls, wakeups);
  }
  std::cout << std::endl;
}

/// What both processes do; only the first prints.
void run(const Options& options, int agreement, bool first) {
  Settings settings = settings_from_environment();
  if (!first && !options.peer_networks.empty()) settings.networks = {options.peer_networks};
  if (!options.connections.empty()) {
    settings.shared_memory = false;
    return compare_connections({.connections = options.connections,
                                .sizes = options.sizes,
                                .repetitions = options.repetitions,
                                .waiting = options.waiting,
                                .json = options.json},
                               settings, agreement, first);
  }
  const auto links = host::usable_links(settings.networks);
  const auto raw = raw_channel(links.front().address, agreement, options.waiting, first);
  const auto engine = engine_channel(settings, agreement, options.waiting);
  Exercise exercise(agreement, first, std::ranges::max(options.sizes));
  if (first && !options.json)
    std::cout
        << "    bytes  half trip  /raw   Gbit/s  receiver's /raw   wait after  system   helper\n"
           "                    us                   CPU us        computing us calls   wakes\n";
  for (const std::size_t bytes : options.sizes) {
    Measured of_raw;
    Measured of_engine;
    exercise.half_round_trip(*engine, bytes, 4);
    exercise.half_round_trip(*raw, bytes, 4);
    for (int i = 0; i < options.repetitions; ++i) {
      measure(exercise, *raw, bytes, of_raw);
      measure(exercise, *engine, bytes, of_engine);
    }
    if (first) print(options, bytes, of_raw, of_engine);
  }
  meet(agreement);
}

std::vector<std::size_t> read_numbers(std::string_view option, std::string_view text,
                                      std::size_t most) {
  std::vector<std::size_t> numbers;
  const char* next = text.data();
  const char* const end = text.data() + text.size();
  while (next < end) {
    std::size_t number = 0;
    const auto [rest, error] = std::from_chars(next, end, number);
    if (error != std::errc() || (rest != end && *rest != ',') || number > most)
      throw std::runtime_error(
          fmt::format("{}: expected numbers up to {}, with commas between", option, most));
    numbers.push_back(number);
    next = rest + 1;
  }
  if (numbers.empty()) throw std::runtime_error(fmt::format("{}: expected a number", option));
  return numbers;
}

constexpr const char* usage =
    "usage: suiro-net-bench [--sizes BYTES,...] [--repeat N] [--sleep] [--json]\n"
    "                       [--connections N,...]\n"
    "                       [--peer-namespace NAME [--peer-networks NETWORKS]]\n"
    "Measures suiro's transport against TCP with blocking calls. SUIRO_NETS chooses the "
    "networks,\n"
    "SUIRO_NET_SHARED_MEMORY=off leaves shared memory out.\n"
    "  --sleep           wait in the kernel, not by polling\n"
    "  --connections     compare messages of one connection beside others that are idle, in all "
    "so\n"
    "                    many of each process: 1,1000,10000; each takes a descriptor twice\n"
    "  --peer-namespace  the other process runs in this network namespace (ip netns), where\n"
    "                    --peer-networks are its networks\n";

Options read_options(int count, char** words) {
  const option known[] = {{"sizes", required_argument, nullptr, 's'},
                          {"connections", required_argument, nullptr, 'c'},
                          {"repeat", required_argument, nullptr, 'r'},
                          {"sleep", no_argument, nullptr, 'w'},
                          {"peer-namespace", required_argument, nullptr, 'n'},
                          {"peer-networks", required_argument, nullptr, 'p'},
                          {"json", no_argument, nullptr, 'j'},
                          {"help", no_argument, nullptr, 'h'},
                          {}};
  Options options;
  for (int letter = 0; (letter = getopt_long(count, words, "", known, nullptr)) != -1;) {
    const std::string value = optarg == nullptr ? "" : optarg;
    switch (letter) {
      case 's':
        options.sizes = read_numbers("--sizes", value, bytes_max);
        break;
      case 'c':
        options.connections = read_numbers("--connections", value, connections_max);
        if (std::ranges::count(options.connections, 0) > 0)
          throw std::runtime_error("--connections: the measured one counts, expected at least 1");
        break;
      case 'r':
        options.repetitions = std::max(1, std::atoi(value.c_str()));
        break;
      case 'w':
        options.waiting = Waiting::sleeping;
        break;
      case 'n':
        options.peer_namespace = value;
        break;
      case 'p':
        options.peer_networks = value;
        break;
      case 'j':
        options.json = true;
        break;
      case 'h':
        std::cout << usage;
        std::exit(0);
      default:
        std::cerr << usage;
        std::exit(2);
    }
  }
  return options;
}

void enter(const std::string& name) {
  const std::string path = "/run/netns/" + name;
  const Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!descriptor || setns(descriptor.number(), CLONE_NEWNET) != 0)
    throw std::runtime_error(
        fmt::format("cannot enter network namespace {}: {}", name, stream_error(errno)));
}

int run_process(const Options& options, int agreement, bool first) {
  try {
    if (!first && !options.peer_namespace.empty()) enter(options.peer_namespace);
    run(options, agreement, first);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "suiro-net-bench: " << error.what() << '\n';
    return 1;
  }
}

}  // namespace
}  // namespace suiro::net::bench

int main(int count, char** words) {
  using namespace suiro::net::bench;
  Options options;
  try {
    options = read_options(count, words);
  } catch (const std::exception& error) {
    std::cerr << "suiro-net-bench: " << error.what() << '\n';
    return 2;
  }
  int agreement[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, agreement) != 0) return 1;
  const pid_t child = fork();
  close(agreement[child == 0 ? 0 : 1]);
  if (child == 0) _exit(run_process(options, agreement[1], false));
  const int result = run_process(options, agreement[0], true);
  close(agreement[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return result != 0 || status != 0 ? 1 : 0;
}
