// SPDX-License-Identifier: BSD-3-Clause
// Memory for frames, used again and again. Most frames are small and would waste a super-frame's
// room, so there are two sizes; a frame is read into a large one and moved to a small one if it
// fits.
#pragma once

#include <memory>
#include <vector>

#include "switch/fabric.hpp"

namespace suiro {

class FramePool {
 public:
  static constexpr std::size_t small_bytes = 2048;
  static constexpr std::size_t large_bytes = frame_bytes_max + sizeof(OffloadHeader);

  /// A large frame to read into.
  Frame* take_large() { return take(large_, large_bytes); }
  Frame* take_small() { return take(small_, small_bytes); }
  void give_back(Frame* frame);

 private:
  using Free = std::vector<Frame*>;
  Frame* take(Free& free, std::size_t bytes);

  struct Owned {
    Frame frame;
    std::unique_ptr<std::byte[]> bytes;
  };
  std::vector<std::unique_ptr<Owned>> owned_;
  Free large_;
  Free small_;
};

}  // namespace suiro
