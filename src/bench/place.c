// SPDX-License-Identifier: BSD-3-Clause
// Which ranks share a node, by what MPI says of shared memory.
#include "bench.h"

struct Place find_place(void) {
  struct Place place = {.leaders = MPI_COMM_NULL};
  MPI_Comm_rank(MPI_COMM_WORLD, &place.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &place.ranks);
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, place.rank, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &place.local);
  MPI_Comm_size(node, &place.ppn);
  MPI_Comm_split(MPI_COMM_WORLD, place.local == 0 ? 0 : MPI_UNDEFINED, place.rank, &place.leaders);
  if (place.local == 0) {
    MPI_Comm_rank(place.leaders, &place.node);
    MPI_Comm_size(place.leaders, &place.nodes);
  }
  int of_node[2] = {place.node, place.nodes};
  MPI_Request request;
  MPI_Ibcast(of_node, 2, MPI_INT, 0, node, &request);
  wait_gently(&request);
  place.node = of_node[0];
  place.nodes = of_node[1];
  place.node_of_rank = allocate((size_t)place.ranks * sizeof(int));
  MPI_Allgather(&place.node, 1, MPI_INT, place.node_of_rank, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Comm_free(&node);
  return place;
}
