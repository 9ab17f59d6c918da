// SPDX-License-Identifier: BSD-3-Clause
// By what a process is known to the others: 64 bytes, of fixed length, which the MPI's start-up
// exchange carries (its buffers have 64 bytes). See docs/decisions/0014.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <cstring>
#include <functional>

#include "host/links.hpp"

namespace suiro::net {

constexpr int max_rails = host::max_links;
constexpr std::uint8_t name_version = 1;

using Nonce = std::array<std::uint8_t, 16>;

struct Name {
  std::uint8_t version = name_version;
  std::uint8_t rails = 0;                            // how many of `addresses` are used
  std::uint16_t port = 0;                            // the same on every address; host byte order
  std::array<std::uint32_t, max_rails> addresses{};  // IPv4, network byte order, one per rail
  std::uint32_t local_rank = 0;                      // among the processes of the job on this host
  std::uint64_t host = 0;                            // boot and network namespace, hashed
  Nonce nonce{};                                     // random: identity, and part of the key

  auto operator<=>(const Name&) const = default;
};
static_assert(sizeof(Name) == 64 && std::is_trivially_copyable_v<Name>);

struct NonceHash {
  std::size_t operator()(const Nonce& nonce) const {
    std::size_t value;  // the nonce is random already
    std::memcpy(&value, nonce.data(), sizeof value);
    return value;
  }
};

}  // namespace suiro::net
