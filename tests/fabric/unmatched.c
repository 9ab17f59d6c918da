// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 sends messages that rank 1 does not want yet, then the one that it waits for: a legal
// program, which hangs on a transport that stops reading while nothing matches. Prints what rank 1
// needed at most of memory.
// usage: unmatched MESSAGES BYTES
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { UNWANTED = 1, WANTED = 2 };

/// Messages are cut from one text, each from a place of its own.
enum { PLACES = 997 };
static char byte_of(int place) { return (char)(place * 37 + (place >> 8)); }

static void send_all(int messages, int bytes) {
  char* text = malloc((size_t)bytes + PLACES);
  MPI_Request* requests = malloc(sizeof *requests * (size_t)(messages + 1));
  for (int i = 0; i < bytes + PLACES; ++i) text[i] = byte_of(i);
  for (int i = 0; i < messages; ++i)
    MPI_Isend(text + i % PLACES, bytes, MPI_BYTE, 1, UNWANTED, MPI_COMM_WORLD, &requests[i]);
  MPI_Isend(NULL, 0, MPI_BYTE, 1, WANTED, MPI_COMM_WORLD, &requests[messages]);
  MPI_Waitall(messages + 1, requests, MPI_STATUSES_IGNORE);
  free(requests);
  free(text);
}

static long peak_kilobytes(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

static int receive_all(int messages, int bytes) {
  MPI_Status status;
  const long before = peak_kilobytes();
  MPI_Recv(NULL, 0, MPI_BYTE, 0, WANTED, MPI_COMM_WORLD, &status);
  const long after = peak_kilobytes();
  char* buffer = malloc((size_t)bytes + 1);
  int wrong = 0;
  for (int i = 0; i < messages; ++i) {
    int got = -1;
    MPI_Recv(buffer, bytes, MPI_BYTE, 0, UNWANTED, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &got);
    wrong += got != bytes;
    for (int k = 0; k<bytes; k += bytes> 1 ? bytes - 1 : 1)
      wrong += buffer[k] != byte_of(i % PLACES + k);
  }
  free(buffer);
  printf("%s: %d messages of %d bytes, %ld KB for those not wanted\n", wrong ? "WRONG" : "ok",
         messages, bytes, after - before);
  return wrong != 0;
}

int main(int argc, char** argv) {
  int rank, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int messages = argc > 1 ? atoi(argv[1]) : 65;
  const int bytes = argc > 2 ? atoi(argv[2]) : 1000;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) send_all(messages, bytes);
  if (rank == 1) wrong = receive_all(messages, bytes);
  MPI_Finalize();
  return wrong;
}
