// SPDX-License-Identifier: BSD-3-Clause
// What --explain, --trace and --check tell about this rank's calls, gathered here and sent to the
// job service, which puts the ranks together (python/suiro/run/report.py).
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "mpi/decide/communicator.hpp"
#include "mpi/watch/tolerance.hpp"

namespace suiro::mpi {

/// One intercepted call as it happened.
struct Observation {
  const Communicator& communicator;
  const Collective& collective;
  const Choice& choice;
  std::optional<std::int64_t> bytes;  // per block, or agreed on; empty while unknown
  int root = 0;                       // of a rooted collective
  double seconds = 0;
  std::optional<double> native_seconds = std::nullopt;  // when native ran too
};

/// Where suiro's result is first not native's: the offset is in the block's data, gaps of the
/// datatype left out.
struct Difference {
  int block = 0;
  Deviation deviation;
};

class Record {
 public:
  void add(const Observation& call);
  void add(const Communicator& communicator, const Collective& collective, const Choice& choice,
           const Difference& difference);

  /// Sends what was not told yet; at the end of the job.
  void finish();

 private:
  // collective, shape, log2 of the size (-1: none), algorithm, reason
  using Key = std::tuple<std::string_view, std::string, int, std::string, std::string>;
  struct Row {
    std::int64_t calls = 0;
    std::int64_t told_calls = 0;  // when it was sent last
    double seconds = 0;
    std::int64_t native_calls = 0;
    double native_seconds = 0;
    double wire_bytes = 0;  // that the busiest link must carry, over all calls
    /// Of these, by the node's label, this rank's part of what that node's links must carry: the
    /// parts of all ranks add up to what several communicators put on the same links.
    std::map<int, double> node_bytes;
  };

  void add_row(const Observation& call);
  void add_line(const Observation& call);
  void send_lines();
  void send_rows();

  std::mutex mutex_;
  std::map<Key, Row> rows_;
  double pause_s_ = 0.5;  // between two times that rows are told
  double tell_at_s_ = 0;
  std::vector<std::string> lines_;
};
extern Record& record;

}  // namespace suiro::mpi
