// SPDX-License-Identifier: BSD-3-Clause
// How many threads of this process call endpoints. Those of a rank that all wait for messages need
// cores as ranks do.
#pragma once

namespace suiro::net {

/// The calling thread is one of them, until it ends.
void count_calling_thread();

/// Of those alive that have ever called.
int calling_threads();

}  // namespace suiro::net
