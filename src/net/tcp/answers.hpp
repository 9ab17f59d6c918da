// SPDX-License-Identifier: BSD-3-Clause
// Whether a peer's host still answers what a stream sends it. TCP_USER_TIMEOUT (RFC 5482) would
// tell without being asked, but it also ends a stream whose peer answers and only does not read: a
// process that a debugger or a batch system has stopped.
#pragma once

#include <cstdint>

namespace suiro::net {

/// What the kernel tells of a stream (TCP_INFO, SIOCOUTQ; tcp(7)).
struct UnderWay {
  bool any = false;    // there are bytes that no answer has come to, sent or not
  bool waits = false;  // for an answer: to bytes, or to a second question whether there is room
  std::int64_t answered_ns = 0;  // when the last answer came
};
UnderWay under_way(int socket, std::int64_t now_ns);

class Answers {
 public:
  /// Whether for `limit_ns` no answer has come, though the stream waited for one. To be asked
  /// several times within that; who was away for longer begins anew. The kernel sends again
  /// meanwhile.
  bool missing(const UnderWay& it, std::int64_t now_ns, std::int64_t limit_ns);

 private:
  std::int64_t since_ns_ = 0;   // the last answer, or when it was first seen waiting; 0: never
  std::int64_t looked_ns_ = 0;  // when it was seen waiting last
};

}  // namespace suiro::net
