// SPDX-License-Identifier: BSD-3-Clause
// FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv): one number for many bytes, where nobody means
// to deceive.
#pragma once

#include <cstdint>

namespace suiro {

constexpr std::uint64_t hash_begin = 0xcbf29ce484222325U;

constexpr std::uint64_t hash_with(std::uint64_t hash, std::uint8_t byte) {
  return (hash ^ byte) * 0x100000001b3U;
}

}  // namespace suiro
