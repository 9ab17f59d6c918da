// SPDX-License-Identifier: BSD-3-Clause
#include "host/launcher.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <utility>
#include <vector>

namespace suiro::host {
namespace {

using Variables = std::vector<std::pair<const char*, const char*>>;

/// As a process is started with these variables, and no others.
void start_with(const Variables& variables) {
  clearenv();
  for (const auto& [name, value] : variables) setenv(name, value, 1);
}

TEST(Launcher, IsToldByItsVariables) {
  start_with(
      {{"PMI_RANK", "3"}, {"PMI_SIZE", "8"}, {"MPI_LOCALRANKID", "1"}, {"MPI_LOCALNRANKS", "2"}});
  EXPECT_EQ(launcher_rank(), 3);
  ASSERT_TRUE(launcher_place());
  EXPECT_EQ(launcher_place()->rank, 3);
  EXPECT_EQ(launcher_place()->size, 8);
  EXPECT_EQ(launcher_local_place().rank, 1);
  EXPECT_EQ(launcher_local_place().size, 2);
  EXPECT_STREQ(launcher_local_place().rank_variable, "MPI_LOCALRANKID");
}

TEST(Launcher, InsideABatchSystemCounts) {
  start_with({{"SLURM_PROCID", "0"},
              {"SLURM_STEP_NUM_TASKS", "1"},
              {"SLURM_LOCALID", "0"},
              {"OMPI_COMM_WORLD_RANK", "5"},
              {"OMPI_COMM_WORLD_SIZE", "6"},
              {"OMPI_COMM_WORLD_LOCAL_RANK", "2"}});
  EXPECT_EQ(launcher_rank(), 5);
  EXPECT_EQ(launcher_place()->size, 6);
  EXPECT_EQ(launcher_local_place().rank, 2);
}

TEST(Launcher, MayBeMissing) {
  start_with({});
  EXPECT_EQ(launcher_rank(), -1);
  ASSERT_TRUE(launcher_place());
  EXPECT_EQ(launcher_place()->size, 1);
  EXPECT_EQ(launcher_local_place().rank_variable, nullptr);
}

/// Slurm's batch step has a rank and no size: what runs there is alone.
TEST(Launcher, MayTellNoSize) {
  start_with({{"PMIX_RANK", "0"}});
  EXPECT_FALSE(launcher_place());
  start_with({{"PMI_FD", "5"}});
  EXPECT_FALSE(launcher_place());
  start_with({{"SLURM_PROCID", "0"}});
  EXPECT_TRUE(launcher_place());
}

TEST(Launcher, IsNotBelievedWithoutANumber) {
  start_with({{"OMPI_COMM_WORLD_RANK", "none"}, {"PMI_RANK", "-1"}, {"PMIX_RANK", "4"}});
  EXPECT_EQ(launcher_rank(), 4);
}

}  // namespace
}  // namespace suiro::host
