// SPDX-License-Identifier: BSD-3-Clause
// Sockets of TCP: listening, connecting, their options, writing. For the carrier beside this and
// for suiro-net-bench; what sockets of any kind want is in base/sockets.hpp.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/descriptor.hpp"
#include "host/links.hpp"
#include "net/protocol/settings.hpp"

namespace suiro::net {

struct Listeners {
  std::vector<Descriptor> sockets;  // one per link; non-blocking
  std::uint16_t port = 0;           // the same for all; host byte order
};

/// Listens on the address of each link, and on no other. Throws std::runtime_error.
Listeners listen_on(const std::vector<host::Link>& links);

/// Begins to connect from `own`, an address of ours (both in network byte order); writable when
/// that is over. None if it failed at once, with errno.
Descriptor connect_from(std::uint32_t own, std::uint32_t peer, std::uint16_t port);
/// 0 or the error with which connecting ended.
int connect_result(int socket);

/// What every stream wants of its socket, accepted or connected.
void prepare_stream(int socket, const Settings& settings);
/// What a bulk stream wants besides.
void prepare_bulk(int socket, const Settings& settings);

/// As many bytes as the socket has room for now, or a negative errno.
std::ptrdiff_t send_to(int socket, std::span<const iovec> bytes);

}  // namespace suiro::net
