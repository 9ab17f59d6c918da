// SPDX-License-Identifier: BSD-3-Clause
// What sockets of any kind want: accepting, closing, and errors in words.
#pragma once

#include <string>

#include "base/descriptor.hpp"

namespace suiro {

/// Takes a connection that waits; none if there is none. When no descriptor is left, `reserve` is
/// given up for a moment to turn the connection away, since it would be announced for ever.
Descriptor accept_from(int listener, Descriptor& reserve);
/// A descriptor to be given up.
Descriptor reserve_descriptor();

/// The same file by a number above those of standard input, output and error, so that nothing that
/// programs print gets into it.
Descriptor above_standard(Descriptor descriptor);

/// Ends a connection even if a forked child still has it open, and closes.
void close_stream(Descriptor& socket) noexcept;

/// An error of a stream, for people, with what to try where that is known.
std::string stream_error(int error);

/// Raises the soft limit of open files to the hard one: a rank has at least one for every rank that
/// it talks to.
void raise_descriptor_limit() noexcept;

}  // namespace suiro
