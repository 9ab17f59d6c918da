// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/underneath/waiting.hpp"

#include "host/local_place.hpp"
#include "mpi/underneath/load.hpp"

namespace suiro::mpi {

Waiting waiting_on(int ranks_on_node) {
  const auto* told = static_cast<const bool*>(real_symbol_if_any("ompi_mpi_yield_when_idle"));
  const bool mpi_yields = told != nullptr && *told;
  return {mpi_yields || ranks_on_node > host::local_place().cores, mpi_yields};
}

}  // namespace suiro::mpi
