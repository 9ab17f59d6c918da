// SPDX-License-Identifier: BSD-3-Clause
// Objects that come and go with every message, without asking the heap each time. They can also be
// gone through, which is for rare events only (a peer dies, an endpoint closes).
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace suiro {

template <typename Object>
class Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() {
    for_each([](Object& object) { object.~Object(); });
  }

  Object& take() {
    if (free_ == nullptr) grow();
    Place* place = free_;
    free_ = place->next;
    place->live = true;
    ++live_;
    return *new (place->bytes) Object;
  }

  void give(Object& object) {
    object.~Object();
    auto* place = reinterpret_cast<Place*>(&object);
    place->live = false;
    place->next = free_;
    free_ = place;
    --live_;
  }

  std::size_t live() const { return live_; }

  /// `visit` may give back the object it is called with, and others.
  template <typename Visit>
  void for_each(Visit visit) {
    for (std::size_t slab = 0; slab < slabs_.size(); ++slab)
      for (Place& place : *slabs_[slab])
        if (place.live) visit(*std::launder(reinterpret_cast<Object*>(place.bytes)));
  }

 private:
  static constexpr std::size_t places_per_slab = 128;

  struct Place {
    alignas(Object) std::byte bytes[sizeof(Object)];  // first: an object's place has its address
    Place* next = nullptr;
    bool live = false;
  };
  using Slab = std::array<Place, places_per_slab>;

  void grow() {
    slabs_.push_back(std::make_unique<Slab>());
    for (Place& place : *slabs_.back()) place.next = std::exchange(free_, &place);
  }

  std::vector<std::unique_ptr<Slab>> slabs_;
  Place* free_ = nullptr;
  std::size_t live_ = 0;
};

}  // namespace suiro
