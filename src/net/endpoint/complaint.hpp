// SPDX-License-Identifier: BSD-3-Clause
// Misfortune that users must hear of in words: an MPI tells them no more than a number.
#pragma once

#include <string_view>

#include "net/protocol/name.hpp"

namespace suiro::net {

/// Says so on standard error, in one line. Of all processes of a job on a host the first one does,
/// once: the others have met the same.
void complain(std::string_view text);

/// An operation has failed, since no way is left to this peer.
void complain_of(const Name& peer, std::string_view reason);

}  // namespace suiro::net
