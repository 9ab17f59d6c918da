// SPDX-License-Identifier: BSD-3-Clause
// Streams in shared memory between two processes of one host and one user: the part of a carrier
// that the carriers of the real world have in common. Nothing here polls peers: each process has
// one doorbell, which says which streams have news. A part of bulk streams is that the reader takes
// bytes straight out of the writer's memory where the system allows it (shared_pull.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "net/carrier.hpp"
#include "net/name.hpp"

namespace suiro::net {

class SharedStreams {
 public:
  /// Numbers of these streams have this bit, those of a carrier's other streams have not.
  static constexpr StreamId marker = StreamId{1} << 31;
  static bool owns(StreamId stream) { return (stream & marker) != 0; }

  /// Listens in the name of this process. Throws std::runtime_error in one line. Without
  /// `may_pull` every byte goes through a ring.
  explicit SharedStreams(const Nonce& own, bool may_pull = true);
  ~SharedStreams();

  /// As in Carrier.
  StreamId open(const Name& peer);
  void establish(StreamId stream, StreamKind kind);
  std::size_t write(StreamId stream, std::span<const iovec> bytes);
  void arm(StreamId stream);
  void close(StreamId stream);

  /// Raises what has happened, and says whether there was anything. Makes no system call if there
  /// was nothing, so that it can be asked all the time.
  bool poll(Events& events);

  /// Readable when there is something for service(), which makes poll() see it: somebody opens a
  /// stream, a peer has died, or the doorbell rings for a sleeper.
  int descriptor() const;
  void service();

  /// To be asked before a thread sleeps until descriptor() is readable: from then on the doorbell
  /// makes it so. False: there is news already. woke() takes it back. Both need the lock, the
  /// sleep between them does not. There is one sleeper at a time.
  bool may_sleep();
  void woke();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace suiro::net
