// SPDX-License-Identifier: BSD-3-Clause
// What containers and hardened systems forbid: the transport goes on without, or says what is
// missing. Each case runs in a process of its own, whose system calls fail as theirs do.
#include <gmock/gmock.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "pair.hpp"

namespace suiro::net {
namespace {

void forbid(long system_call) {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(system_call), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{std::size(program), program};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  ASSERT_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
}

void without(long system_call, void (*act)()) {
  const pid_t child = fork();
  if (child == 0) {
    forbid(system_call);
    if (!testing::Test::HasFailure()) act();
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

/// Through which rail the messages went: streams that were opened in shared memory.
std::uint64_t exchange_in_shared_memory() {
  Pair pair(loopback(true));
  for (const std::size_t bytes : {1UL, 4096UL, 300'000UL, 5UL << 20}) {
    const auto data = random_data(bytes);
    std::vector<std::uint8_t> target(bytes);
    pair.b.receive(bytes, target);
    EXPECT_EQ(pair.a.send(pair.to_b, bytes, data), Status::ok);
    EXPECT_TRUE(pair.b.wait(1) && pair.a.wait(1));
    EXPECT_EQ(pair.a.log.take().front().status, Status::ok);
    EXPECT_EQ(pair.b.log.take().front().status, Status::ok);
    EXPECT_TRUE(target == data);
  }
  return pair.a.endpoint.statistics().rails[max_rails].streams_opened;
}

/// As with Yama, in another pid namespace, or without the capability.
TEST(Forbidden, ReadingAnotherProcesssMemory) {
  without(SYS_process_vm_readv, [] { EXPECT_EQ(exchange_in_shared_memory(), 2U); });
}

TEST(Forbidden, SharedMemory) {
  without(SYS_memfd_create, [] { EXPECT_EQ(exchange_in_shared_memory(), 0U); });
}

}  // namespace
}  // namespace suiro::net
