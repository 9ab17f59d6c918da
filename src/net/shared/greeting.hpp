// SPDX-License-Identifier: BSD-3-Clause
// How two processes come to share memory: over a UNIX-domain socket whose name only those can know
// who know the nonce of the process that listens, and which takes only processes of the same user.
// The socket stays open: its hang-up tells that the other side has closed, or is dead.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/shared_memory.hpp"
#include "net/protocol/name.hpp"
#include "net/shared/doorbell.hpp"
#include "net/shared/ring.hpp"

namespace suiro::net {

/// What two processes share of one stream: two lanes, each with a ring. Lane 0 is the opener's.
struct Segment {
  alignas(4096) Lane lanes[2];
  alignas(4096) std::byte rings[2][ring_bytes];
};

/// What each tells the other, with descriptors of its doorbell; the opener also sends the segment.
struct Greeting {
  std::uint64_t magic = expected_magic;
  std::uint64_t segment_bytes = sizeof(Segment);
  std::uint64_t probe_address = 0;  // whether the other may read our memory:
  std::uint64_t probe_value = 0;    // it finds this value there
  std::uint32_t slot = 0;           // what to ring
  std::uint32_t padding = 0;

  static constexpr std::uint64_t expected_magic = 0x3253'6f72'6975'7300;  // layout 2
};

struct ReceivedGreeting {
  Greeting greeting;
  Bell bell;
  std::optional<SharedMemory> segment;
};

/// A listening socket, in the abstract name space of this network namespace. Throws
/// std::runtime_error.
Descriptor listen_for(const Nonce& own);
/// None, with the reason, if nobody of that name listens or it is another user's.
Descriptor connect_to(const Nonce& peer, std::string& reason);

bool send_greeting(int socket, const Greeting& greeting, const Doorbell& own,
                   const SharedMemory* segment);
enum class GreetingState : std::uint8_t { none_yet, received, failed };
GreetingState receive_greeting(int socket, bool with_segment,
                               std::optional<ReceivedGreeting>& received);

}  // namespace suiro::net
