// SPDX-License-Identifier: BSD-3-Clause
#include "net/tcp/sockets.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "base/sockets.hpp"

namespace suiro::net {
namespace {

constexpr int backlog = 4096;   // a thousand ranks may connect at once
constexpr int port_tries = 64;  // until a port is free on every rail
constexpr int keepalive_probes = 3;
constexpr int rto_max_option = 44;  // TCP_RTO_MAX_MS, which older headers lack

sockaddr_in socket_address(std::uint32_t address, std::uint16_t port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_addr.s_addr = address;
  result.sin_port = htons(port);
  return result;
}

Descriptor stream_socket() {
  return Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

void set_option(int socket, int level, int option, int value) {
  // Options make streams faster or failures earlier; without one of them they still work.
  (void)setsockopt(socket, level, option, &value, sizeof value);
}

/// A socket bound to the address; `port` 0: any, which is then told. None: the port is taken.
Descriptor bind_to(const host::Link& link, std::uint16_t& port) {
  Descriptor socket = stream_socket();
  auto address = socket_address(link.address, port);
  socklen_t length = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (socket && bind(socket.number(), generic, length) == 0 &&
      listen(socket.number(), backlog) == 0 &&
      getsockname(socket.number(), generic, &length) == 0) {
    port = ntohs(address.sin_port);
    return socket;
  }
  if (socket && errno == EADDRINUSE && port != 0) return {};
  throw std::runtime_error(fmt::format("cannot listen on {} ({}): {}", host::dotted(link.address),
                                       link.interface, stream_error(errno)));
}

/// For the kernel, to look at a list of pieces costs more than for us to put short ones together.
constexpr std::size_t joined_bytes_max = 256;

ssize_t send_joined(int socket, std::span<const iovec> pieces) {
  std::array<std::byte, joined_bytes_max> joined;
  std::size_t bytes = 0;
  for (const iovec& piece : pieces) {
    if (piece.iov_len > 0) std::memcpy(joined.data() + bytes, piece.iov_base, piece.iov_len);
    bytes += piece.iov_len;
  }
  return send(socket, joined.data(), bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
}

}  // namespace

Listeners listen_on(const std::vector<host::Link>& links) {
  for (int attempt = 0; attempt < port_tries; ++attempt) {
    Listeners listeners;
    for (const host::Link& link : links) {
      Descriptor socket = bind_to(link, listeners.port);
      if (!socket) break;
      listeners.sockets.push_back(std::move(socket));
    }
    if (listeners.sockets.size() == links.size()) return listeners;
  }
  throw std::runtime_error(
      fmt::format("no port is free on all of {} addresses, in {} tries; are ephemeral ports used "
                  "up? (sysctl net.ipv4.ip_local_port_range)",
                  links.size(), port_tries));
}

Descriptor connect_from(std::uint32_t own, std::uint32_t peer, std::uint16_t port) {
  Descriptor socket = stream_socket();
  if (!socket) return socket;
  // The port is chosen when connecting, so that it need only be free towards this peer.
  set_option(socket.number(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1);
  const auto source = socket_address(own, 0);
  const auto target = socket_address(peer, port);
  const bool begun =
      bind(socket.number(), reinterpret_cast<const sockaddr*>(&source), sizeof source) == 0 &&
      (connect(socket.number(), reinterpret_cast<const sockaddr*>(&target), sizeof target) == 0 ||
       errno == EINPROGRESS);
  if (begun) return socket;
  const int error = errno;
  socket.close();
  errno = error;
  return socket;
}

int connect_result(int socket) {
  int error = 0;
  socklen_t length = sizeof error;
  return getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno;
}

void prepare_stream(int socket, const Settings& settings) {
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  // A host that is gone is noticed by the side that writes (tcp/answers.hpp), and by the side that
  // only reads (probes).
  const auto timeout_ms = static_cast<int>(settings.peer_timeout_ns / 1'000'000);
  const int probe_s = std::max(1, timeout_ms / 1000 / (2 * keepalive_probes));
  const int idle_s = std::max(1, timeout_ms / 1000 / 2);
  // The kernel sends again, and asks for room, at least so often. Before Linux 6.15 it may wait for
  // two minutes: then a host that dies while its process is stopped is noticed late.
  set_option(socket, IPPROTO_TCP, rto_max_option, std::clamp(timeout_ms / 4, 1000, 120'000));
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, idle_s);
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, probe_s);
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, keepalive_probes);
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
}

void prepare_bulk(int socket, const Settings& settings) {
  if (settings.bulk_buffer_bytes == 0) return;
  set_option(socket, SOL_SOCKET, SO_SNDBUF, settings.bulk_buffer_bytes);
  set_option(socket, SOL_SOCKET, SO_RCVBUF, settings.bulk_buffer_bytes);
}

std::ptrdiff_t send_to(int socket, std::span<const iovec> bytes) {
  std::size_t total = 0;
  for (const iovec& piece : bytes) total += piece.iov_len;
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(bytes.data());
  message.msg_iovlen = std::min<std::size_t>(bytes.size(), IOV_MAX);
  const ssize_t sent = total <= joined_bytes_max
                           ? send_joined(socket, bytes)
                           : sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent >= 0) return sent;
  return errno == EAGAIN ? 0 : -errno;
}

}  // namespace suiro::net
