// SPDX-License-Identifier: BSD-3-Clause
#include "switch/rate_window.hpp"

namespace suiro {

RateWindow::RateWindow(std::int64_t rate_bps, int mtu_bytes)
    : limit_bytes_(rate_bps / 8 / 1000 + std::int64_t{2} * mtu_wire_bytes(mtu_bytes)) {}

void RateWindow::add(Time time, int bytes) {
  while (!entries_.empty() && entries_.front().time <= time - length) {
    bytes_ -= entries_.front().bytes;
    entries_.pop();
  }
  entries_.push({time, bytes});
  bytes_ += bytes;
  if (bytes_ <= limit_bytes_) return;
  ++violations_;
  while (!entries_.empty()) entries_.pop();  // the next window to be counted starts afresh
  bytes_ = 0;
}

}  // namespace suiro
