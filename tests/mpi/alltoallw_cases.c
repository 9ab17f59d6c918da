// SPDX-License-Identifier: BSD-3-Clause
// Every kind of argument that MPI_Alltoallw takes, and the large-count forms where MPI has them,
// each compared bit for bit with what the MPI library itself delivers.
// usage: alltoallw_cases      prints "ok N cases" on rank 0, or what differs, and then exits with 1
#include "cases.h"

typedef int (*alltoallw_function)(const void*, const int*, const int*, const MPI_Datatype*, void*,
                                  const int*, const int*, const MPI_Datatype*, MPI_Comm);
static alltoallw_function native_alltoallw;

enum { ranks_max = 16, types = 5 };
static MPI_Datatype type_of[types];

/// A block of 6 ints has the same signature in every one.
static void make_types(void) {
  const int lengths[2] = {2, 4};
  const MPI_Aint places[2] = {4, 20};
  const MPI_Datatype parts[2] = {MPI_INT, MPI_INT};
  const int backwards[3] = {4, 2, 0};
  MPI_Type_vector(3, 2, 5, MPI_INT, &type_of[0]);
  MPI_Type_create_struct(2, lengths, places, parts, &type_of[1]);
  MPI_Type_contiguous(6, MPI_INT, &type_of[2]);
  MPI_Type_create_indexed_block(3, 2, backwards, MPI_INT, &type_of[3]);
  MPI_Type_create_resized(type_of[2], 0, 40, &type_of[4]);
  for (int i = 0; i < types; ++i) MPI_Type_commit(&type_of[i]);
}

/// What a rank says of its blocks. `room`: bytes from the first to the last.
typedef struct {
  int counts[ranks_max], places[ranks_max];
  MPI_Datatype types[ranks_max];
  int room;
} Layout;

/// Blocks one after the other, or the other way round, each with another type. Open MPI 4.1 counts
/// the displacement of a lonely rank in extents, so it is 0.
static void lay_out(Layout* layout, int size, const int* counts, int seed, int backwards) {
  layout->room = 0;
  for (int i = 0; i < size; ++i) {
    const int block = backwards ? size - 1 - i : i;
    layout->counts[block] = counts[block];
    layout->types[block] = type_of[(block + seed) % types];
    layout->places[block] = layout->room + (size > 1 ? 4 : 0);
    layout->room += 8 + (int)extent_of(layout->types[block]) * (counts[block] + 1);
  }
}

static void exchange(const char* name, MPI_Comm comm, const Layout* send, const Layout* receive,
                     int in_place) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  unsigned char* data = filled((size_t)send->room, rank);
  unsigned char* ours = filled((size_t)receive->room, 100 + rank);
  unsigned char* natives = filled((size_t)receive->room, 100 + rank);
  const void* from = in_place ? MPI_IN_PLACE : data;
  MPI_Alltoallw(from, send->counts, send->places, send->types, ours, receive->counts,
                receive->places, receive->types, comm);
  native_alltoallw(from, send->counts, send->places, send->types, natives, receive->counts,
                   receive->places, receive->types, comm);
  compare(name, comm, ours, natives, (size_t)receive->room);
  free(data);
  free(ours);
  free(natives);
}

static int elements(int from, int to) { return (from * 7 + to * 3) % 4; }

static void everything(MPI_Comm comm) {
  Layout send, receive;
  int size, rank, sent[ranks_max], received[ranks_max], even[ranks_max], pairs[ranks_max];
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &rank);
  for (int i = 0; i < size; ++i) {
    sent[i] = elements(rank, i);
    received[i] = elements(i, rank);
    even[i] = 500;
    pairs[i] = (rank + i) % 4;
  }
  lay_out(&send, size, sent, rank, 0);
  lay_out(&receive, size, received, 2 * rank + 1, 1);
  exchange("w uneven", comm, &send, &receive, 0);
  lay_out(&send, size, even, rank, 1);
  lay_out(&receive, size, even, 2 * rank + 1, 0);
  exchange("w even", comm, &send, &receive, 0);
  lay_out(&receive, size, pairs, rank, 0);
  exchange("w in place", comm, &receive, &receive, 1);
#ifndef OPEN_MPI  // MPICH takes a null type where there is nothing, Open MPI does not
  lay_out(&send, size, sent, rank, 0);
  lay_out(&receive, size, received, 2 * rank + 1, 0);
  for (int i = 0; i < size; ++i) {
    if (sent[i] == 0) send.types[i] = MPI_DATATYPE_NULL;
    if (received[i] == 0) receive.types[i] = MPI_DATATYPE_NULL;
  }
  exchange("w null types of nothing", comm, &send, &receive, 0);
#endif
}

/// At MPI_BOTTOM every address is 0, and the types alone say where blocks are.
static void absolute(const char* name, MPI_Comm comm) {
  enum { ints = 3 };
  int size, rank, ones[ranks_max], zeros[ranks_max] = {0};
  MPI_Datatype from[ranks_max], to[2][ranks_max];
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &rank);
  const size_t bytes = (size_t)size * ints * sizeof(int);
  unsigned char* blocks[3] = {filled(bytes, rank), filled(bytes, 77), filled(bytes, 77)};
  for (int i = 0; i < size; ++i) {
    const int length = ints;
    const MPI_Datatype type = MPI_INT;
    MPI_Datatype* made[3] = {&from[i], &to[0][i], &to[1][i]};
    for (int buffer = 0; buffer < 3; ++buffer) {
      MPI_Aint place;
      MPI_Get_address(blocks[buffer] + (size_t)i * ints * sizeof(int), &place);
      MPI_Type_create_struct(1, &length, &place, &type, made[buffer]);
      MPI_Type_commit(made[buffer]);
    }
    ones[i] = 1;
  }
  MPI_Alltoallw(MPI_BOTTOM, ones, zeros, from, MPI_BOTTOM, ones, zeros, to[0], comm);
  native_alltoallw(MPI_BOTTOM, ones, zeros, from, MPI_BOTTOM, ones, zeros, to[1], comm);
  compare(name, comm, blocks[1], blocks[2], bytes);
  for (int i = 0; i < size; ++i) {
    MPI_Type_free(&from[i]);
    MPI_Type_free(&to[0][i]);
    MPI_Type_free(&to[1][i]);
  }
  for (int buffer = 0; buffer < 3; ++buffer) free(blocks[buffer]);
}

static void communicators(void) {
  MPI_Comm reversed, half, both;
  int rank, size, ones[ranks_max];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  everything(reversed);
  MPI_Comm_free(&reversed);
  everything(MPI_COMM_SELF);
  if (size < 2) return;
  MPI_Comm_split(MPI_COMM_WORLD, rank < size / 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < size / 2 ? size / 2 : 0, 5, &both);
  Layout layout;
  for (int i = 0; i < ranks_max; ++i) ones[i] = 1;
  lay_out(&layout, ranks_max, ones, 0, 0);
  exchange("w intercommunicator", both, &layout, &layout, 0);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

/// Every rank passes the same wrong argument; the error must be native's.
static void errors(void) {
  const MPI_Datatype null = MPI_DATATYPE_NULL;
  int counts[ranks_max], places[ranks_max] = {0}, data[ranks_max], classes[2];
  MPI_Datatype ints[ranks_max], nulls[ranks_max];
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  for (int wrong = 0; wrong < 2; ++wrong) {
    for (int i = 0; i < ranks_max; ++i) {
      counts[i] = wrong == 0 ? -1 : 1;
      ints[i] = MPI_INT;
      nulls[i] = wrong == 0 ? MPI_INT : null;
    }
    MPI_Error_class(MPI_Alltoallw(data, counts, places, nulls, data, counts, places, ints, comm),
                    &classes[0]);
    MPI_Error_class(native_alltoallw(data, counts, places, nulls, data, counts, places, ints, comm),
                    &classes[1]);
    compare("w error", comm, &classes[0], &classes[1], sizeof *classes);
  }
  MPI_Comm_free(&comm);
}

#if MPI_VERSION >= 4
static void large_counts(MPI_Comm comm, int in_place) {
  int size, rank;
  MPI_Count counts[ranks_max];
  MPI_Aint places[ranks_max], bytes[ranks_max];
  MPI_Datatype ints[ranks_max];
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &rank);
  MPI_Aint total = 0;
  for (int i = 0; i < size; ++i) {
    counts[i] = 1000 + 100 * ((rank + i) % 4);
    places[i] = total;
    bytes[i] = 4 * total;
    ints[i] = MPI_INT;
    total += 1500;
  }
  unsigned char* data = filled((size_t)total * 4, rank);
  unsigned char *found[6], *from = in_place ? MPI_IN_PLACE : data;
  for (int i = 0; i < 6; ++i) found[i] = filled((size_t)total * 4, 50 + rank);
  int (*c)(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, MPI_Comm);
  int (*v)(const void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype, void*, const MPI_Count*,
           const MPI_Aint*, MPI_Datatype, MPI_Comm);
  int (*w)(const void*, const MPI_Count*, const MPI_Aint*, const MPI_Datatype*, void*,
           const MPI_Count*, const MPI_Aint*, const MPI_Datatype*, MPI_Comm);
  *(void**)&c = native("PMPI_Alltoall_c");
  *(void**)&v = native("PMPI_Alltoallv_c");
  *(void**)&w = native("PMPI_Alltoallw_c");
  MPI_Alltoall_c(from, 1500, MPI_INT, found[0], 1500, MPI_INT, comm);
  c(from, 1500, MPI_INT, found[1], 1500, MPI_INT, comm);
  MPI_Alltoallv_c(from, counts, places, MPI_INT, found[2], counts, places, MPI_INT, comm);
  v(from, counts, places, MPI_INT, found[3], counts, places, MPI_INT, comm);
  MPI_Alltoallw_c(from, counts, bytes, ints, found[4], counts, bytes, ints, comm);
  w(from, counts, bytes, ints, found[5], counts, bytes, ints, comm);
  for (int i = 0; i < 6; i += 2) {
    compare(in_place ? "large in place" : "large", comm, found[i], found[i + 1], (size_t)total * 4);
  }
  for (int i = 0; i < 6; ++i) free(found[i]);
  free(data);
}
#endif

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  *(void**)&native_alltoallw = native("PMPI_Alltoallw");
  make_types();
  everything(MPI_COMM_WORLD);
  absolute("w at bottom", MPI_COMM_WORLD);
  communicators();
  errors();
#if MPI_VERSION >= 4
  large_counts(MPI_COMM_WORLD, 0);
  large_counts(MPI_COMM_WORLD, 1);
#endif
  for (int i = 0; i < types; ++i) MPI_Type_free(&type_of[i]);
  const int code = conclude();
  MPI_Finalize();
  return code;
}
