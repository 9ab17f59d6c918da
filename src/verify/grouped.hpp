// SPDX-License-Identifier: BSD-3-Clause
// Items grouped by a small number: a counting sort, for what a proof sorts most.
#pragma once

#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace suiro {

template <class Item>
class Grouped {
 public:
  /// `each` calls what it is given with a group below `groups` and an item, for every item, and the
  /// same ones when it is called again. Within a group the order stays.
  template <class Each>
  void fill(std::size_t groups, Each each) {
    ends_.assign(groups + 1, 0);
    each([&](std::size_t group, const Item&) { ++ends_[group + 1]; });
    std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
    items_.resize(ends_.back());
    // What is the begin of a group now is its end when all items are there.
    each([&](std::size_t group, const Item& item) { items_[ends_[group]++] = item; });
  }

  std::span<const Item> operator[](std::size_t group) const {
    const std::size_t begin = group == 0 ? 0 : ends_[group - 1];
    return std::span(items_).subspan(begin, ends_[group] - begin);
  }

 private:
  std::vector<Item> items_;
  std::vector<std::size_t> ends_;
};

}  // namespace suiro
