// SPDX-License-Identifier: BSD-3-Clause
// Which address leads to the service: among some that lead nowhere, and some that are a stranger's.
#include "mpi/job/reach.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace suiro::mpi {
namespace {

using namespace std::chrono_literals;

const std::string greeting = "secret\n";

/// Listens on a port of its own.
class Listener {
 public:
  explicit Listener(int backlog = 16) {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    bind(socket_, reinterpret_cast<const sockaddr*>(&address_), sizeof address_);
    listen(socket_, backlog);
    socklen_t length = sizeof address_;
    getsockname(socket_, reinterpret_cast<sockaddr*>(&address_), &length);
  }
  ~Listener() { close(socket_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  std::string place() const { return "127.0.0.1:" + std::to_string(ntohs(address_.sin_port)); }

  /// What the next peer says, after which it gets the answer; empty if nobody comes or speaks.
  std::string serve(const std::string& answer, int patience_ms = 5000) const {
    pollfd waiting{socket_, POLLIN, 0};
    if (poll(&waiting, 1, patience_ms) <= 0) return "";
    const int peer = accept(socket_, nullptr, nullptr);
    std::string said(greeting.size(), '\0');
    const ssize_t got = recv(peer, said.data(), said.size(), MSG_WAITALL);
    said.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    if (!said.empty()) (void)send(peer, answer.data(), answer.size(), MSG_NOSIGNAL);
    recv(peer, &waiting, 1, 0);  // until it has gone
    close(peer);
    return said;
  }

  /// From now on connections are neither accepted nor refused, as by a gateway that drops them.
  std::vector<int> choke() const {
    std::vector<int> peers;
    for (int i = 0; i < 4; ++i) {
      peers.push_back(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0));
      (void)connect(peers.back(), reinterpret_cast<const sockaddr*>(&address_), sizeof address_);
    }
    return peers;
  }

 private:
  const int socket_ = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address_{};
};

/// Reaches the service among the places while it serves; its first letter tells which one it was.
std::string reached(const std::string& places, const Listener& service) {
  std::string said;
  std::thread serving([&] { said = service.serve("ok\n"); });
  const int found = reach(places, greeting, 10s);
  EXPECT_GT(found, STDERR_FILENO);
  close(found);
  serving.join();
  return said;
}

std::string refused() { return Listener().place(); }  // nobody listens any more

TEST(Reach, PassesOverAddressesThatLeadNowhere) {
  const Listener dropping(0);
  const std::vector<int> peers = dropping.choke();
  const Listener service;
  std::string places = "nonsense,127.0.0.1,[::1]:1," + refused();
  for (int i = 0; i < 40; ++i) places += "," + (i % 8 == 0 ? dropping.place() : refused());
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(reached(places + "," + service.place(), service), greeting);
  // One after the other they would take 1.5 s each.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
  for (const int peer : peers) close(peer);
}

TEST(Reach, ShowsTheSecretToNobodyBehindTheOneWhoAnswers) {
  const Listener service;
  const Listener stranger;
  EXPECT_EQ(reached(service.place() + "," + stranger.place(), service), greeting);
  EXPECT_EQ(stranger.serve("", 0), "");
}

TEST(Reach, IsNotHeldUpByStrangers) {
  const Listener silent;
  const Listener rude;
  const Listener service;
  std::thread shouting([&] { rude.serve("HTTP/1.1 400 Bad Request\r\n"); });
  const std::string places = silent.place() + "," + rude.place() + "," + service.place();
  EXPECT_EQ(reached(places, service), greeting);
  shouting.join();
}

TEST(Reach, EndsWhereNobodyIs) {
  EXPECT_EQ(reach("", greeting, 10s), -1);
  EXPECT_EQ(reach("nonsense," + refused(), greeting, 10s), -1);
  const Listener silent;
  EXPECT_EQ(reach(silent.place(), greeting, 50ms), -1);
}

/// In a process of its own, whose limits and descriptors do not matter to anybody else.
TEST(Reach, LivesWithFewDescriptorsAndLeavesTheFirstThreeAlone) {
  const Listener dropping(0);
  const std::vector<int> peers = dropping.choke();
  const Listener service;
  const pid_t child = fork();
  if (child == 0) {
    const rlimit few{static_cast<rlim_t>(peers.back() + 6), static_cast<rlim_t>(peers.back() + 6)};
    setrlimit(RLIMIT_NOFILE, &few);
    close(STDERR_FILENO);
    std::string places;
    for (int i = 0; i < 4; ++i) places += dropping.place() + ",";
    std::_Exit(reach(places + service.place(), greeting, 10s) > STDERR_FILENO ? 0 : 1);
  }
  EXPECT_EQ(service.serve("ok\n", 10000), greeting);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  for (const int peer : peers) close(peer);
}

}  // namespace
}  // namespace suiro::mpi
