// SPDX-License-Identifier: BSD-3-Clause
// suiro-switch CONFIG.json: a switch and its links on TAP devices; docs/lab-switch.md is its
// manual.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "switch/switch_loop.hpp"

namespace {

volatile std::sig_atomic_t stop = 0;

void request_stop(int) { stop = 1; }

/// Lets the two signals that end the switch through only while it waits; returns the mask for that.
sigset_t catch_signals() {
  struct sigaction action {};
  action.sa_handler = request_stop;
  sigset_t blocked;
  sigemptyset(&blocked);
  for (const int signal : {SIGTERM, SIGINT}) {
    sigaction(signal, &action, nullptr);
    sigaddset(&blocked, signal);
  }
  sigset_t before;
  sigprocmask(SIG_BLOCK, &blocked, &before);
  sigdelset(&before, SIGTERM);
  sigdelset(&before, SIGINT);
  return before;
}

std::string read_file(const char* path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw suiro::SwitchError(fmt::format("{}: cannot be read", path));
  return text.str();
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count != 2) {
    fmt::print(stderr, "usage: suiro-switch CONFIG.json\n");
    return 2;
  }
  try {
    const suiro::SwitchConfig config = suiro::parse_config(read_file(arguments[1]));
    const sigset_t while_waiting = catch_signals();
    suiro::SwitchLoop loop(config);
    fmt::print("ready\n");
    std::fflush(stdout);
    loop.run(stop, while_waiting);
    return 0;
  } catch (const suiro::ConfigError& error) {
    fmt::print(stderr, "suiro-switch: {}: {}\n", arguments[1], error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "suiro-switch: {}\n", error.what());
    return 1;
  }
}
