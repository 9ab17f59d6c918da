// SPDX-License-Identifier: BSD-3-Clause
#include "switch/frame_pool.hpp"

namespace suiro {

Frame* FramePool::take(Free& free, std::size_t bytes) {
  if (!free.empty()) {
    Frame* frame = free.back();
    free.pop_back();
    return frame;
  }
  auto owned = std::make_unique<Owned>();
  owned->bytes = std::make_unique_for_overwrite<std::byte[]>(bytes);
  owned->frame.storage = {owned->bytes.get(), bytes};
  owned_.push_back(std::move(owned));
  return &owned_.back()->frame;
}

void FramePool::give_back(Frame* frame) {
  (frame->storage.size() == small_bytes ? small_ : large_).push_back(frame);
}

}  // namespace suiro
