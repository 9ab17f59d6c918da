// SPDX-License-Identifier: BSD-3-Clause
// What a stream between two processes carries: frames, or bytes of long messages alone.
#pragma once

#include <cstdint>

namespace suiro::net {

enum class StreamKind : std::uint8_t { control = 0, bulk = 1 };

}  // namespace suiro::net
