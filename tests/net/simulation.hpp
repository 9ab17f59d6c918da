// SPDX-License-Identifier: BSD-3-Clause
// Engines on the simulated network, for tests.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "net/engine/engine.hpp"
#include "net/simulated/network.hpp"

namespace suiro::net {

constexpr std::int64_t second = 1'000'000'000;

/// Bytes to be recognized.
inline std::vector<std::uint8_t> bytes_of(std::size_t count, std::uint64_t seed = 1) {
  std::vector<std::uint8_t> made(count);
  std::uint64_t state = seed * 2 + 1;
  for (std::size_t offset = 0; offset < count; offset += sizeof state) {
    state = state * 0x9e3779b97f4a7c15 + 0x7f4a7c15;
    std::memcpy(made.data() + offset, &state, std::min(sizeof state, count - offset));
  }
  return made;
}

struct Log : CompletionSink {
  std::vector<Completion> completions;
  void complete(const Completion& completion) override { completions.push_back(completion); }
};

struct Process {
  Process(SimulatedCarrier& carrier, const Settings& settings, LinkBoards* board)
      : carrier(carrier), engine(settings, carrier.name(), carrier.links(), carrier, board) {
    carrier.attach(engine);
  }

  Peer peer(const Process& other) { return engine.peer(other.carrier.name()); }

  Status send(const Process& to, std::uint64_t tag, const void* data, std::size_t bytes,
              void* context = nullptr, bool inject = false, bool delivery_complete = false,
              std::optional<std::uint64_t> with = {}) {
    const iovec piece{.iov_base = const_cast<void*>(data), .iov_len = bytes};
    SendRequest request;
    request.peer = peer(to);
    request.tag = tag;
    request.inject = inject;
    request.delivery_complete = delivery_complete;
    request.has_data = with.has_value();
    request.data = with.value_or(0);
    request.buffers = {&piece, 1};
    request.sink = &log;
    request.context = context;
    return engine.send(request);
  }

  Status receive(Peer from, std::uint64_t tag, std::uint64_t ignore, void* data, std::size_t bytes,
                 void* context = nullptr) {
    const iovec piece{.iov_base = data, .iov_len = bytes};
    ReceiveRequest request;
    request.pattern = {.source = from, .space = Space::tagged, .tag = tag, .ignore = ignore};
    request.buffers = {&piece, 1};
    request.sink = &log;
    request.context = context;
    return engine.receive(request);
  }

  /// How many operations have.
  std::size_t ended() const { return log.completions.size(); }

  SimulatedCarrier& carrier;
  Log log;
  Engine engine;
};

struct World {
  explicit World(std::uint64_t seed, const Conditions& conditions = {})
      : network(seed, conditions) {}

  /// `host` 0: one of its own.
  Process& add(const Settings& settings = {}, int rails = 1, std::uint64_t host = 0,
               std::uint32_t local_rank = 0) {
    if (host == 0) host = processes.size() + 1;
    auto& carrier = network.add(host, rails, local_rank);
    auto& board = boards[host];
    if (board == nullptr) board = std::make_unique<LinkBoards>();
    processes.push_back(std::make_unique<Process>(carrier, settings, board.get()));
    return *processes.back();
  }

  /// Whether the condition holds before the virtual time is over and while things happen.
  bool until(const std::function<bool()>& condition, std::int64_t seconds = 60) {
    const std::int64_t end = network.now_ns() + seconds * second;
    while (!condition()) {
      if (network.now_ns() > end || !network.step()) return condition();
    }
    return true;
  }

  SimulatedNetwork network;
  std::map<std::uint64_t, std::unique_ptr<LinkBoards>> boards;  // by host
  std::vector<std::unique_ptr<Process>> processes;
};

}  // namespace suiro::net
