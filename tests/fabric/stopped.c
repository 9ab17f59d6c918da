// SPDX-License-Identifier: BSD-3-Clause
// Rank 1 is stopped for a while, as by a debugger, while rank 0 sends to it without a pause.
// usage: stopped BYTES MESSAGES SECONDS
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { UNDER_WAY = 8 };

static void stop_myself(unsigned seconds) {
  const pid_t me = getpid();
  if (fork() == 0) {
    sleep(seconds);
    kill(me, SIGCONT);
    _exit(0);
  }
  raise(SIGSTOP);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 4) MPI_Abort(MPI_COMM_WORLD, 2);
  const int bytes = atoi(argv[1]), count = atoi(argv[2]);
  int rank, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  unsigned char* data[UNDER_WAY];
  MPI_Request requests[UNDER_WAY];
  for (int i = 0; i < UNDER_WAY; ++i) data[i] = malloc((size_t)bytes);
  for (int number = 0; number < count + UNDER_WAY; ++number) {
    const int place = number % UNDER_WAY;
    if (number >= UNDER_WAY) {
      MPI_Wait(&requests[place], MPI_STATUS_IGNORE);
      if (rank == 1) wrong += data[place][bytes - 1] != (unsigned char)(number - UNDER_WAY);
    }
    if (number == count / 4 && rank == 1) stop_myself((unsigned)atoi(argv[3]));
    if (number >= count) continue;
    if (rank == 0) {
      memset(data[place], (unsigned char)number, (size_t)bytes);
      MPI_Isend(data[place], bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &requests[place]);
    } else {
      MPI_Irecv(data[place], bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[place]);
    }
  }
  for (int i = 0; i < UNDER_WAY; ++i) free(data[i]);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) printf("%d wrong\n", wrong);
  MPI_Finalize();
  return 0;
}
