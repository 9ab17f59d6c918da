// SPDX-License-Identifier: BSD-3-Clause
// JSON whose values know their line, so that a mistake in a file is reported where it is. The JSON
// library has no positions; this small tree is built from its events.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace suiro {

struct LocatedJson {
  enum class Kind : std::uint8_t { null, boolean, integer, other_number, string, array, object };

  int line = 1;  // where the value begins; of a member, where its key is
  Kind kind = Kind::null;
  std::string key;  // of a member of an object
  std::int64_t integer = 0;
  std::string string;
  std::vector<LocatedJson> elements;  // of an array; the members of an object

  /// The member of an object, or nullptr.
  const LocatedJson* find(std::string_view member_key) const;

  /// "a string", "null", "the number 7": for messages.
  std::string describe() const;
};

/// What is read at most; more is an error, so that no file costs much memory or time.
inline constexpr std::size_t json_depth_max = 8;
inline constexpr std::size_t json_members_max = 64;  // of one object
inline constexpr std::size_t json_bytes_max = 1 << 20;

/// Throws std::runtime_error "NAME:LINE: ..." for a syntax error, a key that occurs twice, or too
/// much of anything.
LocatedJson parse_json(std::string_view text, std::string_view name);

/// "NAME:LINE: what"
std::runtime_error located_error(std::string_view name, int line, std::string_view what);

}  // namespace suiro
