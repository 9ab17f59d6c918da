// SPDX-License-Identifier: BSD-3-Clause
// What the engine remembers of operations that have not ended: sends, receives, messages without a
// receive. Plain values in pools; an operation that ends at once has none.
#pragma once

#include <cstdint>
#include <memory>

#include "base/spare_memory.hpp"
#include "net/operations/matching.hpp"
#include "net/protocol/message.hpp"
#include "net/protocol/segments.hpp"

namespace suiro::net {

class Origin;
struct Transfer;  // the engine's

using Bytes = std::unique_ptr<std::byte[]>;

struct Send {
  Peer peer = 0;
  Space space = Space::tagged;
  bool has_data = false;
  bool delivery_complete = false;
  bool silent = false;
  bool told = false;        // the user knows; only the engine's copy is still needed
  bool injected = false;    // counts against the budget of what was injected
  bool announcing = false;  // its request, with the first part of it, may have to be written again
  std::uint64_t tag = 0;
  std::uint64_t data = 0;
  std::uint64_t transfer = 0;
  std::uint64_t promised = 0;  // of a long message, what the peer has not asked for yet
  Segments payload;            // the user's memory, or `copy`
  Bytes copy;
  CompletionSink* sink = nullptr;
  void* context = nullptr;
  std::uint64_t flags = 0;
};

/// A receive as it was asked for, or the part of a multi-receive that one message takes.
struct Receive : PostedEntry {
  bool posted = false;  // in the queue
  bool silent = false;
  bool multi = false;
  bool released = false;      // multi: takes no more
  std::uint64_t minimum = 0;  // multi
  std::uint64_t used = 0;     // multi
  std::uint32_t parts = 0;    // multi: messages that are being delivered
  Receive* whole = nullptr;   // of which this is a part
  Segments buffers;
  CompletionSink* sink = nullptr;
  void* context = nullptr;
  std::uint64_t flags = 0;
  Envelope message;              // once matched
  Origin* origin = nullptr;      // that fetches the rest of a long one
  Transfer* transfer = nullptr;  // of that
};

/// A message that came before its receive.
struct Unexpected : UnexpectedEntry {
  enum class Kind : std::uint8_t { eager, request, local };
  Kind kind = Kind::eager;
  bool complete = false;       // the payload is there
  bool queued = false;         // can be matched
  bool claimed = false;        // waits for receive_claimed
  bool discarded = false;      // nobody wants it, once it is complete
  bool lost = false;           // claimed, and its sender died
  Origin* origin = nullptr;    // null: this process
  std::uint64_t transfer = 0;  // request
  Send* local = nullptr;       // from this process to itself
  SpareMemory::Piece payload;  // eager: the message; request: its first part
  std::uint64_t payload_bytes = 0;
  std::uint64_t charged_bytes = 0;  // of the sender's credit
  Receive* receive = nullptr;       // matched before it was complete
};

}  // namespace suiro::net
