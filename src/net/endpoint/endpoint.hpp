// SPDX-License-Identifier: BSD-3-Clause
// An engine in the real world: its carrier, its lock, and the helper thread that keeps reading
// while the application computes. Every function may be called by any thread. After fork() the
// child has a dead endpoint: calls do nothing and return `unreachable`; the parent does not notice.
#pragma once

#include <cstdint>
#include <memory>

#include "net/protocol/message.hpp"
#include "net/protocol/name.hpp"
#include "net/protocol/settings.hpp"
#include "net/protocol/statistics.hpp"

namespace suiro::net {

class Endpoint {
 public:
  /// Listens on the rails that settings and interfaces give, and starts the helper thread. Throws
  /// std::runtime_error in one line: no usable interface (which there are), no port, no
  /// descriptors.
  explicit Endpoint(const Settings& settings);
  /// Tells nobody. Waits until the peers have what was accepted, for as long as a peer may be
  /// silent: what is injected belongs to programs that end with MPI_Finalize right after, too.
  ~Endpoint();

  const Name& name() const;

  Peer peer(const Name& name);
  Name name(Peer peer) const;
  Status send(const SendRequest& request);
  Status receive(const ReceiveRequest& request);
  void peek(const PeekRequest& request);
  Status receive_claimed(const ReceiveRequest& request);
  Status discard_claimed(void* context, CompletionSink* sink, std::uint64_t flags);
  bool cancel(void* context);
  void forget(CompletionSink* sink);

  /// Runs the engine once without waiting; cheap if there is nothing. Called again and again by
  /// whoever waits for a completion: while it is, the helper thread sleeps. When it finds nothing
  /// several times and ranks outnumber cores, it gives the core away, or waits for an event for
  /// some tens of microseconds.
  void progress();
  /// Waits until `condition(argument)`, which is asked under the lock, or the time is over (-1: no
  /// end).
  bool wait(bool (*condition)(void*), void* argument, std::int64_t timeout_ns);
  /// Runs `function(argument)` under the lock that completions are told under.
  void locked(void (*function)(void*), void* argument);

  Statistics statistics() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace suiro::net
