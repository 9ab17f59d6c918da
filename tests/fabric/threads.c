// SPDX-License-Identifier: BSD-3-Clause
// Each thread of rank 0 exchanges messages with its counterpart of rank 1, all threads at once,
// each pair with its own contents. Prints how long a message took, all of them together.
// usage: threads THREADS MESSAGES BYTES
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Task {
  pthread_t thread;
  MPI_Comm comm;
  int number, messages, bytes;
  int wrong;
};

static char content(const struct Task* task, int message, int sender) {
  return (char)(task->number * 31 + message * 7 + sender);
}

static void send(const struct Task* task, char* buffer, int message, int rank) {
  memset(buffer, content(task, message, rank), (size_t)task->bytes);
  MPI_Send(buffer, task->bytes, MPI_BYTE, 1 - rank, task->number, task->comm);
}

static int receive(const struct Task* task, char* buffer, int message, int rank) {
  MPI_Recv(buffer, task->bytes, MPI_BYTE, 1 - rank, task->number, task->comm, MPI_STATUS_IGNORE);
  const char expected = content(task, message, 1 - rank);
  for (int i = 0; i < task->bytes; ++i)
    if (buffer[i] != expected) return 1;
  return 0;
}

static void* exchange(void* argument) {
  struct Task* task = argument;
  char* buffer = calloc(1, (size_t)task->bytes + 1);
  int rank;
  MPI_Comm_rank(task->comm, &rank);
  for (int i = 0; i < task->messages; ++i) {
    if (rank == 0) send(task, buffer, i, rank);
    task->wrong += receive(task, buffer, i, rank);
    if (rank == 1) send(task, buffer, i, rank);
  }
  free(buffer);
  return NULL;
}

/// How many messages were wrong here.
static int run(struct Task* tasks, int threads) {
  int wrong = 0;
  for (int i = 0; i < threads; ++i) pthread_create(&tasks[i].thread, NULL, exchange, &tasks[i]);
  for (int i = 0; i < threads; ++i) {
    pthread_join(tasks[i].thread, NULL);
    wrong += tasks[i].wrong;
  }
  return wrong;
}

int main(int count, char** words) {
  int provided, rank;
  MPI_Init_thread(&count, &words, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (count != 4 || provided < MPI_THREAD_MULTIPLE) {
    fprintf(stderr, "usage: threads THREADS MESSAGES BYTES, with MPI_THREAD_MULTIPLE\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int threads = atoi(words[1]), messages = atoi(words[2]), bytes = atoi(words[3]);
  struct Task* tasks = calloc((size_t)threads, sizeof *tasks);
  for (int i = 0; i < threads; ++i) {
    tasks[i] = (struct Task){.number = i, .messages = messages, .bytes = bytes};
    MPI_Comm_dup(MPI_COMM_WORLD, &tasks[i].comm);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  int wrong = run(tasks, threads), all = 0;
  const double seconds = (MPI_Wtime() - begin) / (2.0 * messages * threads);
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && all == 0) printf("ok: %d threads, a message took %.9f s\n", threads, seconds);
  if (rank == 0 && all > 0) printf("%d messages were wrong\n", all);
  for (int i = 0; i < threads; ++i) MPI_Comm_free(&tasks[i].comm);
  free(tasks);
  MPI_Finalize();
  return all > 0;
}
