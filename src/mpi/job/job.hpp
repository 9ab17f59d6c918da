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
#include "mpi/job/placement.hpp"
#include "mpi/job/service.hpp"
#include "mpi/job/settings.hpp"
#include "mpi/underneath/waiting.hpp"

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
  int rank = 0;                   // in the world
  std::uint64_t left_native = 0;  // collectives, by their places in the table
  bool devices = false;           // a rank may have buffers in device memory
  std::atomic<int> twins{0};      // private communicators that there are
  Service service;
};
extern Job& job;

}  // namespace suiro::mpi
