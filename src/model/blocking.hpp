// SPDX-License-Identifier: BSD-3-Clause
// Packets at the head of their input's queue that find their output taken.
#pragma once

#include <span>
#include <vector>

namespace suiro {

/// The part of the time in which each of N nodes' heads is served. share[s * N + t] of what node s
/// sends goes to node t (the shares of a node add up to 1, or it sends nothing), and it has a
/// packet at its head for the part busy[s] of the time. Every other node is a rival for an output
/// with the probability that its head is for it; one of k that want it is served. So the mean of
/// 1 / (1 + rivals), which is the integral over x of 0 to 1 of the product over the others of
/// (1 - p + p x): a polynomial, integrated exactly for 15 rivals and to 0.1 % for more.
std::vector<double> served_heads(std::span<const double> share, std::span<const double> busy);

}  // namespace suiro
