// SPDX-License-Identifier: BSD-3-Clause
// Every collective that moves data, with several sizes, and each result looked at.
//
//     every_collective CALLS      of each collective and size; 0: only begin and end
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int me, ranks, wrong;

static void expect(int is, int should_be, const char* what) {
  if (is == should_be) return;
  if (wrong++ == 0) fprintf(stderr, "rank %d: %s: %d, not %d\n", me, what, is, should_be);
}

// Of rank r's data the element i for rank `to`, such that no two are the same by chance.
static int value(int r, int to, int i) { return r * 7919 + to * 104729 + i; }

typedef struct {
  int *mine, *all, *sends, *counts, *places, *byte_places;
  MPI_Datatype* types;
} Buffers;

static void fill(const Buffers* b, int n, int blocks) {
  for (int to = 0; to < blocks; to++)
    for (int i = 0; i < n; i++) b->sends[to * n + i] = value(me, to, i);
  for (int i = 0; i < n * blocks; i++) b->all[i] = -1;
  for (int r = 0; r < ranks; r++) b->counts[r] = n, b->places[r] = r * n;
}

static void one_to_all(const Buffers* b, int n, int root) {
  for (int i = 0; i < n; i++) b->mine[i] = me == root ? value(root, 0, i) : -1;
  MPI_Bcast(b->mine, n, MPI_INT, root, MPI_COMM_WORLD);
  for (int i = 0; i < n; i++) expect(b->mine[i], value(root, 0, i), "bcast");
  fill(b, n, ranks);
  MPI_Scatter(b->sends, n, MPI_INT, b->mine, n, MPI_INT, root, MPI_COMM_WORLD);
  for (int i = 0; i < n; i++) expect(b->mine[i], value(root, me, i), "scatter");
  MPI_Scatterv(b->sends, b->counts, b->places, MPI_INT, b->mine, n, MPI_INT, root, MPI_COMM_WORLD);
  for (int i = 0; i < n; i++) expect(b->mine[i], value(root, me, i), "scatterv");
}

static void all_to_one(const Buffers* b, int n, int root) {
  fill(b, n, ranks);
  MPI_Gather(b->sends, n, MPI_INT, b->all, n, MPI_INT, root, MPI_COMM_WORLD);
  for (int i = 0; me == root && i < n * ranks; i++)
    expect(b->all[i], value(i / n, 0, i % n), "gather");
  fill(b, n, ranks);
  MPI_Gatherv(b->sends, n, MPI_INT, b->all, b->counts, b->places, MPI_INT, root, MPI_COMM_WORLD);
  for (int i = 0; me == root && i < n * ranks; i++)
    expect(b->all[i], value(i / n, 0, i % n), "gatherv");
}

static void all_to_all(const Buffers* b, int n) {
  fill(b, n, ranks);
  MPI_Allgather(b->sends, n, MPI_INT, b->all, n, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < n * ranks; i++) expect(b->all[i], value(i / n, 0, i % n), "allgather");
  fill(b, n, ranks);
  MPI_Allgatherv(b->sends, n, MPI_INT, b->all, b->counts, b->places, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < n * ranks; i++) expect(b->all[i], value(i / n, 0, i % n), "allgatherv");
  fill(b, n, ranks);
  MPI_Alltoall(b->sends, n, MPI_INT, b->all, n, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < n * ranks; i++) expect(b->all[i], value(i / n, me, i % n), "alltoall");
  fill(b, n, ranks);
  MPI_Alltoallv(b->sends, b->counts, b->places, MPI_INT, b->all, b->counts, b->places, MPI_INT,
                MPI_COMM_WORLD);
  for (int i = 0; i < n * ranks; i++) expect(b->all[i], value(i / n, me, i % n), "alltoallv");
  fill(b, n, ranks);
  for (int r = 0; r < ranks; r++) b->byte_places[r] = r * n * (int)sizeof(int);
  MPI_Alltoallw(b->sends, b->counts, b->byte_places, b->types, b->all, b->counts, b->byte_places,
                b->types, MPI_COMM_WORLD);
  for (int i = 0; i < n * ranks; i++) expect(b->all[i], value(i / n, me, i % n), "alltoallw");
}

// Of ranks before `end`, the sum for `to`. Both wrap around as MPI_SUM of ints does in practice.
static int sum_before(int end, int to, int i) {
  unsigned sum = 0;
  for (int r = 0; r < end; r++) sum += (unsigned)value(r, to, i);
  return (int)sum;
}

static void sums(const Buffers* b, int n, int root) {
  fill(b, n, ranks);
  MPI_Allreduce(b->sends, b->all, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < n; i++) expect(b->all[i], sum_before(ranks, 0, i), "allreduce");
  fill(b, n, ranks);
  MPI_Reduce(b->sends, b->all, n, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
  for (int i = 0; me == root && i < n; i++) expect(b->all[i], sum_before(ranks, 0, i), "reduce");
  MPI_Scan(b->sends, b->all, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < n; i++) expect(b->all[i], sum_before(me + 1, 0, i), "scan");
  MPI_Exscan(b->sends, b->all, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; me > 0 && i < n; i++) expect(b->all[i], sum_before(me, 0, i), "exscan");
  fill(b, n, ranks);
  MPI_Reduce_scatter_block(b->sends, b->all, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < n; i++) expect(b->all[i], sum_before(ranks, me, i), "reduce_scatter_block");
  fill(b, n, ranks);
  MPI_Reduce_scatter(b->sends, b->all, b->counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < n; i++) expect(b->all[i], sum_before(ranks, me, i), "reduce_scatter");
}

int main(int argc, char** argv) {
  static const int sizes[] = {2, 250, 2048};
  const int calls = argc > 1 ? atoi(argv[1]) : 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const size_t most = (size_t)2048 * (size_t)ranks, n = (size_t)ranks;
  Buffers b = {malloc(most * sizeof(int)),      malloc(most * sizeof(int)),
               malloc(most * sizeof(int)),      malloc(n * sizeof(int)),
               malloc(n * sizeof(int)),         malloc(n * sizeof(int)),
               malloc(n * sizeof(MPI_Datatype))};
  for (int r = 0; r < ranks; r++) b.types[r] = MPI_INT;
  for (int call = 0; call < calls; call++) {
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      const int root = (call * 5 + 1) % ranks;
      one_to_all(&b, sizes[s], root);
      all_to_one(&b, sizes[s], root);
      all_to_all(&b, sizes[s]);
      sums(&b, sizes[s], root);
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
  int total = wrong;
  MPI_Reduce(&wrong, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (me == 0) printf("%d ranks, %d rounds: %d wrong\n", ranks, calls, total);
  MPI_Finalize();
  return wrong > 0;
}
