// SPDX-License-Identifier: BSD-3-Clause
// The place of this process among those of its job on this host, as far as the launcher tells.
#pragma once

namespace suiro::host {

struct LocalPlace {
  int rank = 0;
  int ranks = 1;
  /// That the ranks of this host may use together. Those of one process say nothing of the others'
  /// where the launcher binds each to some of its own; the launcher itself may use all of them.
  /// A limit on processor time counts as fewer cores.
  int cores = 1;
};

LocalPlace local_place();

}  // namespace suiro::host
