// SPDX-License-Identifier: BSD-3-Clause
#include "base/sockets.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace suiro {

Descriptor accept_from(int listener, Descriptor& reserve) {
  const auto accept_one = [listener] {
    return Descriptor(accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  };
  Descriptor accepted = accept_one();
  if (accepted || (errno != EMFILE && errno != ENFILE)) return accepted;
  reserve.close();
  accept_one().close();
  reserve = reserve_descriptor();
  return {};
}

Descriptor reserve_descriptor() { return Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

Descriptor above_standard(Descriptor descriptor) {
  if (!descriptor || descriptor.number() > STDERR_FILENO) return descriptor;
  return Descriptor(fcntl(descriptor.number(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

void close_stream(Descriptor& socket) noexcept {
  if (!socket) return;
  (void)shutdown(socket.number(), SHUT_RDWR);
  socket.close();
}

std::string stream_error(int error) {
  switch (error) {
    case 0:
      return "closed by the peer";
    case ECONNREFUSED:
      return "connection refused: the process has ended, or a firewall answers for it";
    case ETIMEDOUT:
      return "timed out: the host is gone, or a firewall drops packets";
    case EHOSTUNREACH:
    case ENETUNREACH:
      return "no route to the host; SUIRO_NETS chooses networks that all hosts share";
    case ECONNRESET:
    case EPIPE:
      return "connection reset: the process has ended";
    case EMFILE:
    case ENFILE:
      return "no file descriptor is left; raise the limit (ulimit -n), a rank needs up to two for "
             "every rank and rail that it talks to";
    default:
      return std::system_category().message(error);
  }
}

void raise_descriptor_limit() noexcept {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace suiro
