// SPDX-License-Identifier: BSD-3-Clause
// What the bench measures: something that carries messages between two processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "net/protocol/name.hpp"
#include "net/protocol/settings.hpp"
#include "net/protocol/statistics.hpp"

namespace suiro::net::bench {

class Channel {
 public:
  virtual ~Channel() = default;
  virtual void send(const std::byte* data, std::size_t bytes) = 0;
  virtual void receive(std::byte* data, std::size_t bytes) = 0;
  /// Begins what receive would do; finish() waits for its end.
  virtual void begin_receive(std::byte* data, std::size_t bytes) = 0;
  virtual void finish() = 0;
  /// Who is at the other end; of TCP nobody is known.
  virtual Name other() const { return {}; }
  virtual Statistics statistics() const { return {}; }
};

/// How a thread waits for bytes.
enum class Waiting { polling, sleeping };

/// A pair of connected descriptors that the two processes agree over.
std::unique_ptr<Channel> engine_channel(const Settings& settings, int agreement, Waiting waiting);
/// TCP alone: the reference. `address` of the first process, network byte order.
std::unique_ptr<Channel> raw_channel(std::uint32_t address, int agreement, Waiting waiting,
                                     bool first);

/// Both processes have come here.
void meet(int agreement);
void tell(int agreement, const void* data, std::size_t bytes);
void hear(int agreement, void* data, std::size_t bytes);

}  // namespace suiro::net::bench
