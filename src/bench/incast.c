// SPDX-License-Identifier: BSD-3-Clause
// Many to one, as an all-to-all without an order does it: all hosts but one send a block to that
// one at once, over TCP. Lost frames show twice, as retransmissions and as time.
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "probe.h"

enum { rounds_max = 10 };
static const double margin_s = 0.01, patience_s = 10;

/// One stream from each other host; a host that has one end only leaves the rest at -1.
static void connect_streams(const struct Mesh* mesh, int target, int* streams) {
  struct Port port = mesh->port;
  const int listener = mesh->me == target ? listen_for_streams(&port) : -1;
  struct Port ports[probe_hosts_max];
  MPI_Allgather(&port, sizeof port, MPI_BYTE, ports, sizeof port, MPI_BYTE, mesh->comm);
  for (int source = 0; source < mesh->hosts; ++source) {
    streams[source] = -1;
    if (source == target) continue;
    if (mesh->me == source) streams[source] = connect_stream(&ports[target]);
    if (mesh->me == target) streams[source] = accept_stream(listener, &ports[source], patience_s);
    meet(mesh);
  }
  if (listener >= 0) close(listener);
}

static void send_block(int stream, const char* block, int bytes) {
  for (int sent = 0; sent < bytes;) {
    const ssize_t now = send(stream, block + sent, (size_t)(bytes - sent), MSG_NOSIGNAL);
    if (now < 0) die("a TCP stream of the probe broke: %s", strerror(errno));
    sent += (int)now;
  }
}

static void receive_blocks(const struct Mesh* mesh, const int* streams, char* block, int bytes) {
  int left[probe_hosts_max];
  struct pollfd waiting[probe_hosts_max];
  int open = 0;
  for (int source = 0; source < mesh->hosts; ++source) {
    left[source] = streams[source] >= 0 ? bytes : 0;
    waiting[source] = (struct pollfd){.fd = streams[source], .events = POLLIN};
    open += streams[source] >= 0;
  }
  while (open > 0) {
    if (poll(waiting, (nfds_t)mesh->hosts, (int)(patience_s * 1e3)) == 0)
      die("nothing came for %.0f s from hosts that send over TCP", patience_s);
    for (int source = 0; source < mesh->hosts; ++source) {
      if (waiting[source].revents == 0) continue;
      const ssize_t now = recv(streams[source], block, (size_t)left[source], MSG_DONTWAIT);
      if (now == 0) die("host %d closed a TCP stream of the probe", source);
      if (now > 0) left[source] -= (int)now;
      if (left[source] > 0) continue;
      waiting[source].fd = -1;
      --open;
    }
  }
}

static long long retransmissions(const struct Mesh* mesh, const int* streams) {
  long long count = 0;
  for (int source = 0; source < mesh->hosts; ++source) {
    struct tcp_info info = {0};
    socklen_t length = sizeof info;
    if (streams[source] >= 0 &&
        getsockopt(streams[source], IPPROTO_TCP, TCP_INFO, &info, &length) == 0)
      count += info.tcpi_total_retrans;
  }
  long long sum = 0;
  MPI_Reduce(&count, &sum, 1, MPI_LONG_LONG, MPI_SUM, 0, mesh->comm);
  return sum;
}

/// From the agreed start to the arrival of the last byte, as the target saw it.
static double time_round(const struct Mesh* mesh, int target, const int* streams, char* block,
                         int bytes) {
  meet(mesh);
  const double start_s = agree_start(mesh, margin_s);
  while (now_s() < start_s) poll(NULL, 0, 1);
  if (mesh->me == target) {
    receive_blocks(mesh, streams, block, bytes);
  } else {
    send_block(streams[mesh->me], block, bytes);
  }
  double taken_s = now_s() - start_s;
  MPI_Request request;
  MPI_Ibcast(&taken_s, 1, MPI_DOUBLE, target, mesh->comm, &request);
  wait_gently(&request);
  return taken_s;
}

void measure_incast(struct Mesh* mesh, int target, int block_bytes, double seconds) {
  int streams[probe_hosts_max];
  connect_streams(mesh, target, streams);
  char* block = allocate((size_t)block_bytes);
  memset(block, 0, (size_t)block_bytes);
  double times_s[rounds_max], sum_s = 0;
  int rounds = 0;
  while (rounds < rounds_max && sum_s < seconds) {
    times_s[rounds] = time_round(mesh, target, streams, block, block_bytes);
    sum_s += times_s[rounds++];
  }
  free(block);
  const long long again = retransmissions(mesh, streams);
  if (mesh->me == 0) {
    printf(
        "{\"bench\": \"probe_incast\", \"target\": %d, \"bytes\": %d, \"retransmissions\": %lld, "
        "\"times_s\": [",
        target, block_bytes, again);
    for (int i = 0; i < rounds; ++i) printf(i ? ", %.6f" : "%.6f", times_s[i]);
    write_line("]}");
  }
  meet(mesh);
  for (int source = 0; source < mesh->hosts; ++source) {
    if (streams[source] >= 0) close(streams[source]);
  }
}
