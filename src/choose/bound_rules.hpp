// SPDX-License-Identifier: BSD-3-Clause
// What the bound alone decides, of messages so long that their bytes are all that counts, without a
// prediction, which takes time: for any number of ranks, and from the first call on. The rules hold
// where nodes do their part in less time than links.
#pragma once

#include "rules/rules.hpp"

namespace suiro {

/// For links whose rate is known, and nodes whose ranks have so many processors; 0: each has its
/// own. Where the rate is not known there are none: cards of clouds do not tell it, and what is
/// best at 1 Gbit/s takes five times native's time at 25.
RuleTable bound_rules(const Link& link, int processors);

}  // namespace suiro
