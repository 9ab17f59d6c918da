// SPDX-License-Identifier: BSD-3-Clause
// TCP beside MPI: this host's address on the network that is measured, and streams between hosts.
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"

struct Port own_port(const char* name) {
  struct ifaddrs* all = NULL;
  if (getifaddrs(&all) != 0) die("cannot list the network interfaces: %s", strerror(errno));
  struct Port port = {0};
  struct ifreq request = {0};
  for (struct ifaddrs* i = all; i != NULL && port.address == 0; i = i->ifa_next) {
    if (i->ifa_addr == NULL || i->ifa_addr->sa_family != AF_INET || !(i->ifa_flags & IFF_UP))
      continue;
    if (strcmp(name, "-") == 0 ? (i->ifa_flags & IFF_LOOPBACK) != 0
                               : strcmp(name, i->ifa_name) != 0)
      continue;
    port.address = ((const struct sockaddr_in*)(const void*)i->ifa_addr)->sin_addr.s_addr;
    strncpy(request.ifr_name, i->ifa_name, sizeof request.ifr_name - 1);
  }
  freeifaddrs(all);
  if (port.address == 0) die("no network interface with an IPv4 address (asked for \"%s\")", name);
  const int socket_fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (ioctl(socket_fd, SIOCGIFMTU, &request) == 0) port.mtu = request.ifr_mtu;
  close(socket_fd);
  return port;
}

int listen_for_streams(struct Port* port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = port->address};
  socklen_t length = sizeof address;
  const int socket_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket_fd < 0 || bind(socket_fd, (const struct sockaddr*)&address, length) != 0 ||
      listen(socket_fd, SOMAXCONN) != 0 ||
      getsockname(socket_fd, (struct sockaddr*)&address, &length) != 0) {
    die("cannot listen on the network interface: %s", strerror(errno));
  }
  port->port = address.sin_port;
  return socket_fd;
}

int connect_stream(const struct Port* port) {
  const struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_addr.s_addr = port->address, .sin_port = port->port};
  const int socket_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket_fd < 0 || connect(socket_fd, (const struct sockaddr*)&address, sizeof address) != 0) {
    die("cannot connect to the other node: %s", strerror(errno));
  }
  return socket_fd;
}

int accept_stream(int listener, const struct Port* peer, double patience_s) {
  for (;;) {
    struct sockaddr_in from = {0};
    socklen_t length = sizeof from;
    struct pollfd waiting = {.fd = listener, .events = POLLIN};
    if (poll(&waiting, 1, (int)(patience_s * 1e3)) <= 0)
      die("the other node did not connect within %.0f s", patience_s);
    const int socket_fd = accept4(listener, (struct sockaddr*)&from, &length, SOCK_CLOEXEC);
    if (socket_fd >= 0 && from.sin_addr.s_addr == peer->address) return socket_fd;
    if (socket_fd >= 0) close(socket_fd);
  }
}
