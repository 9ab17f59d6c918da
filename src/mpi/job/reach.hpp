// SPDX-License-Identifier: BSD-3-Clause
// Which of the addresses of `suiro run` leads there. Some may lead nowhere, and drop what is sent
// to them in silence; some may be a stranger's, as of another host's containers.
#pragma once

#include <chrono>
#include <string>

namespace suiro::mpi {

/// `places` is HOST:PORT,... with numeric hosts, which may be in brackets. The socket whose peer
/// has answered "ok" to `greeting`; -1 if nobody has in that time, or four times as long where
/// somebody accepts the connection. The greeting is secret: one is shown it at a time, and the next
/// one only when that one does not answer.
int reach(const std::string& places, const std::string& greeting, std::chrono::milliseconds time);

}  // namespace suiro::mpi
