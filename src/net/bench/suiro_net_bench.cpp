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

#include "net/bench/channel.hpp"
#include "net/links.hpp"
#include "net/tcp.hpp"

namespace suiro::net::bench {
namespace {

struct Options {
  std::vector<std::size_t> sizes{1, 1024, 49152, 1 << 20, 16 << 20};
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

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[values.size() / 2];
}

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Of all threads.
double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

class Bench {
 public:
  Bench(int agreement, bool first, std::size_t most_bytes)
      : agreement_(agreement), first_(first), data_(std::max<std::size_t>(most_bytes, 1)) {}

  double half_round_trip(Channel& channel, std::size_t bytes, int count) {
    meet(agreement_);
    const double begin = now();
    for (int i = 0; i < count; ++i) {
      if (first_) channel.send(data_.data(), bytes);
      channel.receive(data_.data(), bytes);
      if (!first_) channel.send(data_.data(), bytes);
    }
    return (now() - begin) / (2 * count);
  }

  /// The first receives `count` messages and answers the last with a short one.
  double receiver_cpu(Channel& channel, std::size_t bytes, int count) {
    meet(agreement_);
    const double begin = cpu_seconds();
    for (int i = 0; i < count; ++i) {
      if (first_)
        channel.receive(data_.data(), bytes);
      else
        channel.send(data_.data(), bytes);
    }
    return (cpu_seconds() - begin) / count;
  }

  /// How long the first still waits for a message that came while it computed.
  double wait_after_computing(Channel& channel, std::size_t bytes, double computing_seconds) {
    if (first_) channel.begin_receive(data_.data(), bytes);
    meet(agreement_);
    if (!first_) {
      channel.send(data_.data(), bytes);
      return 0;
    }
    const double begin = now();
    while (now() - begin < computing_seconds) {
    }
    const double computed = now();
    channel.finish();
    return now() - computed;
  }

 private:
  int agreement_;
  bool first_;
  std::vector<std::byte> data_;
};

int count_for(std::size_t bytes) {
  return static_cast<int>(
      std::clamp<std::size_t>((std::size_t{48} << 20) / (bytes + 4096), 8, 4000));
}

void measure(Bench& bench, Channel& channel, std::size_t bytes, Measured& measured) {
  const int count = count_for(bytes);
  const Statistics before = channel.statistics();
  measured.seconds.push_back(bench.half_round_trip(channel, bytes, count));
  const Statistics after = channel.statistics();
  measured.messages = 2 * count;
  measured.spent.system_calls = after.system_calls - before.system_calls;
  measured.spent.helper_wakeups = after.helper_wakeups - before.helper_wakeups;
  measured.cpu_seconds.push_back(bench.receiver_cpu(channel, bytes, count));
  const double computing = 0.02 + 4 * measured.seconds.back();
  measured.wait_seconds.push_back(bench.wait_after_computing(channel, bytes, computing));
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
  const auto links = usable_links(settings.networks);
  const auto raw = raw_channel(links.front().address, agreement, options.waiting, first);
  const auto engine = engine_channel(settings, agreement, options.waiting);
  Bench bench(agreement, first, std::ranges::max(options.sizes));
  if (first && !options.json)
    std::cout
        << "    bytes  half trip  /raw   Gbit/s  receiver's /raw   wait after  system   helper\n"
           "                    us                   CPU us        computing us calls   wakes\n";
  for (const std::size_t bytes : options.sizes) {
    Measured of_raw;
    Measured of_engine;
    bench.half_round_trip(*engine, bytes, 4);
    bench.half_round_trip(*raw, bytes, 4);
    for (int i = 0; i < options.repetitions; ++i) {
      measure(bench, *raw, bytes, of_raw);
      measure(bench, *engine, bytes, of_engine);
    }
    if (first) print(options, bytes, of_raw, of_engine);
  }
  meet(agreement);
}

std::vector<std::size_t> read_sizes(std::string_view text) {
  std::vector<std::size_t> sizes;
  const char* next = text.data();
  const char* const end = text.data() + text.size();
  while (next < end) {
    std::size_t size = 0;
    const auto [rest, error] = std::from_chars(next, end, size);
    if (error != std::errc() || (rest != end && *rest != ',') || size > std::size_t{1} << 30)
      throw std::runtime_error("--sizes: expected bytes, with commas between, up to 1 GB");
    sizes.push_back(size);
    next = rest + 1;
  }
  if (sizes.empty()) throw std::runtime_error("--sizes: expected at least one");
  return sizes;
}

constexpr const char* usage =
    "usage: suiro-net-bench [--sizes BYTES,...] [--repeat N] [--sleep] [--json]\n"
    "                       [--peer-namespace NAME [--peer-networks NETWORKS]]\n"
    "Measures suiro's transport against TCP with blocking calls. SUIRO_NET* choose the back end "
    "and\n"
    "the networks, SUIRO_NET_SHARED_MEMORY=off leaves shared memory out.\n"
    "  --sleep           wait in the kernel, not by polling\n"
    "  --peer-namespace  the other process runs in this network namespace (ip netns), where\n"
    "                    --peer-networks are its networks\n";

Options read_options(int count, char** words) {
  const option known[] = {{"sizes", required_argument, nullptr, 's'},
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
        options.sizes = read_sizes(value);
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
