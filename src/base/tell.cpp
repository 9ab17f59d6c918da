// SPDX-License-Identifier: BSD-3-Clause
#include "base/tell.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <string>

namespace suiro {
namespace {

constexpr int patience_ms = 1000;  // with a reader that takes nothing

/// Holds back what a failing write would end the program with, and takes it away.
class Unharmed {
 public:
  Unharmed() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGPIPE);
    sigaddset(&signals_, SIGXFSZ);
    sigset_t waiting;
    sigpending(&waiting);
    for (const int signal : {SIGPIPE, SIGXFSZ}) {
      if (sigismember(&waiting, signal) == 1) sigdelset(&signals_, signal);  // the program's own
    }
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  }
  ~Unharmed() {
    const timespec at_once{};
    while (sigtimedwait(&signals_, nullptr, &at_once) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error_;
  }
  Unharmed(const Unharmed&) = delete;
  Unharmed& operator=(const Unharmed&) = delete;

 private:
  const int error_ = errno;
  sigset_t signals_{};
  sigset_t before_{};
};

bool comes_free() {
  pollfd waiting{STDERR_FILENO, POLLOUT, 0};
  return poll(&waiting, 1, patience_ms) > 0;
}

}  // namespace

bool can_tell() {
  static const bool open = fcntl(STDERR_FILENO, F_GETFD) != -1;
  return open;
}

void tell(std::string_view text) {
  if (!can_tell()) return;
  const Unharmed unharmed;
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR && (errno != EAGAIN || !comes_free())) {
      return;
    }
  }
}

void say(std::string_view message) { tell("suiro: " + std::string(message) + "\n"); }

}  // namespace suiro
