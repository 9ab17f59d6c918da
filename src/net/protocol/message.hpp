// SPDX-License-Identifier: BSD-3-Clause
// Messages as users of the engine see them. Words follow libfabric's (fi_tagged(3), fi_msg(3)), so
// that the provider is thin, but nothing here depends on it.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace suiro::net {

/// A peer of this process, by the order in which the engine came to know them.
using Peer = std::uint32_t;
constexpr Peer any_peer = 0xffffffff;

/// Tagged messages and untagged ones never match each other.
enum class Space : std::uint8_t { tagged = 0, untagged = 1 };

/// What a message says of itself; all that matching looks at.
struct Envelope {
  Peer source = 0;
  Space space = Space::tagged;
  bool has_data = false;
  std::uint64_t tag = 0;
  std::uint64_t data = 0;    // the few bytes that travel to the receiver's completion
  std::uint64_t length = 0;  // bytes of the whole message
};

/// What a receive looks for: `source` (or any_peer), and tags that equal `tag` outside the bits of
/// `ignore`.
struct Pattern {
  Peer source = any_peer;
  Space space = Space::tagged;
  std::uint64_t tag = 0;
  std::uint64_t ignore = 0;

  bool matches(const Envelope& message) const {
    return space == message.space && (source == any_peer || source == message.source) &&
           ((tag ^ message.tag) & ~ignore) == 0;
  }
};

enum class Status : std::uint8_t {
  ok,
  truncated,  // the message was longer than the buffer; the buffer holds its beginning
  cancelled,
  no_message,   // a peek found nothing
  unreachable,  // no rail to the peer is left
  try_again,    // only from calls: a budget is used up; progress will free it
  invalid       // only from calls
};

/// What is told when an operation ends.
struct Completion {
  enum class Kind : std::uint8_t { send, receive, peek };
  Kind kind = Kind::send;
  Status status = Status::ok;
  Space space = Space::tagged;
  bool buffer_released = false;  // multi-receive: the engine will use this buffer no more
  void* context = nullptr;       // the user's
  std::uint64_t flags = 0;       // the user's, given back
  void* buffer = nullptr;    // receive: where the message begins (multi-receive: within the buffer)
  std::uint64_t length = 0;  // bytes delivered; peek: of the message
  std::uint64_t excess = 0;  // truncated: bytes that did not fit
  Envelope envelope;         // receive, peek
  Peer peer = any_peer;      // send: to whom
};

/// Hears of completions, inside the endpoint's lock: it stores them and returns.
class CompletionSink {
 public:
  virtual ~CompletionSink() = default;
  virtual void complete(const Completion& completion) = 0;
};

constexpr std::size_t max_segments = 8;  // of a scatter-gather list

struct SendRequest {
  Peer peer = 0;
  Space space = Space::tagged;
  std::uint64_t tag = 0;
  std::uint64_t data = 0;
  bool has_data = false;
  bool inject = false;             // the buffer may be used again when the call returns
  bool delivery_complete = false;  // complete when the receiver's engine has it
  bool silent = false;             // tell only of errors
  std::span<const iovec> buffers;  // at most max_segments; the memory lives until completion
  CompletionSink* sink = nullptr;
  void* context = nullptr;
  std::uint64_t flags = 0;
};

struct ReceiveRequest {
  Pattern pattern;
  bool silent = false;  // tell only of errors
  bool multi = false;   // one buffer takes messages until less than `multi_minimum` is left
  std::uint64_t multi_minimum = 0;
  std::span<const iovec> buffers;
  CompletionSink* sink = nullptr;
  void* context = nullptr;
  std::uint64_t flags = 0;
};

/// Asks whether a message is there. `claim` takes it out of matching, for receive_claimed or
/// discard with the same context.
struct PeekRequest {
  Pattern pattern;
  bool claim = false;
  bool discard = false;
  CompletionSink* sink = nullptr;
  void* context = nullptr;
  std::uint64_t flags = 0;
};

}  // namespace suiro::net
