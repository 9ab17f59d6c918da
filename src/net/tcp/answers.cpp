// SPDX-License-Identifier: BSD-3-Clause
#include "net/tcp/answers.hpp"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>

namespace suiro::net {

/// A question whether there is room is answered at once, whether there is any or not. It is asked
/// ever more seldom, so that one that is lost says nothing for minutes.
UnderWay under_way(int socket, std::int64_t now_ns) {
  tcp_info info{};
  socklen_t length = sizeof info;
  int bytes = 0;
  const bool told = getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 &&
                    ioctl(socket, SIOCOUTQ, &bytes) == 0;
  if (!told) return {};
  return {.any = bytes > 0,
          .waits = info.tcpi_unacked > 0 || info.tcpi_probes > 1,
          .answered_ns = now_ns - info.tcpi_last_ack_recv * std::int64_t{1'000'000}};
}

bool Answers::missing(const UnderWay& it, std::int64_t now_ns, std::int64_t limit_ns) {
  if (!it.waits) {
    since_ns_ = 0;
    return false;
  }
  // Between two looks that are far apart answers may have come, and more been sent since.
  const bool was_away = now_ns - looked_ns_ >= limit_ns / 2;
  if (since_ns_ == 0 || was_away) since_ns_ = now_ns;
  looked_ns_ = now_ns;
  since_ns_ = std::max(since_ns_, it.answered_ns);
  return now_ns - since_ns_ >= limit_ns;
}

}  // namespace suiro::net
