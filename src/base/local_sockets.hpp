// SPDX-License-Identifier: BSD-3-Clause
// Sockets between the processes of one user in one network namespace (unix(7)).
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace suiro {

/// In the abstract name space; the name has at most 107 bytes.
struct AbstractAddress {
  explicit AbstractAddress(std::string_view name);
  const sockaddr* generic() const { return reinterpret_cast<const sockaddr*>(&address); }

  sockaddr_un address{};
  socklen_t length = 0;
};

/// `prefix` and a hash (BLAKE2b), since everybody on the host can list these names: it does not
/// give the secret away. Secrets that are for different things have different contexts.
std::string name_from_secret(std::string_view prefix, std::string_view context,
                             std::span<const std::uint8_t> secret);

/// Whether the process at the other end belongs to our user.
bool is_same_user(int socket);
/// The process at the other end; 0 if it cannot be seen from here.
pid_t process_at(int socket);

}  // namespace suiro
