// SPDX-License-Identifier: BSD-3-Clause
// suiro-schedule show: the text form, or with --json what a picture of the schedule shows.
#include <cstdio>

#include "tools/picture.hpp"
#include "tools/schedules.hpp"
#include "tools/shape.hpp"

namespace suiro::tools {

namespace {

/// A file brings its own shape, everything else needs one.
Schedule named_schedule(const std::string& what, Arguments& arguments) {
  if (find_named(what.substr(0, what.find(':'))) == nullptr) return read_schedule(what);
  const Request request = take_request(arguments, "show", TextLimits::ranks);
  return build_named(what, request.call());
}

/// FIRST-LAST or one number; what lies beyond the schedule is no error.
RoundRange take_rounds(Arguments& arguments) {
  const auto text = arguments.take_option("--rounds");
  if (!text) return {};
  const std::size_t dash = text->find('-');
  const auto bound = [&](const std::string& part) {
    return number(part, "--rounds", 0, TextLimits::rank_rounds);
  };
  RoundRange range;
  range.first = bound(text->substr(0, dash));
  range.last = dash == std::string::npos ? range.first : bound(text->substr(dash + 1));
  if (range.last < range.first) throw UsageError("--rounds takes FIRST-LAST, not '" + *text + "'");
  return range;
}

}  // namespace

int show_command(Arguments arguments) {
  const bool json = arguments.take_flag("--json");
  const RoundRange rounds = take_rounds(arguments);
  const std::string what = arguments.take_positional().value_or("");
  const Schedule schedule = named_schedule(what, arguments);
  arguments.expect_none_left();
  if (!json && rounds != RoundRange{}) throw UsageError("--rounds goes with --json");
  const std::string text = json ? picture(schedule, rounds) : print(schedule);
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace suiro::tools
