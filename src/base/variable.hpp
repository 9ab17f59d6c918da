// SPDX-License-Identifier: BSD-3-Clause
// How environment variables of suiro's are read. Which there are, what they take and what holds
// without them is described once, in python/suiro/variables.json, from which "base/variables.hpp"
// is made: one constant for each.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace suiro {

struct Variable {
  const char* name;
  const char* expected;  // what it takes, in words
  bool secret = false;   // messages do not repeat it
};

/// `on`, `1`, `yes`, `true`, or `off`, `0`, `no`, `false`.
struct Switch : Variable {
  bool usual;
};

struct Choice : Variable {
  std::string_view usual;
  std::span<const std::string_view> choices;
};

/// A whole number; of bytes with at most one of K, M, G behind it, which count in 1024s. 0, where
/// nothing usual is known.
struct Number : Variable {
  std::int64_t usual;
  std::int64_t lowest;
  std::int64_t highest;
  bool bytes;
};

/// Its value; null where it is not set, or empty.
const char* value_of(const Variable& variable);
/// The same, with empty text for null.
std::string text_of(const Variable& variable);

/// What is set, or usual. Throw std::runtime_error "NAME=VALUE: expected ..." if it takes no such
/// value.
bool is_on(const Switch& variable);
std::string_view choice_of(const Choice& variable);
std::int64_t number_of(const Number& variable);

/// Throws that error.
[[noreturn]] void refuse(const Variable& variable, std::string_view value);

}  // namespace suiro
