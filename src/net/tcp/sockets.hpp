// SPDX-License-Identifier: BSD-3-Clause
// Sockets as every carrier wants them: listening, connecting, accepting, and errors in words.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "host/links.hpp"
#include "net/carrier/carrier.hpp"
#include "net/protocol/settings.hpp"

namespace suiro::net {

struct Listeners {
  std::vector<Descriptor> sockets;  // one per link; non-blocking
  std::uint16_t port = 0;           // the same for all; host byte order
};

/// Listens on the address of each link, and on no other. Throws std::runtime_error.
Listeners listen_on(const std::vector<host::Link>& links);

/// Takes a connection that waits; none if there is none. When no descriptor is left, `reserve` is
/// given up for a moment to turn the connection away, since it would be announced for ever.
Descriptor accept_from(int listener, Descriptor& reserve);
/// A descriptor to be given up.
Descriptor reserve_descriptor();

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

/// Ends a connection even if a forked child still has it open, and closes.
void close_stream(Descriptor& socket) noexcept;

/// An error of a stream, for people, with what to try where that is known.
std::string stream_error(int error);

/// Raises the soft limit of open files to the hard one: a rank has at least one for every rank that
/// it talks to.
void raise_descriptor_limit() noexcept;

}  // namespace suiro::net
