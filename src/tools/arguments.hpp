// SPDX-License-Identifier: BSD-3-Clause
// A command line taken apart: every command takes what it knows, and what is left over is an error.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/catalog.hpp"

namespace suiro::tools {

/// The command line or a file is wrong: one line, exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Arguments {
 public:
  Arguments(int count, char** values) : values_(values, values + count) {}

  bool take_flag(std::string_view name);
  /// The value after the option; throws when there is none.
  std::optional<std::string> take_option(std::string_view name);
  std::optional<std::int64_t> take_number(std::string_view name, std::int64_t minimum,
                                          std::int64_t maximum);
  /// --sizes N,N,...: bytes. Throws when there is none.
  std::vector<std::int64_t> take_sizes(std::string_view command);
  /// --release N or N.M, of an MPI's version; 0 when there is none. A missing M is 1.
  std::pair<int, int> take_release();
  std::optional<std::string> take_positional();
  const Collective& take_collective();
  void expect_none_left() const;

 private:
  std::vector<std::string> values_;
};

std::int64_t number(std::string_view text, std::string_view what, std::int64_t minimum,
                    std::int64_t maximum);

/// "bcast/pipeline", or "ring" for "alltoall/ring"; nullptr when the catalog has none.
const Algorithm* find_named(std::string_view text);

/// The rows of a collective, of one algorithm, or of all where nothing is named. UsageError when
/// there are none.
std::span<const Algorithm> find_rows(const std::optional<std::string>& text);

/// What there is instead of `text`, for messages: "; bcast has binary, ..." where it names a
/// collective, and else the collectives.
std::string what_there_is(std::string_view text);

int algorithms_command(Arguments arguments);
int bound_command(Arguments arguments);
int choose_command(Arguments arguments);
int collectives_command(Arguments arguments);
int native_command(Arguments arguments);
int predict_command(Arguments arguments);
int show_command(Arguments arguments);
int rules_command(Arguments arguments);
int sim_command(Arguments arguments);
int verify_command(Arguments arguments);

}  // namespace suiro::tools
