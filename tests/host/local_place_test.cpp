// SPDX-License-Identifier: BSD-3-Clause
// How many cores the ranks of a host share: this program starts itself below a shell, which stands
// for the launcher, bound to fewer cores or not, and with what a launcher tells its ranks.
#include "host/local_place.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "host/processor_quota.hpp"

namespace suiro::host {
namespace {

const char* const rank = "OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=2 ";

/// How many cores the started test finds; -1 if it finds another place than it was told.
int cores_seen(const std::string& launcher, const std::string& between) {
  char self[PATH_MAX] = {};
  EXPECT_GT(readlink("/proc/self/exe", self, sizeof self - 1), 0);
  const std::string start =
      fmt::format("{}{}{} --gtest_also_run_disabled_tests --gtest_filter=*.DISABLED_Rank; exit $?",
                  rank, between, self);
  std::FILE* said = popen(fmt::format("{} sh -c '{}'", launcher, start).c_str(), "r");
  int cores = -1;
  for (char line[256]; std::fgets(line, sizeof line, said) != nullptr;)
    std::sscanf(line, "rank 1 of 2, cores %d", &cores);
  return pclose(said) == 0 ? cores : -1;
}

TEST(LocalPlace, DISABLED_Rank) {
  const LocalPlace place = local_place();
  std::printf("rank %d of %d, cores %d\n", place.rank, place.ranks, place.cores);
}

int own_cores() {
  cpu_set_t cores;
  return sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 0;
}

std::string on_one_core() {
  cpu_set_t cores;
  EXPECT_EQ(sched_getaffinity(0, sizeof cores, &cores), 0);
  int one = 0;
  while (!CPU_ISSET(one, &cores)) ++one;
  return fmt::format("taskset -c {} ", one);
}

TEST(LocalPlace, BoundRanksShareTheLaunchersCores) {
  EXPECT_EQ(cores_seen("", ""), own_cores());
  EXPECT_EQ(cores_seen("", on_one_core()), own_cores()) << "each rank has others";
}

TEST(LocalPlace, ALauncherMayBeBoundItself) {
  EXPECT_EQ(cores_seen(on_one_core(), ""), 1);
  EXPECT_EQ(cores_seen(on_one_core(), on_one_core()), 1);
}

/// A shell in between, which hands its variables on.
std::string shell(const std::string& path) {
  return fmt::format("{} -c \"\\$0 \\$*; exit \\$?\" ", path);
}

TEST(LocalPlace, AWrapperIsNoLauncher) {
  EXPECT_EQ(cores_seen("", on_one_core() + shell("sh")), own_cores());
}

TEST(LocalPlace, ALauncherMayHaveBeenStartedByAnother) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / fmt::format("local_place_{}", getpid());
  std::filesystem::create_directory(folder);
  std::filesystem::create_symlink("/bin/sh", folder / "mpirun.inner");
  EXPECT_EQ(cores_seen("", on_one_core() + shell(folder / "mpirun.inner")), 1);
  std::filesystem::remove_all(folder);
}

TEST(LocalPlace, OfAProcessAlone) {
  const LocalPlace place = local_place();
  EXPECT_EQ(place.rank, 0);
  EXPECT_EQ(place.ranks, 1);
  EXPECT_EQ(place.cores, own_cores());
}

TEST(ProcessorQuota, IsTheLeastOfTheGroupsAbove) {
  const std::filesystem::path root = testing::TempDir() + "groups-" + std::to_string(getpid());
  const auto write = [&](const char* file, const char* text) {
    std::filesystem::create_directories((root / file).parent_path());
    std::ofstream(root / file) << text << "\n";
  };
  EXPECT_GT(processor_quota("0::/a/b\n", root), 1e9) << "nothing is there";
  write("cpu.max", "max 100000");
  write("a/cpu.max", "150000 100000");
  write("a/b/cpu.max", "200000 100000");
  EXPECT_EQ(processor_quota("0::/a/b\n", root), 1.5);
  EXPECT_EQ(processor_quota("0::/a/b/c\n", root), 1.5);
  EXPECT_GT(processor_quota("0::/\n", root), 1e9);
  write("cpu,cpuacct/x/cpu.cfs_quota_us", "20000");
  write("cpu,cpuacct/x/cpu.cfs_period_us", "100000");
  write("cpu,cpuacct/cpu.cfs_quota_us", "-1");
  write("cpu,cpuacct/cpu.cfs_period_us", "100000");
  EXPECT_EQ(processor_quota("3:memory:/x\n2:cpu,cpuacct:/x/y\n0::/a\n", root), 0.2);
  EXPECT_GT(processor_quota("2:cpu,cpuacct:/\nnonsense\n1:\n", root), 1e9);
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace suiro::host
