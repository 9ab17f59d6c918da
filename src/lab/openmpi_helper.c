// SPDX-License-Identifier: BSD-3-Clause
// A library that a lab preloads for Open MPI 4's launcher, which starts a remote shell for each
// host: parent and child both make the child the leader of a process group, and where the child was
// quicker and runs the shell already, the parent is refused (setpgid(2), EACCES) and warns of it on
// the user's terminal. What it asks for has been done then, so here it is told so.
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((visibility("default"))) int setpgid(pid_t process, pid_t group) {
  const long result = syscall(SYS_setpgid, process, group);
  const int is_done = result != 0 && errno == EACCES && getpgid(process) == group;
  return is_done ? 0 : (int)result;
}
