// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/watch/record.hpp"

#include <time.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

#include "base/tell.hpp"
#include "mpi/job/job.hpp"
#include "mpi/underneath/elapsed.hpp"
#include "mpi/underneath/usual_arithmetic.hpp"

namespace suiro::mpi {

// Never destroyed, as the job is not.
Record& record = *new Record;

namespace {

// Lines of a trace that travel together.
constexpr std::size_t batch_lines = 200;

// A rank tells its rows after a second, and then twice as late each time. So half of a job that is
// killed is known, what is measured is hardly disturbed, and `suiro run` can read what 10,000 ranks
// say.
constexpr double pause_max_s = 60;
constexpr double pause_s_per_rank = 0.01;

/// Seconds since 1970.
double wall_clock_s() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// -1: no size; 0: nothing; k: from 2^(k-1) to 2^k - 1 bytes.
int traced_size_class(const std::optional<std::int64_t>& bytes) {
  return bytes ? std::bit_width(static_cast<std::uint64_t>(*bytes)) : -1;
}

/// Links of every node must carry as much as the busiest.
bool has_like_nodes(const Topology& topology) {
  for (int node = 1; node < topology.nodes(); ++node) {
    if (topology.links(node) != topology.links(0)) return false;
  }
  return topology.even();
}

/// A node whose links must carry what the busiest must, and which part of that this rank tells: all
/// ranks of a call tell of the root's node, else each rank of its own. Where nodes differ, nothing.
struct NodePart {
  int node = 0;
  double of_bytes = 0;
};
NodePart node_part_of(const Observation& call) {
  const Communicator& communicator = call.communicator;
  const Topology* topology = communicator.topology();
  if (topology == nullptr || !has_like_nodes(*topology)) return {};
  const bool rooted = call.collective.rooted;
  const int rank = rooted ? call.root : communicator.rank();
  if (rank < 0 || rank >= topology->ranks()) return {};  // MPI has refused that root
  const int parts = rooted ? topology->ranks() : topology->ppn(0);
  return {job.placement.node_of(communicator.user(), rank), 1.0 / parts};
}

}  // namespace

void Record::add(const Observation& call) {
  const UsualArithmetic usual;
  const std::lock_guard lock(mutex_);
  if (job.settings.explain) add_row(call);
  if (job.settings.trace) add_line(call);
}

void Record::add_row(const Observation& call) {
  const double now = now_s();
  if (now >= tell_at_s_) {
    send_rows();
    pause_s_ = std::min(2 * pause_s_, pause_max_s);
    tell_at_s_ = now + std::max(pause_s_, pause_s_per_rank * job.placement.ranks());
  }
  Row& row = rows_[{call.collective.name, call.communicator.shape(), traced_size_class(call.bytes),
                    call.choice.algorithm, call.choice.reason}];
  ++row.calls;
  row.seconds += call.seconds;
  if (call.native_seconds) {
    ++row.native_calls;
    row.native_seconds += *call.native_seconds;
  }
  const double bytes = static_cast<double>(call.bytes.value_or(0)) * call.choice.wire_blocks;
  if (bytes == 0) return;
  row.wire_bytes += bytes;
  const NodePart part = node_part_of(call);
  if (part.of_bytes > 0) row.node_bytes[part.node] += part.of_bytes * bytes;
}

void Record::add_line(const Observation& call) {
  nlohmann::json line{{"t", wall_clock_s()},
                      {"rank", job.rank},
                      {"comm_first_rank", call.communicator.first_world_rank()},
                      {"comm_ranks", call.communicator.ranks()},
                      {"collective", call.collective.name},
                      {"bytes", nullptr},
                      {"algorithm", call.choice.algorithm},
                      {"seconds", call.seconds}};
  if (call.bytes) line["bytes"] = *call.bytes;
  lines_.push_back(text_of(line));
  if (lines_.size() >= batch_lines) send_lines();
}

void Record::send_lines() {
  if (lines_.empty()) return;
  std::string batch = "{\"trace\":[";
  for (const std::string& line : lines_) batch += (line == lines_.front() ? "" : ",") + line;
  job.service.send(batch + "]}");
  lines_.clear();
}

void Record::add(const Communicator& communicator, const Collective& collective,
                 const Choice& choice, const Difference& difference) {
  const Deviation& deviation = difference.deviation;
  nlohmann::json json{{"rank", job.rank},
                      {"collective", collective.name},
                      {"shape", communicator.shape()},
                      {"algorithm", choice.algorithm},
                      {"block", difference.block},
                      {"offset", deviation.offset}};
  if (deviation.may_be_rounding) json["may_be_rounding"] = deviation.share.value_or(0);
  const std::lock_guard lock(mutex_);
  if (job.service.send(text_of({{"difference", json}}))) return;
  say("check: " + std::string(collective.name) + " by " + choice.algorithm + " on " +
      communicator.shape() + ": rank " + std::to_string(job.rank) + ", block " +
      std::to_string(difference.block) + ", byte " + std::to_string(deviation.offset) +
      " is not what native delivers" + (deviation.may_be_rounding ? ", maybe by rounding" : ""));
}

void Record::finish() {
  const std::lock_guard lock(mutex_);
  send_lines();
  send_rows();
  rows_.clear();
}

/// All that a row is by now: it takes the place of what was told of it before.
void Record::send_rows() {
  for (auto& [key, row] : rows_) {
    if (row.told_calls == row.calls) continue;
    row.told_calls = row.calls;
    const auto& [collective, shape, size, algorithm, reason] = key;
    const nlohmann::json json{{"rank", job.rank},
                              {"collective", collective},
                              {"shape", shape},
                              {"size_class", size},
                              {"algorithm", algorithm},
                              {"reason", reason},
                              {"calls", row.calls},
                              {"seconds", row.seconds},
                              {"native_calls", row.native_calls},
                              {"native_seconds", row.native_seconds},
                              {"wire_bytes", row.wire_bytes},
                              {"node_bytes", row.node_bytes}};
    job.service.send(text_of({{"explain", json}}));
  }
}

}  // namespace suiro::mpi
