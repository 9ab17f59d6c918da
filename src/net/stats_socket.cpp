// SPDX-License-Identifier: BSD-3-Clause
#include "net/stats_socket.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "net/random.hpp"

namespace suiro::net {
namespace {

/// A folder of ours that nobody else can enter; empty if it cannot be had. Somebody else may have
/// made one of this name in /tmp, or a link, to learn or to mislead.
std::string private_folder() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  const bool own = runtime != nullptr && *runtime == '/';
  const std::string folder =
      own ? fmt::format("{}/suiro", runtime) : fmt::format("/tmp/suiro-{}", geteuid());
  mkdir(folder.c_str(), 0700);
  struct stat status {};
  const bool safe = lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
                    status.st_uid == geteuid() && (status.st_mode & 077) == 0;
  return safe ? folder : "";
}

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
