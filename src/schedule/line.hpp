// SPDX-License-Identifier: BSD-3-Clause
// One line of a schedule's text, read from left to right. Its errors say where, what was expected
// and what was found; the bytes found are hostile, so they are shown shortened and without control
// characters.
#pragma once

#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace suiro {

class Line {
 public:
  Line(std::string_view text, std::string_view file, std::int64_t number)
      : rest_(text), file_(file), number_(number) {
    skip_spaces();
  }

  bool at_end() const { return rest_.empty(); }

  [[noreturn]] void fail(const std::string& expected) const {
    const std::string found = rest_.empty() ? "the end of the line" : "'" + shown() + "'";
    throw std::runtime_error(std::string(file_) + ":" + std::to_string(number_) + ": expected " +
                             expected + ", found " + found);
  }

  /// Takes `text` if it comes next.
  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    skip_spaces();
    return true;
  }

  /// Whether `word` comes next, as a whole word.
  bool next_is(std::string_view word) const {
    return rest_.starts_with(word) && (rest_.size() == word.size() || !is_name(rest_[word.size()]));
  }

  bool take_word(std::string_view word) { return next_is(word) && take(word); }

  void expect(std::string_view text) {
    if (!take(text)) fail("'" + std::string(text) + "'");
  }

  void expect_end() const {
    if (!at_end()) fail("the end of the line");
  }

  /// Letters, digits and underscores.
  std::string name(const std::string& what) {
    std::size_t length = 0;
    while (length < rest_.size() && is_name(rest_[length])) ++length;
    if (length == 0 || length > name_length_maximum) {
      fail(what + " (1 to 64 letters, digits or underscores)");
    }
    std::string result(rest_.substr(0, length));
    rest_.remove_prefix(length);
    skip_spaces();
    return result;
  }

  std::int64_t number(const std::string& what, std::int64_t minimum, std::int64_t maximum) {
    std::int64_t value = 0;
    const char* end = rest_.data() + rest_.size();
    const auto [stop, error] = std::from_chars(rest_.data(), end, value);
    if (error != std::errc{} || value < minimum || value > maximum || continues(stop, end)) {
      fail(what + " from " + std::to_string(minimum) + " to " + std::to_string(maximum));
    }
    rest_.remove_prefix(stop - rest_.data());
    skip_spaces();
    return value;
  }

 private:
  static constexpr std::size_t name_length_maximum = 64;
  static constexpr std::size_t shown_length_maximum = 40;

  static bool is_name(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_';
  }

  static bool continues(const char* stop, const char* end) { return stop != end && is_name(*stop); }

  void skip_spaces() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) {
      rest_.remove_prefix(1);
    }
  }

  std::string shown() const {
    std::string text(rest_.substr(0, shown_length_maximum));
    for (char& byte : text) {
      if (byte < ' ' || byte > '~') byte = '?';
    }
    return rest_.size() > shown_length_maximum ? text + "..." : text;
  }

  std::string_view rest_;
  std::string_view file_;
  std::int64_t number_;
};

}  // namespace suiro
