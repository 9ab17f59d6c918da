// SPDX-License-Identifier: BSD-3-Clause
#include "net/tcp/answers.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>

namespace suiro::net {

bool Answers::missing(int socket, std::int64_t now_ns, std::int64_t limit_ns) {
  tcp_info info{};
  socklen_t length = sizeof info;
  const bool asked = getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) == 0;
  // A question whether there is room is answered at once, whether there is any or not.
  if (!asked || (info.tcpi_unacked == 0 && info.tcpi_probes == 0)) {
    since_ns_ = 0;
    return false;
  }
  if (since_ns_ == 0) since_ns_ = now_ns;
  const std::int64_t answered_ns = now_ns - info.tcpi_last_ack_recv * std::int64_t{1'000'000};
  since_ns_ = std::max(since_ns_, answered_ns);
  return now_ns - since_ns_ >= limit_ns;
}

}  // namespace suiro::net
