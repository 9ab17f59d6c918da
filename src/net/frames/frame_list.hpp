// SPDX-License-Identifier: BSD-3-Clause
// Frames that wait for something, in order, linked through themselves.
#pragma once

#include <cstddef>
#include <cstdint>

#include "net/operations/operations.hpp"
#include "net/protocol/frames.hpp"

namespace suiro::net {

/// A frame that waits to be written, or for its acknowledgement.
struct Frame {
  Header header;
  HeaderBytes encoded;
  Send* send = nullptr;       // whose payload follows, or its first part
  bool undecided = false;     // a message of which nothing is written: eager, or a request?
  bool numbered = false;      // has its sequence number
  std::uint64_t written = 0;  // of header and payload
  Frame* next = nullptr;
  /// Of header and payload, once it is encoded.
  std::uint64_t bytes() const { return encoded.length + header.payload_bytes; }
};

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
