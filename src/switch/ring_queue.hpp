// SPDX-License-Identifier: BSD-3-Clause
// A first-in first-out queue that keeps its memory: once it has been as long as it gets, it never
// allocates again.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace suiro {

template <typename T>
class RingQueue {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T& front() { return items_[first_]; }
  const T& operator[](std::size_t i) const { return items_[(first_ + i) & (items_.size() - 1)]; }

  void push(T item) {
    if (size_ == items_.size()) grow();
    items_[(first_ + size_++) & (items_.size() - 1)] = std::move(item);
  }

  void pop() {
    first_ = (first_ + 1) & (items_.size() - 1);
    --size_;
  }

 private:
  void grow() {
    std::vector<T> larger(items_.size() * 2);
    for (std::size_t i = 0; i < size_; ++i)
      larger[i] = std::move(items_[(first_ + i) & (items_.size() - 1)]);
    items_ = std::move(larger);
    first_ = 0;
  }

  std::vector<T> items_ = std::vector<T>(4);  // a power of two, so that wrapping is a mask
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace suiro
