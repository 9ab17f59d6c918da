// SPDX-License-Identifier: BSD-3-Clause
// Where `suiro top` asks a process for its counters: a UNIX socket in a folder of the owner, who
// alone may ask. Whoever connects is told once; nothing is read from it.
#pragma once

#include <functional>
#include <string>

#include "base/descriptor.hpp"

namespace suiro::net {

class StatsSocket {
 public:
  /// Listens in $XDG_RUNTIME_DIR/suiro, or else in /tmp/suiro-UID. Where that cannot be done
  /// safely, nothing listens, and nobody suffers. `tell` makes what is told.
  explicit StatsSocket(std::function<std::string()> tell);
  /// Removes the socket, but not in a forked child.
  ~StatsSocket();
  StatsSocket(const StatsSocket&) = delete;
  StatsSocket& operator=(const StatsSocket&) = delete;

  /// Readable when somebody asks; -1: nobody can.
  int descriptor() const { return listener_.number(); }
  /// Tells everybody who has asked. Never waits for them.
  void answer();
  /// In a forked child: the socket is its parent's.
  void abandon() noexcept { listener_.close(); }
  const std::string& path() const { return path_; }

 private:
  std::function<std::string()> tell_;
  Descriptor listener_;
  std::string path_;
  int owner_ = 0;
};

}  // namespace suiro::net
