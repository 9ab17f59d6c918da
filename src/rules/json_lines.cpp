// SPDX-License-Identifier: BSD-3-Clause
// The library reads the text through an iterator that counts lines, and reports what it finds to
// TreeBuilder.
#include "rules/json_lines.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/message.hpp"

namespace suiro {
namespace {

using nlohmann::json;

/// The line of the last byte that was read. A newline counts with the byte after it, because the
/// library reads one byte beyond a number before it reports the number.
struct LineCounter {
  int line = 1;
  bool after_newline = false;
  void read(char byte) {
    if (after_newline) ++line;
    after_newline = byte == '\n';
  }
};

class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* position, LineCounter* counter)
      : position_(position), counter_(counter) {}
  reference operator*() const { return *position_; }
  CountingIterator& operator++() {
    counter_->read(*position_++);
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return position_ == other.position_; }
  bool operator!=(const CountingIterator& other) const { return position_ != other.position_; }

 private:
  const char* position_;
  LineCounter* counter_;
};

/// The library's sentence without its own prefix and position, and without bytes that may not be
/// characters.
std::string cause(std::string_view what) {
  const std::size_t prefix = what.find("] ");
  if (prefix != std::string_view::npos) what.remove_prefix(prefix + 2);
  const std::size_t position = what.find(": ");
  if (what.starts_with("parse error") && position != std::string_view::npos) {
    what.remove_prefix(position + 2);
  }
  std::string text(what);
  std::ranges::replace_if(
      text, [](unsigned char byte) { return byte >= 0x80; }, '?');
  return printable(text, 200);
}

/// Receives the library's events.
class TreeBuilder : public nlohmann::json_sax<json> {
 public:
  TreeBuilder(std::string_view name, const LineCounter& counter) : name_(name), counter_(counter) {}

  LocatedJson take_root() { return std::move(root_); }

  bool null() override { return add(LocatedJson::Kind::null); }
  bool boolean(bool /*value*/) override { return add(LocatedJson::Kind::boolean); }
  bool number_integer(number_integer_t value) override {
    return add(LocatedJson::Kind::integer, value);
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > INT64_MAX) return add(LocatedJson::Kind::other_number);
    return add(LocatedJson::Kind::integer, static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override {
    return add(LocatedJson::Kind::other_number);
  }
  bool string(string_t& value) override {
    return add(LocatedJson::Kind::string, 0, std::move(value));
  }
  bool binary(binary_t& /*value*/) override { return false; }  // does not occur in text
  bool start_object(std::size_t /*size*/) override { return open(LocatedJson::Kind::object); }
  bool start_array(std::size_t /*size*/) override { return open(LocatedJson::Kind::array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& value) override {
    if (const LocatedJson* first = open_.back()->find(value)) {
      fail("the key " + in_quotes(value) + " was given before, on line " +
           std::to_string(first->line));
    }
    if (open_.back()->elements.size() == json_members_max) {
      fail("an object has more than " + std::to_string(json_members_max) + " keys");
    }
    key_ = std::move(value);
    key_line_ = counter_.line;
    return true;
  }

  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    fail(cause(error.what()));
  }

 private:
  bool add(LocatedJson::Kind kind, std::int64_t integer = 0, std::string text = {}) {
    LocatedJson value{counter_.line, kind, {}, integer, std::move(text), {}};
    if (open_.empty()) {
      root_ = std::move(value);
      return true;
    }
    if (open_.back()->kind == LocatedJson::Kind::object) {
      value.key = std::move(key_);
      value.line = key_line_;
    }
    open_.back()->elements.push_back(std::move(value));
    return true;
  }

  bool open(LocatedJson::Kind kind) {
    if (open_.size() == json_depth_max) {
      fail("arrays and objects are nested more than " + std::to_string(json_depth_max) + " deep");
    }
    add(kind);
    // An open container does not move: its parent gets no other element before it is closed.
    open_.push_back(open_.empty() ? &root_ : &open_.back()->elements.back());
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw located_error(name_, counter_.line, what);
  }

  std::string_view name_;
  const LineCounter& counter_;
  LocatedJson root_;
  std::vector<LocatedJson*> open_;
  std::string key_;
  int key_line_ = 1;
};

}  // namespace

const LocatedJson* LocatedJson::find(std::string_view member_key) const {
  const auto found = std::ranges::find(elements, member_key, &LocatedJson::key);
  return found == elements.end() ? nullptr : &*found;
}

std::string LocatedJson::describe() const {
  switch (kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return "true or false";
    case Kind::integer:
      return "the number " + std::to_string(integer);
    case Kind::other_number:
      return "a number with a fraction, an exponent or too many digits";
    case Kind::string:
      return "the string " + in_quotes(string);
    case Kind::array:
      return "an array";
    case Kind::object:
      return "an object";
  }
  return "";
}

LocatedJson parse_json(std::string_view text, std::string_view name) {
  if (text.size() > json_bytes_max) {
    throw located_error(name, 1, "the file is larger than 1 MiB; shorten it");
  }
  LineCounter counter;
  // The library takes a zero byte for the end of the text and would not see what comes after it.
  const std::size_t zero = text.find('\0');
  if (zero != std::string_view::npos) {
    const auto line = 1 + std::ranges::count(text.substr(0, zero), '\n');
    throw located_error(name, static_cast<int>(line),
                        "there is a zero byte; the file must be text");
  }
  TreeBuilder builder(name, counter);
  json::sax_parse(CountingIterator(text.data(), &counter),
                  CountingIterator(text.data() + text.size(), &counter), &builder);
  return builder.take_root();
}

std::runtime_error located_error(std::string_view name, int line, std::string_view what) {
  return std::runtime_error(std::string(name) + ':' + std::to_string(line) + ": " +
                            std::string(what));
}

}  // namespace suiro
