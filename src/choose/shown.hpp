// SPDX-License-Identifier: BSD-3-Clause
// What native has taken in a program's calls shows where the model is wrong about the network: a
// cluster's file may be, and cards tell a rate that the switch, the cloud or other jobs do not
// have.
#pragma once

#include <vector>

#include "choose/course.hpp"

namespace suiro {

/// The model's doubt (docs/tuning.md) is enough to explain the difference.
bool is_near(double one_s, double other_s);
bool explains(const Foretold& native, double shown_s);

/// On one network at least, or native is not foretold.
bool is_explained(const std::vector<Foretold>& native, double shown_s);

/// Links as much slower or faster as native is there. It has other parts than links, so where these
/// explain nothing yet, it is to be foretold anew, and they changed again.
std::vector<Network> with_other_links(std::vector<Network> networks,
                                      const std::vector<Foretold>& native, double shown_s);

/// `native[i]` is on `networks[i]`.
void leave_out_what_does_not_explain(std::vector<Network>& networks, std::vector<Foretold>& native,
                                     double shown_s);

}  // namespace suiro
