// SPDX-License-Identifier: BSD-3-Clause
// Says what reached the ranks from outside, and does one broadcast.
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static const char* value(const char* name) {
  const char* found = getenv(name);
  return found != NULL ? found : "";
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int* data = malloc(400000);
  for (int i = 0; i < 100000; i++) data[i] = rank == 0 ? i : -1;
  MPI_Bcast(data, 100000, MPI_INT, 0, MPI_COMM_WORLD);
  int right = data[99999] == 99999;
  free(data);
  int have = right && dlsym(RTLD_DEFAULT, "users_marker") != NULL;
  int all;
  MPI_Allreduce(&have, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%s, %d ranks have the user's library, X=%s list=%s\n", right ? "right" : "wrong", all,
           value("USERS_X"), value("OMPI_MCA_mca_base_env_list"));
  }
  MPI_Finalize();
  return 0;
}
