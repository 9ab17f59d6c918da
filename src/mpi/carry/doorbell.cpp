// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/carry/doorbell.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <ctime>

namespace suiro::mpi {

bool Doorbell::sleep(std::uint32_t heard) {
  constexpr timespec at_most{0, 1'000'000};
  return syscall(SYS_futex, &rings_, FUTEX_WAIT, heard, &at_most, nullptr, 0) == 0 ||
         errno == EAGAIN;
}

void Doorbell::await(std::uint64_t number) {
  std::uint64_t awaited = awaited_.load();
  while (awaited == nothing || awaited > number) {
    if (awaited_.compare_exchange_weak(awaited, number)) return;
  }
}

void Doorbell::wake() {
  ++rings_;
  syscall(SYS_futex, &rings_, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace suiro::mpi
