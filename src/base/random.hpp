// SPDX-License-Identifier: BSD-3-Clause
// Unpredictable bytes, for nonces and challenges. A simulation that must be replayed from its seed
// puts a source of its own in their place.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

namespace suiro {

void random_bytes(std::span<std::uint8_t> bytes);

using RandomSource = std::function<void(std::span<std::uint8_t>)>;
/// For tests, in one thread. An empty source brings the real one back.
void set_random_source(RandomSource source);

}  // namespace suiro
