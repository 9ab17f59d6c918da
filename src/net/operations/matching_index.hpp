// SPDX-License-Identifier: BSD-3-Clause
// What both queues of matching are made of: lists that run through their entries, and a hash table
// of such lists. Entries have members `next` and `previous`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "net/protocol/message.hpp"

namespace suiro::net {

template <typename Entry>
class OrderedList {
 public:
  Entry* first() const { return first_; }
  bool empty() const { return first_ == nullptr; }

  void append(Entry& entry) {
    entry.next = nullptr;
    entry.previous = last_;
    (last_ != nullptr ? last_->next : first_) = &entry;
    last_ = &entry;
  }

  void remove(Entry& entry) {
    (entry.previous != nullptr ? entry.previous->next : first_) = entry.next;
    (entry.next != nullptr ? entry.next->previous : last_) = entry.previous;
  }

 private:
  Entry* first_ = nullptr;
  Entry* last_ = nullptr;
};

/// What entries that match alike have in common; `tag` without the ignored bits.
struct MatchKey {
  std::uint64_t tag = 0;
  Peer source = any_peer;
  Space space = Space::tagged;

  bool operator==(const MatchKey&) const = default;
};

/// Lists by key, in a table with linear probing. Each list is in the order in which it was
/// appended to. A slot whose list is empty is free.
template <typename Entry>
class MatchIndex {
 public:
  Entry* first(const MatchKey& key) const {
    return slots_.empty() ? nullptr : slots_[find(key)].list.first();
  }

  void add(const MatchKey& key, Entry& entry) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[find(key)];
    if (slot.list.empty()) {
      slot.key = key;
      ++used_;
    }
    slot.list.append(entry);
  }

  /// The entry was added with this key.
  void remove(const MatchKey& key, Entry& entry) {
    const std::size_t place = find(key);
    slots_[place].list.remove(entry);
    if (slots_[place].list.empty()) close_gap(place);
  }

 private:
  struct Slot {
    MatchKey key;
    OrderedList<Entry> list;
  };

  static std::uint64_t hash(const MatchKey& key) {
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
    const std::uint64_t who =
        std::uint64_t{key.source} << 1 | static_cast<std::uint64_t>(key.space);
    std::uint64_t mixed = (key.tag ^ who * odd) * odd;
    mixed = (mixed ^ mixed >> 32) * odd;
    return mixed ^ mixed >> 29;
  }

  std::size_t home(const MatchKey& key) const { return hash(key) & (slots_.size() - 1); }
  std::size_t after(std::size_t place) const { return (place + 1) & (slots_.size() - 1); }

  /// The slot of this key, or the free one where it would be.
  std::size_t find(const MatchKey& key) const {
    std::size_t place = home(key);
    while (!slots_[place].list.empty() && slots_[place].key != key) place = after(place);
    return place;
  }

  void grow() {
    constexpr std::size_t slots_at_first = 16;
    std::vector<Slot> old(slots_.empty() ? slots_at_first : 2 * slots_.size());
    std::swap(old, slots_);
    for (const Slot& slot : old) {
      if (!slot.list.empty()) slots_[find(slot.key)] = slot;
    }
  }

  /// Moves later slots of the same run forward where the free slot would end their search.
  void close_gap(std::size_t gap) {
    --used_;
    for (std::size_t place = after(gap); !slots_[place].list.empty(); place = after(place)) {
      const std::size_t mask = slots_.size() - 1;
      const std::size_t distance = (place - home(slots_[place].key)) & mask;
      if (distance < ((place - gap) & mask)) continue;
      slots_[gap] = std::exchange(slots_[place], Slot{});
      gap = place;
    }
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace suiro::net
