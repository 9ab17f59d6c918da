// SPDX-License-Identifier: BSD-3-Clause
// Memory for the day when there is none. Ranks must act alike, and one that cannot even make its
// plan, or a string, cannot tell the others so: they would wait for it. So a process keeps a
// reserve, which is given back when an allocation of suiro's fails; it carries the rank to the next
// point where ranks agree, and there they stay native.
#pragma once

namespace suiro::mpi {

/// From now on an allocation of suiro's that fails is tried again without the reserve, and throws
/// std::bad_alloc only then. The program's own allocations are its own: libsuiro has its own
/// operator new (-static-libstdc++).
void keep_reserve();

/// False when the reserve was used and cannot be had again: then nothing new is to be begun.
bool has_reserve();

}  // namespace suiro::mpi
