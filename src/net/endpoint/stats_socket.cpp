// SPDX-License-Identifier: BSD-3-Clause
#include "net/endpoint/stats_socket.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "base/private_folder.hpp"
#include "base/random.hpp"

namespace suiro::net {
namespace {

bool may_ask(int descriptor) {
  ucred who{};
  socklen_t bytes = sizeof who;
  return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &who, &bytes) == 0 &&
         (who.uid == geteuid() || who.uid == 0);
}

}  // namespace

StatsSocket::StatsSocket(std::function<std::string()> tell)
    : tell_(std::move(tell)), owner_(getpid()) {
  const std::string folder = private_folder();
  if (folder.empty()) return;
  std::array<std::uint8_t, 4> mark{};  // several endpoints, or containers that share the folder
  random_bytes(mark);
  const std::string path = fmt::format("{}/{}-{:02x}.sock", folder, owner_, fmt::join(mark, ""));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return;
  path.copy(address.sun_path, path.size());
  Descriptor listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  constexpr int waiting_max = 8;
  if (!listener || bind(listener.number(), generic, sizeof address) != 0) return;
  path_ = path;
  if (listen(listener.number(), waiting_max) == 0) listener_ = std::move(listener);
}

StatsSocket::~StatsSocket() {
  if (!path_.empty() && getpid() == owner_) unlink(path_.c_str());
}

void StatsSocket::answer() {
  constexpr int answers_max = 16;  // at a time; whoever asks more is told later
  for (int i = 0; listener_ && i < answers_max; ++i) {
    const Descriptor asker(accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!asker) return;
    if (!may_ask(asker.number())) continue;
    const std::string text = tell_();
    // What does not fit into the socket's buffer, which is far larger, is lost.
    [[maybe_unused]] const auto sent =
        send(asker.number(), text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  }
}

}  // namespace suiro::net
