// SPDX-License-Identifier: BSD-3-Clause
#include "net/bench/silent_peers.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <iostream>
#include <stdexcept>
#include <utility>

#include "base/random.hpp"
#include "base/sockets.hpp"
#include "net/bench/channel.hpp"
#include "net/protocol/frames.hpp"
#include "net/protocol/handshake.hpp"
#include "net/tcp/sockets.hpp"

namespace suiro::net::bench {
namespace {

constexpr int answer_ms_max = 10'000;

void await(int socket, short event) {
  pollfd descriptor{socket, event, 0};
  if (::poll(&descriptor, 1, answer_ms_max) != 1)
    throw std::runtime_error("a silent peer waits in vain");
}

/// A process that nobody can reach; as it never says anything, nobody tries.
Name stranger(std::uint32_t address) {
  Name name;
  name.rails = 1;
  name.port = 1;
  name.addresses[0] = address;
  random_bytes(name.nonce);
  return name;
}

struct Order {
  Name host;
  int count = 0;
};

}  // namespace

SilentPeers::~SilentPeers() {
  Header goodbye;
  goodbye.kind = FrameKind::goodbye;
  const HeaderBytes bytes = encode(goodbye);
  for (const Descriptor& member : members_)
    (void)send(member.number(), bytes.bytes.data(), bytes.length, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void SilentPeers::join(const Name& host, int count) {
  members_.reserve(members_.size() + static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) members_.push_back(enter(host));
}

Descriptor SilentPeers::enter(const Name& host) const {
  Descriptor socket = connect_from(address_, host.addresses[0], host.port);
  if (!socket) throw std::runtime_error("a peer cannot connect: " + stream_error(errno));
  await(socket.number(), POLLOUT);
  if (const int error = connect_result(socket.number()); error != 0)
    throw std::runtime_error("a peer cannot connect: " + stream_error(error));
  prepare_stream(socket.number(), settings_);
  auto handshake = Handshake::open({.kind = StreamKind::control, .name = stranger(address_)}, host,
                                   settings_.job_secret);
  std::array<std::byte, 256> bytes;
  while (handshake.state() == Handshake::State::under_way) {
    const std::vector<std::byte> words = handshake.to_write();
    if (!words.empty() && send(socket.number(), words.data(), words.size(), MSG_NOSIGNAL) < 0)
      throw std::runtime_error("a peer cannot speak: " + stream_error(errno));
    await(socket.number(), POLLIN);
    const ssize_t count = recv(socket.number(), bytes.data(), bytes.size(), 0);
    if (count <= 0) throw std::runtime_error("a peer was turned away");
    handshake.feed(std::span(bytes).first(static_cast<std::size_t>(count)));
  }
  if (handshake.state() != Handshake::State::finished || !handshake.welcome().accepted)
    throw std::runtime_error("a peer was refused: " + handshake.failure());
  return socket;
}

SilentProcess::SilentProcess(const Settings& settings, std::uint32_t address) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::runtime_error("cannot make silent peers: " + stream_error(errno));
  process_ = fork();
  orders_ = Descriptor(ends[process_ == 0 ? 1 : 0]);
  ::close(ends[process_ == 0 ? 0 : 1]);
  if (process_ != 0) return;
  raise_descriptor_limit();
  int result = 0;
  try {
    SilentPeers peers(settings, address);
    Order order;
    while (recv(orders_.number(), &order, sizeof order, MSG_WAITALL) == sizeof order) {
      peers.join(order.host, order.count);
      tell(orders_.number(), "j", 1);
    }
  } catch (const std::exception& error) {
    std::cerr << "suiro-net-bench: " << error.what() << '\n';
    result = 1;
  }
  _exit(result);
}

SilentProcess::~SilentProcess() {
  orders_.close();
  waitpid(process_, nullptr, 0);
}

void SilentProcess::join(const Name& host, int count) {
  const Order order{.host = host, .count = count};
  tell(orders_.number(), &order, sizeof order);
  char joined = 0;
  hear(orders_.number(), &joined, sizeof joined);
}

}  // namespace suiro::net::bench
