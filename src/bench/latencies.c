// SPDX-License-Identifier: BSD-3-Clause
// How far nodes are from each other: TCP round trips between two nodes at a time, from a few
// references to all others. Every next reference is the node that is farthest from those before it,
// so that each site soon has one, and N nodes take N log N pairs at most.
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"

enum { trips_min = 4, trips_max = 24, pause_ms = 2 };
static const double trips_enough_s = 0.1, patience_s = 600;
/// No more references are needed when the farthest node is not much farther than the nearest one.
static const double alike = 2, alike_s = 50e-6;

struct Row {
  int reference;
  double* one_way_s;  // to each node; 0 to itself
};

static void swap_byte(int stream) {
  char byte = 0;
  if (send(stream, &byte, 1, MSG_NOSIGNAL) != 1 || recv(stream, &byte, 1, 0) != 1)
    die("a TCP stream of the probe broke: %s", strerror(errno));
}

/// The shortest of several round trips, halved.
static double time_trips(int stream) {
  double shortest_s = 1e9, sum_s = 0;
  for (int trip = 0; trip < trips_max && (trip < trips_min || sum_s < trips_enough_s); ++trip) {
    const double start_s = now_s();
    swap_byte(stream);
    const double taken_s = now_s() - start_s;
    if (taken_s < shortest_s) shortest_s = taken_s;
    sum_s += taken_s;
  }
  return shortest_s / 2;
}

static void answer_trips(int stream) {
  char byte = 0;
  while (recv(stream, &byte, 1, 0) == 1) {
    if (send(stream, &byte, 1, MSG_NOSIGNAL) != 1) return;
  }
}

static void without_delay(int stream) {
  const int on = 1;
  setsockopt(stream, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/// The reference calls one node after the other; these sleep until it is their turn.
static void time_row(const struct Place* place, const struct Port* ports, int listener,
                     const struct Row* row) {
  if (place->node != row->reference) {
    const int stream = accept_stream(listener, &ports[row->reference], patience_s);
    without_delay(stream);
    answer_trips(stream);
    close(stream);
    return;
  }
  for (int node = 0; node < place->nodes; ++node) {
    row->one_way_s[node] = 0;
    if (node == row->reference) continue;
    const int stream = connect_stream(&ports[node]);
    without_delay(stream);
    row->one_way_s[node] = time_trips(stream);
    close(stream);
    poll(NULL, 0, pause_ms);
  }
}

static void write_row(const struct Place* place, const struct Row* row, int references) {
  printf(
      "{\"bench\": \"probe_latency\", \"reference\": %d, \"references_max\": %d, \"one_way_s\": [",
      row->reference, references);
  for (int node = 0; node < place->nodes; ++node)
    printf(node ? ", %.7f" : "%.7f", row->one_way_s[node]);
  write_line("]}");
}

/// Takes the row into what is the nearest reference of each node; the node that is farthest from
/// all, or -1 when all are alike.
static int farthest_node(const struct Place* place, const struct Row* row, double* nearest_s) {
  int farthest = 0;
  double shortest_s = 1e9;
  for (int node = 0; node < place->nodes; ++node) {
    if (row->one_way_s[node] < nearest_s[node]) nearest_s[node] = row->one_way_s[node];
    if (nearest_s[node] > nearest_s[farthest]) farthest = node;
    if (nearest_s[node] > 0 && nearest_s[node] < shortest_s) shortest_s = nearest_s[node];
  }
  return nearest_s[farthest] > alike * shortest_s + alike_s ? farthest : -1;
}

static int references_max(int nodes) {
  int count = 1;
  while (1 << (count - 1) < nodes) ++count;
  return count < nodes ? count : nodes;
}

static void measure_as_leader(const struct Place* place, const char* interface_name) {
  struct Port own = own_port(interface_name);
  const int listener = listen_for_streams(&own);
  const int nodes = place->nodes, references = references_max(nodes);
  struct Port* ports = allocate((size_t)nodes * sizeof *ports);
  MPI_Allgather(&own, sizeof own, MPI_BYTE, ports, sizeof own, MPI_BYTE, place->leaders);
  struct Row row = {0, allocate((size_t)nodes * sizeof(double))};
  double* nearest_s = allocate((size_t)nodes * sizeof *nearest_s);
  for (int node = 0; node < nodes; ++node) nearest_s[node] = 1e9;
  for (int done = 0; done < references && row.reference >= 0; ++done) {
    time_row(place, ports, listener, &row);
    MPI_Request request;
    MPI_Ibcast(row.one_way_s, nodes, MPI_DOUBLE, row.reference, place->leaders, &request);
    wait_asleep(&request);
    if (place->rank == 0) write_row(place, &row, references);
    const int next = farthest_node(place, &row, nearest_s);
    // Two references at least: the first may be alone at its site, and then all others look alike.
    row.reference = next < 0 && done == 0 ? nodes - 1 : next;
  }
  free(nearest_s);
  free(row.one_way_s);
  free(ports);
  close(listener);
}

void measure_latencies(const struct Place* place, const char* interface_name) {
  if (place->leaders != MPI_COMM_NULL && place->nodes > 1) measure_as_leader(place, interface_name);
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  wait_asleep(&request);
}
