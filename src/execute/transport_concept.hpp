// SPDX-License-Identifier: BSD-3-Clause
// The seam between the executor and what carries messages. A transport knows where blocks are and
// how to move them; it knows neither rounds nor algorithms. There are `memory` (ranks are
// threads) and `net` (suiro's own transport) beside this, and MPI itself in mpi/carry.
#pragma once

#include <concepts>
#include <cstdint>
#include <vector>

#include "schedule/schedule.hpp"

namespace suiro {

/// An operation that has ended. A receive is `lost` when what it waited for does not come: the
/// message failed, or its sender had nothing to send.
struct Ended {
  std::int64_t token = 0;
  bool lost = false;
};

/// send and receive start operations (an empty range is a message without payload), return how
/// many, 0 where all is over at once, and never wait. Each operation ends once: wait() blocks until
/// at least one has, and appends it; `all`: it may go on until all that are under way have, as
/// nothing begins before. A message may be shorter than what was posted for it. Both
/// ends cut a range of blocks into operations in the same way, and between two ranks operations
/// match in the order in which they were started. send_nothing stands for a send of blocks that
/// this rank lost: as many operations, by which the receiver loses them, too. copy and reduce are
/// done on return; their source are shared blocks of rank `owner` unless that is -1. Every call
/// returns false (or a negative number) after a failure; the transport keeps the reason.
template <class T>
concept StartingTransport = requires(T& transport, const Blocks& blocks, int peer,
                                     std::int64_t token, int owner) {
  { transport.send(blocks, peer, token) } -> std::same_as<int>;
  { transport.send_nothing(blocks, peer, token) } -> std::same_as<int>;
  { transport.receive(blocks, peer, token) } -> std::same_as<int>;
  { transport.copy(blocks, blocks, owner) } -> std::same_as<bool>;
  { transport.reduce(blocks, blocks, owner) } -> std::same_as<bool>;
};

template <class T>
concept Transport = StartingTransport<T> &&
    requires(T& transport, std::vector<Ended>& ended, bool all) {
  { transport.wait(ended, all) } -> std::same_as<bool>;
};

}  // namespace suiro
