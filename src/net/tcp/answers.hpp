// SPDX-License-Identifier: BSD-3-Clause
// Whether a peer's host still answers what a stream sends it. TCP_USER_TIMEOUT (RFC 5482) would
// tell without being asked, but it also ends a stream whose peer answers and only does not read: a
// process that a debugger or a batch system has stopped.
#pragma once

#include <cstdint>

namespace suiro::net {

class Answers {
 public:
  /// To be asked several times within `limit_ns`. Whether for so long no answer has come, though
  /// something that wants one was under way. The kernel sends it again meanwhile, or asks whether
  /// there is room.
  bool missing(int socket, std::int64_t now_ns, std::int64_t limit_ns);

 private:
  std::int64_t since_ns_ = 0;  // the last answer, or when something was first seen without; 0: none
};

}  // namespace suiro::net
