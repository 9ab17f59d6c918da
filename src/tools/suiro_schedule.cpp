// SPDX-License-Identifier: BSD-3-Clause
// suiro-schedule: the catalog, proofs and printed schedules as a command. The `suiro` command draws
// its tables from the JSON that this prints.
#include <cstdio>
#include <exception>
#include <string>
#include <utility>

#include "tools/arguments.hpp"

namespace suiro::tools {

namespace {

constexpr const char* usage =
    "usage: suiro-schedule algorithms [--json | --markdown] [COLLECTIVE | ALGORITHM]\n"
    "       suiro-schedule collectives [--json]\n"
    "       suiro-schedule bound COLLECTIVE SHAPE [--bytes N]\n"
    "       suiro-schedule native COLLECTIVE SHAPE --mpi NAME --release N[.M]\n"
    "                           --sizes N,N,... [--root R]\n"
    "       suiro-schedule choose COLLECTIVE SHAPE --sizes N,N,... [--mpi NAME --release N[.M]]\n"
    "                           [--rules FILE] [--network FILE] [--link-Bps N]\n"
    "                           [--startup-ns N] [--processors N] [--tries] [--lessons FILE]\n"
    "                           [--outlook]\n"
    "       suiro-schedule verify [--json] [--max-ranks N] [COLLECTIVE | ALGORITHM | FILE]\n"
    "       suiro-schedule show ALGORITHM SHAPE [--root R] [--bytes N] | FILE\n"
    "                           [--json [--rounds FIRST-LAST]]\n"
    "       suiro-schedule predict ALGORITHM SHAPE [--root R] [--bytes N --goodput-Bps N] "
    "[--json]\n"
    "       suiro-schedule rules FILE\n"
    "       suiro-schedule sim ALGORITHM... SHAPE --sizes N,N,... [--network FILE] [--root R]\n"
    "                           [--transfers] [--schedules]\n"
    "ALGORITHM is a name such as bcast/pipeline, or ring for alltoall/ring; for show, predict and\n"
    "sim also with parameters: linear_capped:cap=4. --bytes are those of the message. FILE is a "
    "printed schedule, or - for standard input.\n"
    "SHAPE is --nodes N --ppn P or --shape RANKS,RANKS,... (the ranks of each node), both with\n"
    "--order block|round_robin; or --node-of-rank NODE,NODE,...\n"
    "Exit code: 0, 1 when a proof failed, 2 when the input was wrong.\n";

int run(int count, char** values) {
  const std::string command = count > 0 ? values[0] : "";
  if (command == "--help" || command == "-h") {
    std::fputs(usage, stdout);
    return 0;
  }
  Arguments arguments(count > 0 ? count - 1 : 0, values + 1);
  if (command == "algorithms") return algorithms_command(std::move(arguments));
  if (command == "bound") return bound_command(std::move(arguments));
  if (command == "choose") return choose_command(std::move(arguments));
  if (command == "collectives") return collectives_command(std::move(arguments));
  if (command == "native") return native_command(std::move(arguments));
  if (command == "predict") return predict_command(std::move(arguments));
  if (command == "show") return show_command(std::move(arguments));
  if (command == "rules") return rules_command(std::move(arguments));
  if (command == "sim") return sim_command(std::move(arguments));
  if (command == "verify") return verify_command(std::move(arguments));
  throw UsageError(command.empty() ? "a command is missing; try suiro-schedule --help"
                                   : "unknown command '" + command +
                                         "'; there are algorithms, bound, choose, collectives, "
                                         "native, predict, rules, show, sim and verify");
}

}  // namespace

}  // namespace suiro::tools

int main(int argc, char** argv) {
  try {
    const int code = suiro::tools::run(argc - 1, argv + 1);
    if (std::fflush(stdout) == 0) return code;
    std::perror("suiro-schedule: cannot write");
    return 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "suiro-schedule: %s\n", error.what());
    return 2;
  }
}
