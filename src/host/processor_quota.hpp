// SPDX-License-Identifier: BSD-3-Clause
// How much processor time a container or a batch system leaves to the ranks of a host, in cores:
// a host of 64 cores may give a job half a core.
#pragma once

#include <string>

namespace suiro::host {

/// The least limit of the control groups that this process is in; infinity if there is none, or it
/// cannot be read.
double processor_quota();

/// The same for what /proc/self/cgroup says, of groups below `root` (cgroups(7); cpu.max of version
/// 2, cpu.cfs_quota_us of version 1).
double processor_quota(const std::string& groups, const std::string& root);

}  // namespace suiro::host
