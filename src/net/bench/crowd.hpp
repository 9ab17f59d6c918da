// SPDX-License-Identifier: BSD-3-Clause
// Many peers that belong to the job, are connected, and have nothing to say: what every rank of a
// large job has. Each is one socket that has gone through the opening exchange.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "base/descriptor.hpp"
#include "net/protocol/name.hpp"
#include "net/protocol/settings.hpp"

namespace suiro::net::bench {

class Crowd {
 public:
  /// They come from `address`, which is of this host, in network byte order.
  Crowd(const Settings& settings, std::uint32_t address) : settings_(settings), address_(address) {}
  /// They say goodbye.
  ~Crowd();
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

  /// So many more peers of `host`, whose engine must run meanwhile. Throws std::runtime_error.
  void join(const Name& host, int count);

 private:
  Descriptor enter(const Name& host) const;

  Settings settings_;
  std::uint32_t address_;
  std::vector<Descriptor> members_;
};

/// A crowd with a process, and so with descriptors, of its own. It is forked at once, and ends with
/// this object.
class CrowdProcess {
 public:
  CrowdProcess(const Settings& settings, std::uint32_t address);
  ~CrowdProcess();
  CrowdProcess(const CrowdProcess&) = delete;
  CrowdProcess& operator=(const CrowdProcess&) = delete;

  void join(const Name& host, int count);

 private:
  Descriptor orders_;
  pid_t process_ = -1;
};

}  // namespace suiro::net::bench
