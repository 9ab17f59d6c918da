// SPDX-License-Identifier: BSD-3-Clause
// A queue that grows rather than lose anything, and allocates nothing once it has grown.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace suiro::fabric {

template <class Value>
class Ring {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  const Value& front() const { return slots_[first_]; }

  void push(const Value& value) {
    if (size_ == slots_.size()) grow();
    slots_[(first_ + size_++) & (slots_.size() - 1)] = value;
  }

  void pop() {
    first_ = (first_ + 1) & (slots_.size() - 1);
    --size_;
  }

 private:
  /// The number of slots stays a power of two.
  void grow() {
    std::vector<Value> larger(slots_.empty() ? 64 : 2 * slots_.size());
    for (std::size_t i = 0; i < size_; ++i)
      larger[i] = std::move(slots_[(first_ + i) & (slots_.size() - 1)]);
    slots_ = std::move(larger);
    first_ = 0;
  }

  std::vector<Value> slots_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace suiro::fabric
