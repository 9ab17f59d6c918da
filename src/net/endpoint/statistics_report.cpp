// SPDX-License-Identifier: BSD-3-Clause
#include "net/endpoint/statistics_report.hpp"

#include <errno.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "host/launcher.hpp"
#include "host/links.hpp"
#include "net/protocol/statistics.hpp"

namespace suiro::net {
namespace {

constexpr const char* shared_memory_name = "shared memory";

struct NamedRail {
  std::string name;
  RailStatistics counts;
};

/// The rails that the process has, and shared memory if it was used.
std::vector<NamedRail> rails_of(const Reporter& reporter, const Statistics& statistics) {
  std::vector<NamedRail> rails;
  for (std::size_t i = 0; i < reporter.rails.size() && i < max_rails; ++i) {
    rails.push_back({reporter.rails[i], statistics.rails[i]});
  }
  const RailStatistics& shared = statistics.rails[max_rails];
  if (shared.streams_opened > 0) rails.push_back({shared_memory_name, shared});
  return rails;
}

nlohmann::ordered_json counters(const Statistics& statistics) {
  return {{"eager_sent", statistics.eager_sent},
          {"requests_sent", statistics.requests_sent},
          {"eager_bytes_sent", statistics.eager_bytes_sent},
          {"ahead_bytes_sent", statistics.ahead_bytes_sent},
          {"bulk_bytes_sent", statistics.bulk_bytes_sent},
          {"messages_received", statistics.messages_received},
          {"unexpected", statistics.unexpected},
          {"copied_bytes", statistics.copied_bytes},
          {"posted_now", statistics.posted_now},
          {"unexpected_now", statistics.unexpected_now},
          {"unexpected_bytes_now", statistics.unexpected_bytes_now},
          {"most_unexpected_bytes", statistics.most_unexpected_bytes},
          {"requests_for_lack_of_credit", statistics.requests_for_lack_of_credit},
          {"refused_streams", statistics.refused_streams},
          {"frames_sent_again", statistics.frames_sent_again},
          {"grants_given_again", statistics.grants_given_again},
          {"helper_wakeups", statistics.helper_wakeups},
          {"helper_took_over", statistics.helper_took_over},
          {"system_calls", statistics.system_calls},
          {"peers_connected", statistics.peers_connected}};
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::string_view units[] = {"B", "kB", "MB", "GB", "TB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 999.95 && unit + 1 < std::size(units); ++unit) value /= 1000;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string head_text(const Reporter& reporter) {
  const std::string rank = reporter.rank < 0 ? fmt::format("process {}", reporter.process)
                                             : fmt::format("rank {}", reporter.rank);
  return fmt::format("suiro: transport of {} on {} ({})\n", rank, reporter.host, reporter.program);
}

}  // namespace

Reporter this_process(const std::vector<host::Link>& links) {
  Reporter reporter;
  char host[256] = "";
  if (gethostname(host, sizeof host - 1) == 0) reporter.host = host;
  reporter.program = program_invocation_short_name;
  reporter.process = getpid();
  reporter.rank = host::launcher_rank();
  for (const host::Link& link : links) {
    reporter.rails.push_back(fmt::format("{} {}", link.interface, host::dotted(link.address)));
  }
  return reporter;
}

std::string to_json(const Reporter& reporter, const Statistics& statistics) {
  nlohmann::ordered_json document = {{"host", reporter.host},
                                     {"program", reporter.program},
                                     {"process", reporter.process},
                                     {"rank", reporter.rank}};
  document["counters"] = counters(statistics);
  document["rails"] = nlohmann::ordered_json::array();
  for (const NamedRail& rail : rails_of(reporter, statistics)) {
    document["rails"].push_back({{"name", rail.name},
                                 {"sent_bytes", rail.counts.sent_bytes},
                                 {"received_bytes", rail.counts.received_bytes},
                                 {"streams_opened", rail.counts.streams_opened},
                                 {"streams_lost", rail.counts.streams_lost}});
  }
  // A host or a program may have any bytes in its name.
  return document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string to_text(const Reporter& reporter, const Statistics& statistics) {
  std::string text = head_text(reporter);
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "  {:24} {:>10} {:>10} {:>8} {:>5}\n", "rail", "sent", "received", "streams",
                 "lost");
  for (const NamedRail& rail : rails_of(reporter, statistics)) {
    fmt::format_to(out, "  {:24} {:>10} {:>10} {:>8} {:>5}\n", rail.name,
                   bytes_text(rail.counts.sent_bytes), bytes_text(rail.counts.received_bytes),
                   rail.counts.streams_opened, rail.counts.streams_lost);
  }
  fmt::format_to(
      out,
      "  sent      {} short messages ({}), {} long ones ({}, {} ahead); for lack of credit {}\n",
      statistics.eager_sent, bytes_text(statistics.eager_bytes_sent), statistics.requests_sent,
      bytes_text(statistics.bulk_bytes_sent + statistics.ahead_bytes_sent),
      bytes_text(statistics.ahead_bytes_sent), statistics.requests_for_lack_of_credit);
  fmt::format_to(out, "  received  {} messages, {:.1f} % before their receive; copied {}\n",
                 statistics.messages_received,
                 percent(statistics.unexpected, statistics.messages_received),
                 bytes_text(statistics.copied_bytes));
  fmt::format_to(out, "  buffered  at most {}, now {}; unmatched now {}, receives now {}\n",
                 bytes_text(statistics.most_unexpected_bytes),
                 bytes_text(statistics.unexpected_bytes_now), statistics.unexpected_now,
                 statistics.posted_now);
  fmt::format_to(out, "  again     {} frames sent, {} grants given; refused {} streams\n",
                 statistics.frames_sent_again, statistics.grants_given_again,
                 statistics.refused_streams);
  fmt::format_to(out,
                 "  helper    woke {} times, took over {}; {} system calls; connected peers {}\n",
                 statistics.helper_wakeups, statistics.helper_took_over, statistics.system_calls,
                 statistics.peers_connected);
  return text;
}

}  // namespace suiro::net
