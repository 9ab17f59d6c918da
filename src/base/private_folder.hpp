// SPDX-License-Identifier: BSD-3-Clause
// Where processes of one user leave things for each other and for `suiro top`.
#pragma once

#include <string>

namespace suiro {

/// A folder of ours that nobody else can enter; empty if it cannot be had.
std::string private_folder();

}  // namespace suiro
