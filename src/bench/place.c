// SPDX-License-Identifier: BSD-3-Clause
// Which ranks take part, and which of them share a node, by what MPI says of shared memory.
#include <stdlib.h>

#include "bench.h"

static void find_node(struct Place* place) {
  MPI_Comm node;
  MPI_Comm_split_type(place->comm, MPI_COMM_TYPE_SHARED, place->rank, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &place->local);
  MPI_Comm_size(node, &place->ppn);
  const int leads = place->local == 0 ? 0 : MPI_UNDEFINED;
  MPI_Comm_split(place->comm, leads, place->rank, &place->leaders);
  if (place->local == 0) {
    MPI_Comm_rank(place->leaders, &place->node);
    MPI_Comm_size(place->leaders, &place->nodes);
  }
  int of_node[2] = {place->node, place->nodes};
  MPI_Request request;
  MPI_Ibcast(of_node, 2, MPI_INT, 0, node, &request);
  wait_gently(&request);
  place->node = of_node[0];
  place->nodes = of_node[1];
  MPI_Comm_free(&node);
}

int world_ranks(void) {
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

struct Place find_place(int ranks) {
  struct Place place = {.comm = MPI_COMM_WORLD, .leaders = MPI_COMM_NULL, .ranks = ranks};
  MPI_Comm_rank(MPI_COMM_WORLD, &place.rank);
  if (ranks < world_ranks()) {
    const int takes_part = place.rank < ranks ? 0 : MPI_UNDEFINED;
    MPI_Comm_split(MPI_COMM_WORLD, takes_part, place.rank, &place.comm);
  }
  if (place.comm == MPI_COMM_NULL) return place;
  find_node(&place);
  place.node_of_rank = allocate((size_t)place.ranks * sizeof(int));
  MPI_Allgather(&place.node, 1, MPI_INT, place.node_of_rank, 1, MPI_INT, place.comm);
  return place;
}

void free_place(struct Place* place) {
  if (place->leaders != MPI_COMM_NULL) MPI_Comm_free(&place->leaders);
  const bool own = place->comm != MPI_COMM_WORLD && place->comm != MPI_COMM_NULL;
  if (own) MPI_Comm_free(&place->comm);
  free(place->node_of_rank);
}
