// SPDX-License-Identifier: BSD-3-Clause
// The state of this rank in its job. Everything but `mode` is written before the mode becomes
// active, and is constant afterwards, or locks by itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "algorithms/catalog.hpp"
#include "choose/choose.hpp"
#include "mpi/communicators.hpp"
#include "mpi/placement.hpp"
#include "mpi/record.hpp"
#include "mpi/service.hpp"
#include "mpi/settings.hpp"

namespace suiro::mpi {

/// native: every call is passed on, for the rest of the job.
enum class Mode : std::uint8_t { native, active };

struct Job {
  std::atomic<Mode> mode{Mode::native};
  Settings settings;
  Placement placement;
  Waiting waiting;
  Link link;  // as the slowest node reports it
  std::unique_ptr<Chooser> chooser;
  int rank = 0;                    // in the world
  std::uint64_t left_native = 0;   // collectives, by their places in the table
  bool devices = false;            // a rank may have buffers in device memory
  MPI_Errhandler errors_return{};  // found when MPI is there
  std::atomic<int> twins{0};       // private communicators that there are
  Communicators communicators;
  Record record;
  Service service;
};
extern Job& job;

/// One line on standard error: "suiro: ...".
void say(const std::string& message);

/// Within a handler of exceptions, none of which may reach the program: the error of the user's
/// call, after the communicator's error handler was called.
int error_of_exception(MPI_Comm communicator) noexcept;

}  // namespace suiro::mpi
