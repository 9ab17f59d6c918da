// SPDX-License-Identifier: BSD-3-Clause
#include "net/bench/connections.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <iostream>
#include <string>

#include "host/links.hpp"
#include "net/bench/exercise.hpp"
#include "net/bench/silent_peers.hpp"

namespace suiro::net::bench {
namespace {

constexpr int warm_up = 30;  // messages, after the others have had their turn

struct Line {
  std::size_t connections = 0;
  std::unique_ptr<Channel> channel;
  double resident_bytes = 0;         // of this process, for each connection
  std::vector<double> seconds;       // of half a round trip
  std::vector<double> ratios;        // to the first line's in the same turn
  std::vector<double> system_calls;  // per message
};

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  std::size_t resident = 0;
  file >> pages >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// The silent ones are there before the two who are measured meet.
Line make_line(std::size_t connections, const ConnectionsOptions& options, const Settings& settings,
               int agreement, SilentProcess& silent) {
  Line line;
  line.connections = connections;
  line.channel = engine_channel(settings, agreement, options.waiting);
  const double before = resident_bytes();
  silent.join(line.channel->other(), static_cast<int>(connections) - 1);
  meet(agreement);
  if (connections > 1)
    line.resident_bytes = (resident_bytes() - before) / static_cast<double>(connections - 1);
  return line;
}

void take_turn(Line& line, Exercise& exercise, std::size_t bytes) {
  exercise.half_round_trip(*line.channel, bytes, warm_up);
  const int count = count_for(bytes);
  const Statistics before = line.channel->statistics();
  line.seconds.push_back(exercise.half_round_trip(*line.channel, bytes, count));
  const auto calls = line.channel->statistics().system_calls - before.system_calls;
  line.system_calls.push_back(static_cast<double>(calls) / (2 * count));
}

double quantile(std::vector<double> values, double part) {
  std::ranges::sort(values);
  const auto place = std::lround(part * static_cast<double>(values.size() - 1));
  return values[static_cast<std::size_t>(place)];
}

void print(const Line& line, std::size_t bytes, bool json) {
  const double microseconds = median(line.seconds) * 1e6;
  const double ratio = median(line.ratios);
  const double lower = quantile(line.ratios, 0.25);
  const double upper = quantile(line.ratios, 0.75);
  const double calls = median(line.system_calls);
  const auto values = fmt::make_format_args(bytes, line.connections, microseconds, ratio, lower,
                                            upper, calls, line.resident_bytes);
  const std::string_view format =
      json ? R"({{"bytes": {}, "connections": {}, "half_round_trip_us": {:.3f}, "ratio": {:.4f}, )"
             R"("ratio_quartiles": [{:.4f}, {:.4f}], "system_calls_per_message": {:.3f}, )"
             R"("resident_bytes": {:.0f}}})"
           : "{:>9} {:>12} {:>10.2f} {:>7.3f}  [{:.3f}, {:.3f}] {:>8.2f} {:>9.0f}";
  std::cout << fmt::vformat(format, values) << std::endl;
}

}  // namespace

void compare_connections(const ConnectionsOptions& options, const Settings& settings, int agreement,
                         bool first) {
  const auto links = host::usable_links(settings.networks);
  SilentProcess silent(settings, links.front().address);
  std::vector<Line> lines;
  for (const std::size_t connections : options.connections)
    lines.push_back(make_line(connections, options, settings, agreement, silent));
  Exercise exercise(agreement, first, std::ranges::max(options.sizes));
  if (first && !options.json)
    std::cout << "    bytes  connections  half trip   ratio     quartiles     system  bytes per\n"
                 "                           us     to first                 calls connection\n";
  for (const std::size_t bytes : options.sizes) {
    for (Line& line : lines) line.seconds = line.ratios = line.system_calls = {};
    for (int turn = 0; turn < options.repetitions; ++turn) {
      for (std::size_t i = 0; i < lines.size(); ++i)
        take_turn(lines[(i + static_cast<std::size_t>(turn)) % lines.size()], exercise, bytes);
      for (Line& line : lines)
        line.ratios.push_back(line.seconds.back() / lines.front().seconds.back());
    }
    for (const Line& line : lines)
      if (first) print(line, bytes, options.json);
  }
  meet(agreement);
}

}  // namespace suiro::net::bench
