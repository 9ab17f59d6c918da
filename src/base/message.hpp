// SPDX-License-Identifier: BSD-3-Clause
// Words for messages: text from a file or an environment variable is made fit for one line of a
// terminal, and a misspelt name is answered with the name that was probably meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace suiro {

/// `text` on one line: control characters become '?', and what is longer than `bytes_max` ends in
/// "...".
std::string printable(std::string_view text, std::size_t bytes_max = 60);

/// printable() in double quotes.
std::string in_quotes(std::string_view text);

/// `; did you mean "ring"?` for the name that is nearest to `text`, or nothing when none is near.
std::string did_you_mean(std::string_view text, std::span<const std::string_view> names);

/// `a, b, c`
std::string joined(std::span<const std::string_view> names);

}  // namespace suiro
