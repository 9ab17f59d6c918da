// SPDX-License-Identifier: BSD-3-Clause
// What a call throws, as text, so that a test can show the whole message.
#pragma once

#include <stdexcept>
#include <string>

namespace suiro {

template <class Call>
std::string error_message(const Call& call) {
  try {
    call();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace suiro
