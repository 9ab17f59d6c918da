// SPDX-License-Identifier: BSD-3-Clause
// The control flow: one plain TCP stream from the leader of each node to the leader of the next, in
// phases, so that no node sends and receives at once. In an input-queued switch acknowledgements
// wait behind data: all at once would measure that.
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"

enum { chunk_bytes = 65536 };
static const double patience_s = 10;
static const double settling_share = 0.3;  // of the time, for slow start; not counted

struct Stream {
  int source_fd, target_fd;
};

/// Sends or receives or both until the time is over; returns the bytes received per second after
/// settling.
static double run_stream(const struct Stream* stream, bool sends, bool receives, double seconds) {
  static char chunk[chunk_bytes];
  struct pollfd ends[2] = {{.fd = receives ? stream->source_fd : -1, .events = POLLIN},
                           {.fd = sends ? stream->target_fd : -1, .events = POLLOUT}};
  const double start_s = now_s(), settled_s = start_s + settling_share * seconds;
  const double end_s = start_s + seconds;
  long long received = 0;
  for (double time_s = start_s; time_s < end_s; time_s = now_s()) {
    if (poll(ends, 2, (int)((end_s - time_s) * 1e3) + 1) < 0) break;
    time_s = now_s();
    if (ends[1].revents != 0) {
      const ssize_t sent = send(stream->target_fd, chunk, chunk_bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && errno != EAGAIN) ends[1].fd = -1;
    }
    if (ends[0].revents == 0) continue;
    const ssize_t got = recv(stream->source_fd, chunk, chunk_bytes, MSG_DONTWAIT);
    if (got > 0 && time_s >= settled_s && time_s < end_s) received += got;
    if (got == 0) ends[0].fd = -1;
  }
  return (double)received / (end_s - settled_s);
}

static struct Stream connect_ring(const struct Place* place, struct Port* port) {
  const int listener = listen_for_streams(port);
  struct Port* ports = allocate((size_t)place->nodes * sizeof *ports);
  MPI_Allgather(port, sizeof *port, MPI_BYTE, ports, sizeof *port, MPI_BYTE, place->leaders);
  struct Stream stream;
  stream.target_fd = connect_stream(&ports[(place->node + 1) % place->nodes]);
  const int previous = (place->node + place->nodes - 1) % place->nodes;
  stream.source_fd = accept_stream(listener, &ports[previous], patience_s);
  close(listener);
  free(ports);
  return stream;
}

/// The phase in which a node sends: neighbours differ, also around the end of a ring of odd length.
static int phase_of(int node, int nodes) {
  return nodes % 2 == 1 && node == nodes - 1 ? 2 : node % 2;
}

/// What arrived from the previous node, in bytes per second.
static double measure_as_leader(const struct Place* place, struct Port* port, double seconds) {
  const struct Stream stream = connect_ring(place, port);
  const int mine = phase_of(place->node, place->nodes);
  const int previous = phase_of((place->node + place->nodes - 1) % place->nodes, place->nodes);
  double received_Bps = 0;
  for (int phase = 0; phase <= 1 + place->nodes % 2; ++phase) {
    gentle_barrier(place->leaders);
    if (mine != phase && previous != phase) continue;
    const double rate_Bps = run_stream(&stream, mine == phase, previous == phase, seconds);
    if (previous == phase) received_Bps = rate_Bps;
  }
  gentle_barrier(place->leaders);  // nobody closes while another still counts
  close(stream.source_fd);
  close(stream.target_fd);
  return received_Bps;
}

void measure_line_rate(const struct Place* place, double seconds, const char* interface_name) {
  gentle_barrier(MPI_COMM_WORLD);
  if (place->leaders != MPI_COMM_NULL && place->nodes > 1) {
    struct Port port = own_port(interface_name);
    const double rate_Bps = measure_as_leader(place, &port, seconds);
    double* rates = allocate((size_t)place->nodes * sizeof *rates);
    MPI_Gather(&rate_Bps, 1, MPI_DOUBLE, rates, 1, MPI_DOUBLE, 0, place->leaders);
    if (place->rank == 0) {
      printf("{\"bench\": \"line_rate\", \"mtu\": %d, \"goodput_Bps\": [", port.mtu);
      for (int node = 0; node < place->nodes; ++node) printf(node ? ", %.0f" : "%.0f", rates[node]);
      write_line("]}");
    }
    free(rates);
  }
  gentle_barrier(MPI_COMM_WORLD);
}
