// SPDX-License-Identifier: BSD-3-Clause
#include "net/frames/frame_list.hpp"

#include <utility>

namespace suiro::net {

void FrameList::add(Frame& frame) {
  frame.next = nullptr;
  (first == nullptr ? first : last->next) = &frame;
  last = &frame;
  ++size;
}

Frame& FrameList::take() {
  Frame& frame = *first;
  first = frame.next;
  --size;
  return frame;
}

void FrameList::prepend(FrameList& others) {
  if (others.empty()) return;
  others.last->next = first;
  if (first == nullptr) last = others.last;
  first = std::exchange(others.first, nullptr);
  size += std::exchange(others.size, 0);
}

}  // namespace suiro::net
