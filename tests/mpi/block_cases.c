// SPDX-License-Identifier: BSD-3-Clause
// Every kind of argument that MPI_Allgather, MPI_Gather, MPI_Scatter and their v kinds take, each
// compared bit for bit with what the MPI library itself delivers (its PMPI function, found by name
// behind any preload). What MPI says is not significant is garbage.
// usage: block_cases [ways]       prints "ok N cases" on rank 0, or what differs, and then exits
// with 1.
#include "cases.h"

/// The program's own, as anything preloaded has it, and the MPI library's.
static struct Functions {
  __typeof__(&MPI_Allgather) allgather;
  __typeof__(&MPI_Allgatherv) allgatherv;
  __typeof__(&MPI_Gather) gather;
  __typeof__(&MPI_Gatherv) gatherv;
  __typeof__(&MPI_Scatter) scatter;
  __typeof__(&MPI_Scatterv) scatterv;
} both[2] = {{MPI_Allgather, MPI_Allgatherv, MPI_Gather, MPI_Gatherv, MPI_Scatter, MPI_Scatterv}};

static void find_native(void) {
  static const char* const names[] = {"PMPI_Allgather", "PMPI_Allgatherv", "PMPI_Gather",
                                      "PMPI_Gatherv",   "PMPI_Scatter",    "PMPI_Scatterv"};
  void** const found = (void**)&both[1];
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) found[i] = native(names[i]);
}

/// Every rank is the root in turn; of other communicators than the first, only some are.
static int every_root = 1;

static int next_root(int root, int size) {
  return every_root || root + 1 == size ? root + 1 : size - 1;
}

/// Not to be looked at.
static const struct Way ignored = {-7, MPI_DATATYPE_NULL};

static void fill_both(unsigned char* buffers[2], size_t bytes, int seed) {
  for (int i = 0; i < 2; ++i) buffers[i] = filled(bytes, seed);
}

/// Bytes outside of the datatype must stay as they were, too.
static void compare_both(const char* name, MPI_Comm comm, unsigned char* buffers[2], size_t bytes) {
  compare(name, comm, buffers[0], buffers[1], bytes);
  for (int i = 0; i < 2; ++i) free(buffers[i]);
}

/// `own` describes a rank's own block, `each` every block of those who have all.
static void allgather(const char* name, MPI_Comm comm, struct Way own, struct Way each,
                      int in_place) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  unsigned char *send = filled(room(own.count, own.type), rank), *received[2];
  const size_t bytes = room((long)each.count * size, each.type);
  fill_both(received, bytes, 100 + rank);
  if (in_place) own = ignored;
  for (int i = 0; i < 2; ++i) {
    both[i].allgather(in_place ? MPI_IN_PLACE : send, own.count, own.type, received[i], each.count,
                      each.type, comm);
  }
  compare_both(name, comm, received, bytes);
  free(send);
}

static void gather(const char* name, MPI_Comm comm, struct Way own, struct Way each, int root,
                   int in_place) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  unsigned char *send = filled(room(own.count, own.type), rank), *received[2];
  const size_t bytes = rank == root ? room((long)each.count * size, each.type) : 0;
  fill_both(received, bytes, 100 + rank);
  const void* given = send;
  if (in_place && rank == root) given = MPI_IN_PLACE, own = ignored;
  if (rank != root) each = ignored;
  for (int i = 0; i < 2; ++i) {
    both[i].gather(given, own.count, own.type, rank == root ? received[i] : NULL, each.count,
                   each.type, root, comm);
  }
  compare_both(name, comm, received, bytes);
  free(send);
}

static void scatter(const char* name, MPI_Comm comm, struct Way own, struct Way each, int root,
                    int in_place) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int kept = in_place && rank == root;
  unsigned char *send = filled(room((long)each.count * size, each.type), root), *received[2];
  const size_t bytes = room(own.count, own.type);
  fill_both(received, bytes, 100 + rank);
  if (kept) own = ignored;
  if (rank != root) each = ignored;
  for (int i = 0; i < 2; ++i) {
    both[i].scatter(rank == root ? send : NULL, each.count, each.type,
                    kept ? MPI_IN_PLACE : received[i], own.count, own.type, root, comm);
  }
  compare_both(name, comm, received, bytes);
  free(send);
}

static void allgatherv(const char* name, MPI_Comm comm, enum Sizes sizes, enum Order order,
                       struct Way own, struct Way each, int in_place) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  const struct Layout all = lay_out(comm, sizes, order, each.count);
  const int count = lay_out(comm, sizes, order, own.count).counts[rank];
  unsigned char *send = filled(room(count, own.type), rank), *received[2];
  const size_t bytes = room(all.end, each.type);
  fill_both(received, bytes, 100 + rank);
  const void* given = count > 0 ? send : NULL;
  for (int i = 0; i < 2; ++i) {
    both[i].allgatherv(in_place ? MPI_IN_PLACE : given, in_place ? ignored.count : count,
                       in_place ? ignored.type : own.type, received[i], all.counts, all.places,
                       each.type, comm);
  }
  compare_both(name, comm, received, bytes);
  free(send);
}

static void gatherv(const char* name, MPI_Comm comm, enum Sizes sizes, enum Order order,
                    struct Way own, struct Way each, int root, int in_place) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  const struct Layout all = lay_out(comm, sizes, order, each.count);
  int count = lay_out(comm, sizes, order, own.count).counts[rank];
  unsigned char *send = filled(room(count, own.type), rank), *received[2];
  const size_t bytes = rank == root ? room(all.end, each.type) : 0;
  fill_both(received, bytes, 100 + rank);
  const void* given = count > 0 ? send : NULL;
  if (in_place && rank == root) given = MPI_IN_PLACE, own = ignored, count = ignored.count;
  if (rank != root) each = ignored;
  for (int i = 0; i < 2; ++i) {
    both[i].gatherv(given, count, own.type, rank == root ? received[i] : NULL,
                    rank == root ? all.counts : NULL, rank == root ? all.places : NULL, each.type,
                    root, comm);
  }
  compare_both(name, comm, received, bytes);
  free(send);
}

static void scatterv(const char* name, MPI_Comm comm, enum Sizes sizes, enum Order order,
                     struct Way own, struct Way each, int root, int in_place) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  const struct Layout all = lay_out(comm, sizes, order, each.count);
  int count = lay_out(comm, sizes, order, own.count).counts[rank];
  const int kept = in_place && rank == root;
  unsigned char *send = filled(room(all.end, each.type), root), *received[2];
  const size_t bytes = room(count, own.type);
  fill_both(received, bytes, 100 + rank);
  if (kept) own = ignored, count = ignored.count;
  if (rank != root) each = ignored;
  for (int i = 0; i < 2; ++i) {
    void* const place = kept ? MPI_IN_PLACE : count > 0 ? received[i] : NULL;
    both[i].scatterv(rank == root ? send : NULL, rank == root ? all.counts : NULL,
                     rank == root ? all.places : NULL, each.type, place, count, own.type, root,
                     comm);
  }
  compare_both(name, comm, received, bytes);
  free(send);
}

/// Blocks of equal size from all to all, and from and to every root.
static void moves(const char* name, MPI_Comm comm, struct Way own, struct Way each) {
  int size;
  MPI_Comm_size(comm, &size);
  for (int in_place = 0; in_place < 2; ++in_place) {
    allgather(name, comm, own, each, in_place);
    for (int root = 0; root < size; root = next_root(root, size)) {
      gather(name, comm, own, each, root, in_place);
      scatter(name, comm, own, each, root, in_place);
    }
  }
}

static void rooted_v(const char* name, MPI_Comm comm, enum Sizes sizes, enum Order order,
                     struct Way own, struct Way each) {
  int size;
  MPI_Comm_size(comm, &size);
  for (int root = 0; root < size; root = next_root(root, size)) {
    for (int in_place = 0; in_place < 2; ++in_place) {
      gatherv(name, comm, sizes, order, own, each, root, in_place);
      scatterv(name, comm, sizes, order, own, each, root, in_place);
    }
  }
}

static void moves_v(const char* name, MPI_Comm comm, enum Sizes sizes, enum Order order,
                    struct Way own, struct Way each) {
  allgatherv(name, comm, sizes, order, own, each, 0);
  allgatherv(name, comm, sizes, order, own, each, 1);
  rooted_v(name, comm, sizes, order, own, each);
}

static void datatypes(MPI_Comm comm) {
  struct Types types = make_types();
  const struct Way vector = {2, types.vector}, resized = {5, types.resized},
                   record = {3, types.record}, backwards_ = {4, types.backwards},
                   shifted = {4, types.shifted}, ints = {8, MPI_INT};
  int rank;
  MPI_Comm_rank(comm, &rank);
  moves("vector", comm, vector, vector);
  moves("resized", comm, resized, resized);
  moves("struct", comm, record, record);
  moves("backwards to ints", comm, backwards_, ints);
  moves("ints to backwards", comm, ints, backwards_);
  moves("shifted", comm, shifted, shifted);
  moves_v("v struct", comm, some_zero, gaps, record, record);
  moves_v("v backwards", comm, some_zero, dense, backwards_, ints);
  moves_v("v shifted", comm, some_zero, backwards, shifted, shifted);
  // Ranks describe what they send and what they get in ways of their own.
  const struct Way own = way_of(&types, rank), each = way_of(&types, rank + 1);
  moves("each in its way", comm, own, each);
  rooted_v("v each in its way", comm, some_zero, dense, own, each);
  rooted_v("v each in its way, uneven", comm, very_uneven, gaps, own, each);
  moves_v("v each in its order", comm, some_zero, rank % 3, vector, vector);
  free_types(&types);
}

/// Ranks describe what they get from all in ways of their own. Open MPI 4.1's and MPICH 4.0's own
/// MPI_Allgatherv wait for ever, or fail, as they take their own types for everyone's: so what it
/// delivers is compared with the same in integers, and only done where it is not theirs.
static void allgatherv_in_ways(MPI_Comm comm, enum Sizes sizes, enum Order order) {
  struct Types types = make_types();
  const struct Way integers = {12, MPI_INT};
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const struct Way own = way_of(&types, rank), each = way_of(&types, rank + 1);
  const struct Layout all = lay_out(comm, sizes, order, each.count);
  const struct Layout plain = lay_out(comm, sizes, dense, integers.count);
  unsigned char* send = filled(room(plain.counts[rank], types.vector), rank);
  unsigned char* ours = filled(room(all.end, each.type), 100 + rank);
  unsigned char* packed = filled(room(plain.total, MPI_INT), 100 + rank);
  unsigned char* native = filled(room(plain.total, MPI_INT), 100 + rank);
  const int count = lay_out(comm, sizes, dense, own.count).counts[rank];
  const int bytes = (int)(plain.total * (long)sizeof(int));
  both[0].allgatherv(send, count, own.type, ours, all.counts, all.places, each.type, comm);
  int end = 0;
  MPI_Pack(send, count, own.type, packed, bytes, &end, MPI_COMM_SELF);
  both[1].allgatherv(packed, plain.counts[rank], MPI_INT, native, plain.counts, plain.places,
                     MPI_INT, comm);
  end = 0;
  for (int i = 0; i < size; ++i) {
    MPI_Pack(ours + all.places[i] * extent_of(each.type), all.counts[i], each.type, packed, bytes,
             &end, MPI_COMM_SELF);
  }
  compare("allgatherv, each in its way", comm, packed, native, (size_t)bytes);
  unsigned char* const made[] = {send, ours, packed, native};
  for (int i = 0; i < 4; ++i) free(made[i]);
  free_types(&types);
}

static void ways(MPI_Comm comm) {
  for (enum Sizes sizes = none; sizes <= very_uneven; ++sizes) {
    for (enum Order order = dense; order <= backwards; ++order) {
      allgatherv_in_ways(comm, sizes, order);
    }
  }
}

static void essentials(MPI_Comm comm) {
  const struct Way integer = {1, MPI_INT}, large = {9001, MPI_INT};
  moves("large", comm, large, large);
  moves_v("v ints", comm, some_zero, dense, integer, integer);
  moves_v("v uneven", comm, very_uneven, dense, integer, integer);
}

static void everything(MPI_Comm comm) {
  const struct Way byte = {1, MPI_BYTE}, nothing = {0, MPI_INT}, numbers = {100, MPI_DOUBLE},
                   integer = {1, MPI_INT};
  essentials(comm);
  moves("a byte", comm, byte, byte);
  moves("nothing", comm, nothing, nothing);
  moves("doubles", comm, numbers, numbers);
  moves_v("v nothing", comm, none, dense, integer, integer);
  moves_v("v doubles with gaps", comm, some_zero, gaps, numbers, numbers);
  moves_v("v doubles backwards", comm, some_zero, backwards, numbers, numbers);
  datatypes(comm);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  find_native();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  // Ranks in another order, one or two of each node, and neighbours, some of which share a node.
  MPI_Comm others[3];
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &others[0]);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &others[1]);
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &others[2]);
  const int only_ways = argc > 1;
  (only_ways ? ways : everything)(MPI_COMM_WORLD);
  every_root = 0;
  for (int i = 0; i < 3; ++i) {
    if (!only_ways) essentials(others[i]);
    MPI_Comm_free(&others[i]);
  }
  if (!only_ways) everything(MPI_COMM_SELF);
  const int code = conclude();
  MPI_Finalize();
  return code;
}
