// SPDX-License-Identifier: BSD-3-Clause
// The seam between the executor and what carries messages. A transport knows where blocks are and
// how to move them; it knows neither rounds nor algorithms. Shipped: `memory` (ranks are threads)
// and, in the mpi layer, MPI itself.
#pragma once

#include <concepts>
#include <cstdint>
#include <vector>

#include "schedule/schedule.hpp"

namespace suiro {

/// send and receive start at least one operation (an empty range is a message without payload),
/// return how many, and never wait. Each operation completes once: wait() blocks until at least one
/// has, and appends the `token` of each. A message may be shorter than what was posted for it. Both
/// ends cut a range of blocks into operations in the
/// same way, and between two ranks operations match in the order in which they were started. copy
/// and reduce are done on return. Every call returns false (or a negative number) after a failure;
/// the transport keeps the reason.
template <class T>
concept StartingTransport = requires(T& transport, const Blocks& blocks, int peer,
                                     std::int64_t token) {
  { transport.send(blocks, peer, token) } -> std::same_as<int>;
  { transport.receive(blocks, peer, token) } -> std::same_as<int>;
  { transport.copy(blocks, blocks) } -> std::same_as<bool>;
  { transport.reduce(blocks, blocks) } -> std::same_as<bool>;
};

template <class T>
concept Transport = StartingTransport<T> &&
    requires(T& transport, std::vector<std::int64_t>& completed) {
  { transport.wait(completed) } -> std::same_as<bool>;
};

}  // namespace suiro
