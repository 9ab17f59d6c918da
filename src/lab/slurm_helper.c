// SPDX-License-Identifier: BSD-3-Clause
// A library that a lab without root preloads into Slurm's daemons. They give up their supplementary
// groups before they work, which a user namespace of an ordinary user refuses, and end if they
// cannot. Nobody but the lab's user is in there, so nothing is to be given up: a refusal is taken
// for consent.
#include <errno.h>
#include <grp.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((visibility("default"))) int setgroups(size_t count, const gid_t* groups) {
  const long result = syscall(SYS_setgroups, count, groups);
  return result != 0 && errno == EPERM ? 0 : (int)result;
}
