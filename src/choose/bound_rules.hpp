// SPDX-License-Identifier: BSD-3-Clause
// What the bound alone decides, of messages so long that their bytes are all that counts, without a
// prediction, which takes time: for any number of ranks, and from the first call on.
#pragma once

#include "rules/rules.hpp"

namespace suiro {

/// For nodes with such links.
RuleTable bound_rules(const Link& link);

}  // namespace suiro
