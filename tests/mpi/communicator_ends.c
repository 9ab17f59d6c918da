// SPDX-License-Identifier: BSD-3-Clause
// Communicators that end in every way that there is, after which their handles are used again for
// other ones; and more of them than a library can have private ones.
// usage: communicator_ends ends COUNT | many COUNT | finalize
// Prints "ok" once.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { numbers = 4096, contents = 1000 };
typedef int (*Free)(MPI_Comm*);
static int world_rank;

static void require(int condition, const char* what) {
  if (condition) return;
  printf("rank %d: %s\n", world_rank, what);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 99);
}

/// A broadcast from the last rank, which is another process in each kind of communicator.
static void use(MPI_Comm comm) {
  int rank, size, data[numbers];
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int i = 0; i < numbers; ++i) data[i] = rank == size - 1 ? contents * size + i : -1;
  MPI_Bcast(data, numbers, MPI_INT, size - 1, comm);
  for (int i = 0; i < numbers; ++i) require(data[i] == contents * size + i, "wrong data");
}

static MPI_Comm split(MPI_Comm parent, int kind) {
  int rank;
  MPI_Comm made;
  MPI_Comm_rank(parent, &rank);
  const int color[] = {0, rank % 2, rank / 2};
  MPI_Comm_split(parent, color[kind % 3], kind % 2 ? rank : -rank, &made);
  return made;
}

static int keep_path(struct dl_phdr_info* info, size_t size, void* path) {
  (void)size;
  if (strstr(info->dlpi_name, "/libmpi") != NULL) *(const char**)path = info->dlpi_name;
  return 0;
}

/// As languages do it that open libmpi by themselves: nothing that is preloaded is asked.
static Free of_library(const char* name) {
  const char* path = NULL;
  dl_iterate_phdr(keep_path, &path);
  void* library = path != NULL ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  Free found = NULL;
  if (library != NULL) *(void**)&found = dlsym(library, name);
  require(found != NULL, "no libmpi");
  return found;
}

/// Ends the duplicate that libraries keep with a communicator, and still uses that.
static int uses_once_more(MPI_Comm comm, int keyval, void* value, void* extra) {
  (void)keyval, (void)extra;
  use(*(MPI_Comm*)value);
  MPI_Comm_free(value);
  free(value);
  use(comm);
  return MPI_SUCCESS;
}

/// A callback that is older than what suiro attaches, and one that is newer.
static void attach(MPI_Comm comm) {
  int keyval;
  MPI_Comm* kept = malloc(sizeof *kept);
  MPI_Comm_dup(comm, kept);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, uses_once_more, &keyval, NULL);
  MPI_Comm_set_attr(comm, keyval, kept);
}

static void end_in_every_way(int count) {
  const Free ways[] = {MPI_Comm_free,
                       PMPI_Comm_free,
                       MPI_Comm_disconnect,
                       of_library("MPI_Comm_free"),
                       of_library("PMPI_Comm_free"),
                       of_library("MPI_Comm_disconnect")};
  const int known = sizeof ways / sizeof *ways;
  for (int i = 0; i < count; ++i) {
    MPI_Comm comm = split(MPI_COMM_WORLD, i);
    const int intercepted = i % known < 3;
    if (intercepted && i % 4 == 0) attach(comm);
    use(comm);
    if (intercepted && i % 5 == 0) attach(comm);
    use(comm);
    ways[i % known](&comm);
  }
}

/// The next to last argument of many: all at once.
static void have_many(int count) {
  MPI_Comm* all = malloc((size_t)count * sizeof *all);
  for (int i = 0; i < count; ++i) {
    require(MPI_Comm_dup(MPI_COMM_WORLD, &all[i]) == MPI_SUCCESS, "no communicator is left");
    use(all[i]);
  }
  for (int i = 0; i < count; ++i) MPI_Comm_free(&all[i]);
  free(all);
}

static void* end_on_a_thread(void* parent) {
  for (int i = 0; i < 20; ++i) {
    MPI_Comm comm = split(*(MPI_Comm*)parent, i);
    use(comm);
    MPI_Comm_free(&comm);
  }
  return NULL;
}

static void end_on_two_threads(void) {
  MPI_Comm parents[2];
  pthread_t thread;
  for (int i = 0; i < 2; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &parents[i]);
  pthread_create(&thread, NULL, end_on_a_thread, &parents[0]);
  end_on_a_thread(&parents[1]);
  pthread_join(thread, NULL);
  for (int i = 0; i < 2; ++i) MPI_Comm_free(&parents[i]);
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  const char* what = argc > 1 ? argv[1] : "";
  const int count = argc > 2 ? atoi(argv[2]) : 0;
  if (strcmp(what, "ends") == 0) {
    end_in_every_way(count);
    if (provided == MPI_THREAD_MULTIPLE) end_on_two_threads();
  }
  if (strcmp(what, "many") == 0) have_many(count);
  use(MPI_COMM_WORLD);
  if (strcmp(what, "finalize") == 0) attach(MPI_COMM_SELF);
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank == 0) printf("ok\n");
  fflush(stdout);
  if (strcmp(what, "finalize") == 0) return ((int (*)(void))of_library("MPI_Finalize"))();
  MPI_Finalize();
  return 0;
}
