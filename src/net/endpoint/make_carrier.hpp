// SPDX-License-Identifier: BSD-3-Clause
// The name of this process, and the carriers that its peers reach it by.
#pragma once

#include <memory>
#include <vector>

#include "host/links.hpp"
#include "net/carrier/real_carrier.hpp"
#include "net/protocol/name.hpp"
#include "net/protocol/settings.hpp"

namespace suiro::net {

/// A new name, but for the port. Without shared memory it tells of a host of its own.
Name new_name(const Settings& settings, const std::vector<host::Link>& links);

/// A carrier over TCP, and shared memory beside it (a carrier of its own, with a wait_descriptor of
/// its own; one that contains both passes calls on by stream), listening on the links; `own` is
/// given its port. Throws std::runtime_error.
std::unique_ptr<RealCarrier> make_carrier(const Settings& settings,
                                          const std::vector<host::Link>& links, Name& own);

}  // namespace suiro::net
