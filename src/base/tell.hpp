// SPDX-License-Identifier: BSD-3-Clause
// Words to users, on standard error. They never end or stop the program that they are about.
#pragma once

#include <string_view>

namespace suiro {

/// Writes the text at once, past the program's own buffers. What nobody can take is dropped: the
/// reader may be gone, the disk full, the descriptor closed.
void tell(std::string_view text);

/// One line: "suiro: ...".
void say(std::string_view message);

/// Whether standard error was open the first time that this was asked: call it before anything else
/// is opened, which would get its number.
bool can_tell();

}  // namespace suiro
