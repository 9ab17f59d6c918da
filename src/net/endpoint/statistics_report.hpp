// SPDX-License-Identifier: BSD-3-Clause
// The counters of a process as others read them: JSON for `suiro top`, text for --explain.
#pragma once

#include <string>
#include <vector>

#include "host/links.hpp"
#include "net/protocol/statistics.hpp"

namespace suiro::net {

/// Whose counters they are.
struct Reporter {
  std::string host;
  std::string program;
  int process = 0;
  int rank = -1;                   // in its job; -1: not known
  std::vector<std::string> rails;  // "eth0 10.0.0.1"
};

/// This process, as system and launcher name it.
Reporter this_process(const std::vector<host::Link>& links);

/// One object, on one line.
std::string to_json(const Reporter& reporter, const Statistics& statistics);
/// A few lines, at most a screen.
std::string to_text(const Reporter& reporter, const Statistics& statistics);

}  // namespace suiro::net
