// SPDX-License-Identifier: BSD-3-Clause
// A small job, and the ways in which a job can end or go on.
// usage: endings finish|abort|crash|exit|spawn|system|hints|fork
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void exchange(MPI_Comm comm) {
  int size, rank;
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &rank);
  int* numbers = calloc(2 * (size_t)size, sizeof *numbers);
  for (int i = 0; i < size; ++i) numbers[i] = 1000 * rank + i;
  MPI_Alltoall(numbers, 1, MPI_INT, numbers + size, 1, MPI_INT, comm);
  for (int i = 0; i < size; ++i) {
    if (numbers[size + i] != 1000 * i + rank) MPI_Abort(MPI_COMM_WORLD, 99);
  }
  free(numbers);
}

/// Two more processes; the merged communicator has ranks that were not there at the start. What an
/// info object asks for there, these do not know.
static void spawn(char* program, MPI_Comm parent) {
  MPI_Comm between, all;
  MPI_Info info;
  char* arguments[] = {"spawn", NULL};
  if (parent == MPI_COMM_NULL) {
    MPI_Comm_spawn(program, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between,
                   MPI_ERRCODES_IGNORE);
  } else {
    between = parent;
  }
  MPI_Intercomm_merge(between, parent != MPI_COMM_NULL, &all);
  exchange(all);
  MPI_Info_create(&info);
  MPI_Comm_set_info(all, info);
  MPI_Info_free(&info);
  exchange(all);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&between);
}

static void hints(void) {
  MPI_Info info;
  MPI_Comm comm;
  MPI_Info_create(&info);
  MPI_Info_set(info, "suiro_alltoall", "pairwise");
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
  exchange(comm);
  MPI_Info_set(info, "suiro_alltoall", "linear");
  MPI_Comm_set_info(comm, info);
  exchange(comm);
  MPI_Info_set(info, "suiro_alltoall", "no_such_thing");
  MPI_Comm_set_info(comm, info);
  exchange(comm);
  MPI_Info_free(&info);
  MPI_Comm_free(&comm);
}

/// A process that has all that this one had open, until this one has ended.
static void leave_a_child(void) {
  const pid_t parent = getpid();
  if (fork() != 0) return;
  while (getppid() == parent) usleep(10000);
  _exit(0);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Comm parent;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_parent(&parent);
  const char* ending = argc > 1 ? argv[1] : "finish";
  exchange(MPI_COMM_WORLD);
  if (rank == 1 && strcmp(ending, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 7);
  if (rank == 1 && strcmp(ending, "crash") == 0) abort();
  if (rank == 1 && strcmp(ending, "exit") == 0) exit(5);
  if (strcmp(ending, "spawn") == 0) spawn(argv[0], parent);
  if (strcmp(ending, "hints") == 0) hints();
  if (strcmp(ending, "fork") == 0) leave_a_child();
  if (rank == 0 && strcmp(ending, "system") == 0 && system("env") != 0) MPI_Abort(parent, 98);
  exchange(MPI_COMM_WORLD);
  if (rank == 0 && parent == MPI_COMM_NULL) printf("ok\n");
  MPI_Finalize();
  return 0;
}
