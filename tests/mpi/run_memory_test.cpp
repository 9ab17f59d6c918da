// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/carry/run_memory.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace suiro::mpi {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

Needs needs(Use use, std::size_t bytes) {
  Needs found;
  found[use] = bytes;
  return found;
}

TEST(RunMemory, IsTakenForWhatIsNeededAndNothingElse) {
  Needs both = needs(Use::scratch, 3 * mebibyte);
  both[Use::mirror] = 100;
  const RunMemory memory(both);
  std::memset(memory[Use::scratch], 1, 3 * mebibyte);
  std::memset(memory[Use::mirror], 1, 100);
  EXPECT_EQ(memory[Use::arrivals], nullptr);
  EXPECT_EQ(memory[Use::work], nullptr);
  EXPECT_EQ(memory[Use::joined], nullptr);
}

TEST(RunMemory, IsThatOfTheRunBeforeWhateverItWasFor) {
  const std::byte* before = nullptr;
  {
    const RunMemory memory(needs(Use::scratch, 5 * mebibyte));
    before = memory[Use::scratch];
  }
  const RunMemory memory(needs(Use::arrivals, 5 * mebibyte));
  EXPECT_EQ(memory[Use::arrivals], before);
}

TEST(RunMemory, OfRunsAtOnceIsTheirOwn) {
  const RunMemory one(needs(Use::scratch, mebibyte));
  const RunMemory other(needs(Use::scratch, mebibyte));
  EXPECT_NE(one[Use::scratch], other[Use::scratch]);
}

TEST(RunMemory, ThatSendsMayStillReadIsNeverUsedAgain) {
  std::byte* left = nullptr;
  {
    RunMemory memory(needs(Use::scratch, 7 * mebibyte));
    left = memory[Use::scratch];
    memory.leave_behind();
  }
  const RunMemory memory(needs(Use::scratch, 7 * mebibyte));
  EXPECT_NE(memory[Use::scratch], left);
  delete[] left;
}

}  // namespace
}  // namespace suiro::mpi
