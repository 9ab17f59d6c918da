// SPDX-License-Identifier: BSD-3-Clause
// Integers in bytes, little endian and of any alignment. Every machine that suiro is built for has
// this order already, so each is one load or store.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <span>

namespace suiro {

static_assert(std::endian::native == std::endian::little, "swap the bytes below");

template <std::unsigned_integral Number>
void store(std::span<std::byte> bytes, std::size_t offset, Number value) {
  std::memcpy(bytes.subspan(offset, sizeof value).data(), &value, sizeof value);
}

template <std::unsigned_integral Number>
Number load(std::span<const std::byte> bytes, std::size_t offset) {
  Number value;
  std::memcpy(&value, bytes.subspan(offset, sizeof value).data(), sizeof value);
  return value;
}

}  // namespace suiro
