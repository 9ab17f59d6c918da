// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "algorithms/compose.hpp"
#include "algorithms/segments.hpp"
#include "algorithms/tree.hpp"

namespace suiro {

extern const Algorithm reduce_binary;
extern const Algorithm reduce_binomial;
extern const Algorithm reduce_chain;
extern const Algorithm reduce_extended_rabenseifner;
extern const Algorithm reduce_in_order_binary;
extern const Algorithm reduce_in_order_pipeline;
extern const Algorithm reduce_linear;
extern const Algorithm reduce_node_pipeline;
extern const Algorithm reduce_pipeline;
extern const Algorithm reduce_rabenseifner;
extern const Algorithm reduce_shared_tree;

}  // namespace suiro
