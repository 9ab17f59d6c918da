// SPDX-License-Identifier: BSD-3-Clause
// A library that a lab preloads, to mend two things of MPICH 4.0 on UCX 1.13 over TCP that no
// setting mends. It changes no algorithm and no protocol, serves every candidate of a comparison
// alike, and does nothing in programs without UCX.
//
// MPI_Finalize hangs. UCX closes a TCP endpoint by asking the peer for an answer, and MPICH waits
// for its own answers, then blocks in the launcher's barrier: a read, in which it answers nobody
// else. So the ranks that are later wait for ever. Here that read makes progress until the
// launcher has spoken.
//
// Waiting never gives the core away. Where a lab's ranks outnumber the cores, the one that is
// awaited hardly runs. Here a rank that has nothing to do yields, as Open MPI's do in a lab.
// SUIRO_LAB_MPICH_YIELD=0 leaves the spinning in place.
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STANDS_BEFORE __attribute__((visibility("default")))

enum { poll_ms = 1 };

// What this library stands before. UCX's functions are found when the first worker is made.
static ssize_t (*real_read)(int, void*, size_t);
static int (*real_create)(void*, const void*, void**);
static unsigned (*real_progress)(void*);
static void* (*real_disconnect)(void*);
static void (*real_destroy)(void*);

static void* worker;  // Debian's MPICH has one
static bool yields;
static _Thread_local bool closing;

// Python opens MPI into a scope of its own; then UCX is not next, but among the loaded libraries.
static void* find(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found != NULL) return found;
  void* library = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
  if (library == NULL) abort();
  found = dlsym(library, name);
  dlclose(library);  // its user keeps it open
  return found;
}

// Early, since a signal handler may be the first to read.
__attribute__((constructor)) static void find_read(void) {
  if (real_read == NULL) *(void**)&real_read = find("read");
}

static void find_ucx(void) {
  *(void**)&real_create = find("ucp_worker_create");
  *(void**)&real_progress = find("ucp_worker_progress");
  *(void**)&real_disconnect = find("ucp_disconnect_nb");
  *(void**)&real_destroy = find("ucp_worker_destroy");
  const char* wish = getenv("SUIRO_LAB_MPICH_YIELD");
  yields = wish == NULL || (strcmp(wish, "0") != 0 && strcmp(wish, "off") != 0);
}

// Answers the peers that still close their endpoints, until there is something to read.
static void progress_until_readable(int descriptor) {
  struct pollfd awaited = {.fd = descriptor, .events = POLLIN};
  for (;;) {
    const int ready = poll(&awaited, 1, poll_ms);
    if (ready > 0 || (ready < 0 && errno != EINTR)) return;
    while (real_progress(worker) != 0) {
    }
  }
}

STANDS_BEFORE int ucp_worker_create(void* context, const void* parameters, void** made) {
  if (real_create == NULL) find_ucx();
  const int status = real_create(context, parameters, made);
  if (status == 0 && worker == NULL) worker = *made;
  return status;
}

STANDS_BEFORE unsigned ucp_worker_progress(void* of) {
  const unsigned events = real_progress(of);
  if (events == 0 && yields) sched_yield();
  return events;
}

// MPICH disconnects in MPI_Finalize only.
STANDS_BEFORE void* ucp_disconnect_nb(void* endpoint) {
  closing = worker != NULL;
  return real_disconnect(endpoint);
}

STANDS_BEFORE void ucp_worker_destroy(void* ended) {
  closing = false;
  if (ended == worker) worker = NULL;
  real_destroy(ended);
}

STANDS_BEFORE ssize_t read(int descriptor, void* buffer, size_t size) {
  if (closing) progress_until_readable(descriptor);
  if (real_read == NULL) find_read();
  return real_read(descriptor, buffer, size);
}
