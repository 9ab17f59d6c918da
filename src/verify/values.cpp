// SPDX-License-Identifier: BSD-3-Clause
#include "verify/values.hpp"

#include <algorithm>
#include <bit>

namespace suiro {

namespace {
constexpr int word_bits = 64;
}

Values::Values(int ranks, std::int64_t blocks)
    : words_((ranks + word_bits - 1) / word_bits),
      blocks_(std::max<std::int64_t>(blocks, 1)),
      own_(ranks * blocks_) {}

std::int64_t Values::index_of(Id value) const {
  return is_own(value) ? value % blocks_ : combined(value).index;
}

int Values::origin_of(Id value) const {
  if (is_own(value)) return static_cast<int>(value / blocks_);
  int number = 0;
  while (word(value, number) == 0) ++number;
  return number * word_bits + std::countr_zero(word(value, number));
}

/// The origins from .. to - 1 when they are in order, else -1, -1.
std::pair<int, int> Values::order_of(Id value) const {
  const int origin = static_cast<int>(value / blocks_);
  if (is_own(value)) return {origin, origin + 1};
  return {combined(value).first, combined(value).last};
}

std::uint64_t Values::word(Id value, int number) const {
  if (!is_own(value)) {
    return origins_[static_cast<std::size_t>((value - own_) * words_ + number)];
  }
  const int origin = static_cast<int>(value / blocks_);
  return origin / word_bits == number ? std::uint64_t{1} << (origin % word_bits) : 0;
}

int Values::origins(Id value) const {
  int count = 0;
  for (int number = 0; number < words_; ++number) count += std::popcount(word(value, number));
  return count;
}

Values::Id Values::class_of(Id value) const { return is_own(value) ? value : combined(value).same; }

std::string Values::why_not(Id left, Id right) const {
  if (index_of(left) != index_of(right)) {
    return "reduces " + text_of(left) + " with " + text_of(right);
  }
  for (int number = 0; number < words_; ++number) {
    const std::uint64_t both = word(left, number) & word(right, number);
    if (both == 0) continue;
    return "takes the block of rank " +
           std::to_string(number * word_bits + std::countr_zero(both)) + " a second time";
  }
  return {};
}

Values::Id Values::combine(Id left, Id right) {
  if (const auto found = known_.find({left, right}); found != known_.end()) return found->second;
  if (!why_not(left, right).empty()) return none;
  const Id made = own_ + std::ssize(combined_);
  const auto [first, middle] = order_of(left);
  const auto [begin, last] = order_of(right);
  const bool ordered = first >= 0 && middle == begin;
  const std::pair key{std::min(class_of(left), class_of(right)),
                      std::max(class_of(left), class_of(right))};
  const Id same = classes_.try_emplace(key, made).first->second;
  for (int number = 0; number < words_; ++number) {
    origins_.push_back(word(left, number) | word(right, number));
  }
  combined_.push_back({.index = index_of(left),
                       .same = same,
                       .first = ordered ? first : -1,
                       .last = ordered ? last : -1});
  known_.emplace(std::pair{left, right}, made);
  return made;
}

bool Values::is(Id value, const Content& content) const {
  if (value == none || index_of(value) != content.index) return false;
  if (is_own(value)) {
    return value / blocks_ == content.first && content.last == content.first + 1;
  }
  if (origins(value) != content.last - content.first) return false;
  for (int origin = content.first; origin < content.last; ++origin) {
    if ((word(value, origin / word_bits) >> (origin % word_bits) & 1) == 0) return false;
  }
  return true;
}

bool Values::is_ordered(Id value) const { return order_of(value).first >= 0; }

std::string Values::text_of(Id value) const {
  const std::string block = "block " + std::to_string(index_of(value)) + " of ";
  if (is_own(value)) return block + "rank " + std::to_string(value / blocks_);
  const auto [first, last] = order_of(value);
  if (first < 0) return block + std::to_string(origins(value)) + " ranks";
  return block + "ranks " + std::to_string(first) + " to " + std::to_string(last - 1);
}

}  // namespace suiro
