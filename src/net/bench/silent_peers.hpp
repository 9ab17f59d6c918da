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

class SilentPeers {
 public:
  /// They come from `address`, which is of this host, in network byte order.
  SilentPeers(const Settings& settings, std::uint32_t address)
      : settings_(settings), address_(address) {}
  /// They say goodbye.
  ~SilentPeers();
  SilentPeers(const SilentPeers&) = delete;
  SilentPeers& operator=(const SilentPeers&) = delete;

  /// So many more peers of `host`, whose engine must run meanwhile. Throws std::runtime_error.
  void join(const Name& host, int count);

 private:
  Descriptor enter(const Name& host) const;

  Settings settings_;
  std::uint32_t address_;
  std::vector<Descriptor> members_;
};

/// Silent peers in a process of their own, with its descriptors. It is forked at once, and ends
/// with this object.
class SilentProcess {
 public:
  SilentProcess(const Settings& settings, std::uint32_t address);
  ~SilentProcess();
  SilentProcess(const SilentProcess&) = delete;
  SilentProcess& operator=(const SilentProcess&) = delete;

  void join(const Name& host, int count);

 private:
  Descriptor orders_;
  pid_t process_ = -1;
};

}  // namespace suiro::net::bench
