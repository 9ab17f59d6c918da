// SPDX-License-Identifier: BSD-3-Clause
// Frames that wait for something, in order, linked through themselves.
#pragma once

#include <cstddef>

#include "net/operations/operations.hpp"

namespace suiro::net {

/// Frames in order; a frame is in one list.
struct FrameList {
  Frame* first = nullptr;
  Frame* last = nullptr;
  std::size_t size = 0;
  bool empty() const { return first == nullptr; }
  void add(Frame& frame);
  Frame& take();
  /// Puts all of `others` before what is here.
  void prepend(FrameList& others);
};

}  // namespace suiro::net
