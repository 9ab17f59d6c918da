// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rdma/fi_eq.h>

namespace suiro::fabric {

int open_event_queue(fid_fabric* fabric, fi_eq_attr* attributes, fid_eq** queue, void* context);

}  // namespace suiro::fabric
