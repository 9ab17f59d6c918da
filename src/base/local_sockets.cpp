// SPDX-License-Identifier: BSD-3-Clause
#include "base/local_sockets.hpp"

#include <sodium.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

namespace suiro {
namespace {

std::optional<ucred> credentials(int socket) {
  ucred peer{};
  socklen_t length = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0) return std::nullopt;
  return peer;
}

}  // namespace

AbstractAddress::AbstractAddress(std::string_view name) {
  address.sun_family = AF_UNIX;
  std::ranges::copy(name, address.sun_path + 1);  // a zero byte first: abstract
  length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
}

std::string name_from_secret(std::string_view prefix, std::string_view context,
                             std::span<const std::uint8_t> secret) {
  std::array<unsigned char, 16> digest{};
  crypto_generichash(digest.data(), digest.size(), secret.data(), secret.size(),
                     reinterpret_cast<const unsigned char*>(context.data()), context.size());
  std::array<char, 2 * digest.size() + 1> text{};
  sodium_bin2hex(text.data(), text.size(), digest.data(), digest.size());
  return std::string(prefix) + text.data();
}

bool is_same_user(int socket) {
  const auto peer = credentials(socket);
  return peer && peer->uid == geteuid();
}

pid_t process_at(int socket) {
  const auto peer = credentials(socket);
  return peer ? peer->pid : 0;
}

}  // namespace suiro
