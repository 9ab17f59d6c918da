// SPDX-License-Identifier: BSD-3-Clause
// Who speaks when all ranks of a host have met the same.
#include "net/endpoint/complaint.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/tell.hpp"

namespace suiro::net {
namespace {

struct Complaints : ::testing::Test {
  void SetUp() override {
    char folder[] = "/tmp/suiro-test-XXXXXX";
    ASSERT_NE(mkdtemp(folder), nullptr);
    path = folder;
    setenv("XDG_RUNTIME_DIR", folder, 1);
    setenv("OMPI_COMM_WORLD_RANK", "7", 1);
  }
  void TearDown() override { std::filesystem::remove_all(path); }

  /// What a rank of this job says that loses its peer twice, and ends.
  static std::string said_by_rank_of(const char* job_secret) {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe(ends.data()), 0);
    const pid_t child = fork();
    if (child == 0) {
      dup2(ends[1], STDERR_FILENO);
      setenv("SUIRO_JOB_SECRET", job_secret, 1);
      Name peer;
      peer.local_rank = 3;
      for (int time = 0; time < 2; ++time) complain_of(peer, "it is gone");
      _exit(0);
    }
    close(ends[1]);
    std::string text;
    char letter = 0;
    while (read(ends[0], &letter, 1) == 1) text += letter;
    close(ends[0]);
    waitpid(child, nullptr, 0);
    return text;
  }

  std::string path;
};

TEST_F(Complaints, AreMadeOnceByEachJob) {
  const std::string text = said_by_rank_of("one");
  EXPECT_TRUE(text.starts_with("suiro: rank 7 on ")) << text;
  EXPECT_TRUE(
      text.ends_with(": no way is left to process 3 of the host with 0.0.0.0: it is gone\n"))
      << text;
  EXPECT_EQ(said_by_rank_of("one"), "");
  EXPECT_NE(said_by_rank_of("other"), "");
  const auto hour_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  for (const auto& mark : std::filesystem::directory_iterator(path + "/suiro"))
    std::filesystem::last_write_time(mark, hour_ago);
  EXPECT_NE(said_by_rank_of("one"), "") << "that was another job";
}

TEST_F(Complaints, AreMadeByEachRankWhereNoMarkCanBeLeft) {
  setenv("XDG_RUNTIME_DIR", "/nowhere", 1);
  EXPECT_NE(said_by_rank_of("one"), "");
  EXPECT_NE(said_by_rank_of("one"), "");
}

/// With standard error as `prepare` leaves it, and SIGPIPE as programs have it.
int ending_of_one_who_complains(void (*prepare)()) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGPIPE, SIG_DFL);
    prepare();
    complain("it is gone");
    errno = EDOM;
    tell("it is gone\n");
    sigset_t waiting;
    sigpending(&waiting);
    _exit(errno == EDOM && sigismember(&waiting, SIGPIPE) == 0 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST_F(Complaints, ThatNobodyTakesDoNoHarm) {
  EXPECT_EQ(ending_of_one_who_complains([] { close(STDERR_FILENO); }), 0);
  EXPECT_EQ(ending_of_one_who_complains([] { dup2(open("/dev/full", O_WRONLY), STDERR_FILENO); }),
            0);
  EXPECT_EQ(ending_of_one_who_complains([] {
              std::array<int, 2> ends{};
              if (pipe(ends.data()) != 0) _exit(2);
              dup2(ends[1], STDERR_FILENO);
              close(ends[0]);
            }),
            0);
}

TEST_F(Complaints, GetIntoNoFileThatTookThePlaceOfAClosedStandardError) {
  const std::string file = path + "/data";
  const pid_t child = fork();
  if (child == 0) {
    close(STDERR_FILENO);
    can_tell();  // as at MPI_Init
    open(file.c_str(), O_WRONLY | O_CREAT, 0600);
    complain("it is gone");
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  EXPECT_EQ(std::filesystem::file_size(file), 0U);
}

}  // namespace
}  // namespace suiro::net
