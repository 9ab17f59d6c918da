// SPDX-License-Identifier: BSD-3-Clause
// What is left of an all-to-all in which MPI returned an error on rank 1.
// usage: failures alltoall|alltoallv|alltoallw WHAT
//        ... truncate COUNT   rank 1 has room for half of each block of COUNT ints
//        ... roomy COUNT      rank 1 has room for twice as much, which MPI forbids and MPIs take
//        ... retry COUNT      MPI refuses rank 1's first message (failing_send.c); it calls again
//        ... spoil COUNT      MPI refuses rank 1's second message
// Prints "ok" once where all is as it must be, but for "spoil": it ends by MPI_Abort, of code 42
// then, since a launcher need not pass on what a job printed that ends so.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { guard = -7, ranks_max = 16 };
static int rank, size, errors_told;
static const char* collective;

static void require(int condition, const char* what) {
  if (condition) return;
  printf("rank %d: %s\n", rank, what);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 99);
}

static int class_of(int code) {
  int class;
  MPI_Error_class(code, &class);
  return class;
}

/// Block i of rank r holds 1000 * r + i, `shift` added; places that no message fills hold `guard`.
static int* sent(int count, int shift) {
  int* numbers = malloc((size_t)size * (size_t)count * sizeof *numbers);
  for (int i = 0; i < size * count; ++i) numbers[i] = 1000 * rank + i / count + shift;
  return numbers;
}

static int* guarded(int count) {
  int* numbers = malloc((size_t)size * (size_t)count * sizeof *numbers);
  for (int i = 0; i < size * count; ++i) numbers[i] = guard;
  return numbers;
}

/// Equal blocks, whatever the collective; `unit` is what displacements count.
static int call(const int* numbers, int count, int room, int* received) {
  int counts[2][ranks_max], places[2][ranks_max];
  MPI_Datatype types[ranks_max];
  const int unit = strcmp(collective, "alltoallw") == 0 ? (int)sizeof(int) : 1;
  for (int i = 0; i < size; ++i) {
    counts[0][i] = count;
    counts[1][i] = room;
    places[0][i] = i * count * unit;
    places[1][i] = i * room * unit;
    types[i] = MPI_INT;
  }
  if (strcmp(collective, "alltoallv") == 0) {
    return MPI_Alltoallv(numbers, counts[0], places[0], MPI_INT, received, counts[1], places[1],
                         MPI_INT, MPI_COMM_WORLD);
  }
  if (strcmp(collective, "alltoallw") == 0) {
    return MPI_Alltoallw(numbers, counts[0], places[0], types, received, counts[1], places[1],
                         types, MPI_COMM_WORLD);
  }
  return MPI_Alltoall(numbers, count, MPI_INT, received, room, MPI_INT, MPI_COMM_WORLD);
}

static int exchange(int count, int room, int shift, int* received) {
  int* numbers = sent(count, shift);
  const int code = call(numbers, count, room, received);
  free(numbers);
  return code;
}

static void require_right(const int* received, int count, int shift) {
  for (int i = 0; i < size * count; ++i) {
    require(received[i] == 1000 * (i / count) + rank + shift, "wrong contents");
  }
}

/// In the first calls ranks wait for each other: they make suiro's communicator and settle whether
/// all have the memory. After three they know sizes that differ. Then rank 1's message `number` is
/// to fail.
static void together(int count, const char* number) {
  int* received = guarded(count);
  require(size <= ranks_max, "too many ranks");
  for (int i = 0; i < 3; ++i) {
    require(exchange(count, count, 0, received) == MPI_SUCCESS, "no first call");
  }
  free(received);
  MPI_Barrier(MPI_COMM_WORLD);
  setenv("FAILING_SEND", number, 1);
}

/// One rank's error is no other rank's, and the communicator is as good as before.
static void truncate_blocks(int count) {
  for (int turn = 0; turn < 3; ++turn) {
    int* received = guarded(count);
    const int room = rank == 1 ? count / 2 : count;
    const int code = exchange(count, room, turn, received);
    if (rank == 1) {
      require(class_of(code) == MPI_ERR_TRUNCATE, "expected MPI_ERR_TRUNCATE");
      for (int i = size * room; i < size * count; ++i) {
        require(received[i] == guard, "written behind the buffer");
      }
    } else {
      require(code == MPI_SUCCESS, "expected success");
      require_right(received, count, turn);
    }
    require(exchange(count, count, 100 * turn, received) == MPI_SUCCESS, "no second call");
    require_right(received, count, 100 * turn);
    free(received);
  }
}

/// Each block is at its place, and the rest of that as it was.
static void leave_room(int count) {
  const int room = rank == 1 ? 2 * count : count;
  int* received = guarded(room);
  require(exchange(count, room, 3, received) == MPI_SUCCESS, "expected success");
  for (int i = 0; i < size * room; ++i) {
    const int expected = i % room < count ? 1000 * (i / room) + rank + 3 : guard;
    require(received[i] == expected, "wrong contents");
  }
  free(received);
}

/// Nothing had left, so it is as if the first call had not been made.
static void retry(int count) {
  int* received = guarded(count);
  together(count, "1");
  if (rank == 1) require(exchange(count, count, 1, received) != MPI_SUCCESS, "no error");
  MPI_Barrier(MPI_COMM_WORLD);  // the others come to the call when rank 1 has its error
  require(exchange(count, count, 2, received) == MPI_SUCCESS, "no retry");
  require_right(received, count, 2);
  require(exchange(count, count, 3, received) == MPI_SUCCESS, "no third call");
  require_right(received, count, 3);
  free(received);
}

static void count_error(MPI_Comm* communicator, int* code, ...) {
  (void)communicator, (void)code;
  ++errors_told;
}

/// The others' messages arrive after rank 1 has its error: none may be written into its buffer, nor
/// be taken for one of the next call, which has that error too, and tells it as the first did.
static void spoil(int count) {
  int* received = guarded(count);
  MPI_Errhandler counting;
  MPI_Comm_create_errhandler(count_error, &counting);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, counting);
  together(count, "2");
  if (rank != 1) {
    usleep(200000);
    exchange(count, count, 1, received);
    pause();  // rank 1 ends the job
  }
  require(exchange(count, count, 1, received) != MPI_SUCCESS, "no error");
  int* before = malloc((size_t)size * (size_t)count * sizeof *before);
  memcpy(before, received, (size_t)size * (size_t)count * sizeof *before);
  for (int i = 0; i < 500; ++i) {
    int found;
    MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    usleep(1000);
  }
  require(memcmp(before, received, (size_t)size * (size_t)count * sizeof *before) == 0,
          "written after the call had returned");
  require(errors_told == 1, "the error was not told once");
  require(exchange(count, count, 2, received) != MPI_SUCCESS, "no error in the next call");
  require(errors_told == 2, "the next call did not tell its error");
  MPI_Abort(MPI_COMM_WORLD, 42);
}

int main(int argc, char** argv) {
  alarm(90);  // Hydra 4.0.2 may lose its helper when a job is aborted, and leaves ranks behind
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  collective = argc > 1 ? argv[1] : "";
  const char* what = argc > 2 ? argv[2] : "";
  const int count = argc > 3 ? atoi(argv[3]) : 0;
  if (strcmp(what, "truncate") == 0) truncate_blocks(count);
  if (strcmp(what, "roomy") == 0) leave_room(count);
  if (strcmp(what, "retry") == 0) retry(count);
  if (strcmp(what, "spoil") == 0) spoil(count);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("ok\n");
  MPI_Finalize();
  return 0;
}
