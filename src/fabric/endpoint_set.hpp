// SPDX-License-Identifier: BSD-3-Clause
// The endpoints that a completion queue or a counter is bound to: whoever reads it runs them, and
// whoever waits on it waits on them.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "net/endpoint/endpoint.hpp"

namespace suiro::fabric {

class EndpointSet {
 public:
  void add(net::Endpoint& endpoint);
  void remove(net::Endpoint& endpoint);

  /// Runs each once, unless another thread is about it.
  void progress();

  /// Waits until `condition(argument)` or the time is over; -1: no end.
  bool wait(bool (*condition)(void*), void* argument, int timeout_ms);

 private:
  std::mutex mutex_;
  std::vector<net::Endpoint*> endpoints_;
};

}  // namespace suiro::fabric
