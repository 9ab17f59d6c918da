// SPDX-License-Identifier: BSD-3-Clause
// What must hold for every input: the fuzzer keeps the input for which the process ends.
#pragma once

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace suiro::fuzz {

inline void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

/// A message about a file is "NAME:LINE: what", on one line, without control characters.
inline void expect_located(std::string_view message, std::string_view name) {
  expect(message.starts_with(name), "the message begins with the name");
  message.remove_prefix(name.size());
  expect(message.starts_with(':'), "the name is followed by a colon");
  const std::size_t end = message.find_first_not_of("0123456789", 1);
  expect(end > 1 && message.substr(end).starts_with(": "), "the message has a line");
  for (const char byte : message) {
    expect(std::iscntrl(static_cast<unsigned char>(byte)) == 0, "the message is one clean line");
  }
}

}  // namespace suiro::fuzz
