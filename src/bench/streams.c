// SPDX-License-Identifier: BSD-3-Clause
// What TCP streams between nodes reach together: 1, 2, 4, 8 at once, for as long as the sum grows.
// Streams between the same two nodes tell what a link bears, and how much of that one may use;
// those between nodes of two sites, the same of the way between them.
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"

enum { pairs_max = 8, tries_max = 4, slices = 32, chunk_bytes = 65536, pause_ms = 100 };
static const double margin_s = 0.05, patience_s = 60;
static const double agreeing = 0.95;      // the second best try over the best: then it is steady
static const double growth_least = 1.08;  // what twice as many pairs must bring

struct Pairs {
  int count;
  int source[pairs_max], target[pairs_max];
};

static int take_nodes(const char* text, int nodes, int* taken) {
  int count = 0;
  for (char* end = NULL; count < pairs_max; text = end + 1) {
    const long node = strtol(text, &end, 10);
    if (end == text || node < 0 || node >= nodes) die("--streams: no node \"%s\"", text);
    taken[count++] = (int)node;
    if (*end != ',') break;
  }
  return count;
}

/// "0,1>4,5": node 0 sends to node 4, and 1 to 5.
static struct Pairs parse_pairs(const char* text, int nodes) {
  struct Pairs pairs;
  const char* targets = strchr(text, '>');
  if (targets == NULL) die("--streams: \"%s\" has no >", text);
  pairs.count = take_nodes(text, nodes, pairs.source);
  if (take_nodes(targets + 1, nodes, pairs.target) != pairs.count)
    die("--streams: \"%s\" has not as many sources as targets", text);
  return pairs;
}

/// Until the end, which may have been a moment ago.
static int wait_ms(double end_s) {
  const double left_s = end_s - now_s();
  return left_s > 0 ? (int)(left_s * 1e3) + 1 : 0;
}

/// Those of a node, which either sends or receives.
struct Streams {
  int count;
  bool sends;
  struct pollfd of[pairs_max];
};

static void send_until(struct Streams* streams, double end_s) {
  static char chunk[chunk_bytes];
  while (now_s() < end_s) {
    if (poll(streams->of, (nfds_t)streams->count, wait_ms(end_s)) <= 0) continue;
    for (int i = 0; i < streams->count; ++i) {
      if (streams->of[i].revents == 0) continue;
      if (send(streams->of[i].fd, chunk, chunk_bytes, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
          errno != EAGAIN)
        die("a TCP stream of the probe broke: %s", strerror(errno));
    }
  }
}

/// Bytes that come in each slice of the time.
static void receive_until(struct Streams* streams, double start_s, double seconds,
                          double* arrived) {
  static char chunk[chunk_bytes];
  const double end_s = start_s + seconds;
  while (now_s() < end_s) {
    if (poll(streams->of, (nfds_t)streams->count, wait_ms(end_s)) <= 0) continue;
    for (int i = 0; i < streams->count; ++i) {
      if (streams->of[i].revents == 0) continue;
      const ssize_t got = recv(streams->of[i].fd, chunk, chunk_bytes, MSG_DONTWAIT);
      const int slice = (int)((now_s() - start_s) / seconds * slices);
      if (got == 0) return;
      if (got > 0 && slice >= 0 && slice < slices) arrived[slice] += (double)got;
    }
  }
}

/// The best half of the time: slow start is over then, and losses are those of any stream.
static double best_rate(const double* arrived, double seconds) {
  double best = 0;
  for (int first = 0; first <= slices / 2; ++first) {
    double sum = 0;
    for (int slice = first; slice < first + slices / 2; ++slice) sum += arrived[slice];
    if (sum > best) best = sum;
  }
  return best / (seconds / 2);
}

static struct Streams connect_pairs(const struct Place* place, const struct Port* ports,
                                    int listener, const struct Pairs* pairs, int at_once) {
  struct Streams streams = {0};
  for (int pair = 0; pair < at_once; ++pair) {
    struct pollfd* next = &streams.of[streams.count];
    if (pairs->source[pair] == place->node) {
      streams.sends = true;
      *next = (struct pollfd){connect_stream(&ports[pairs->target[pair]]), POLLOUT, 0};
    } else if (pairs->target[pair] == place->node) {
      const int stream = accept_stream(listener, &ports[pairs->source[pair]], patience_s);
      *next = (struct pollfd){stream, POLLIN, 0};
    } else {
      continue;
    }
    ++streams.count;
  }
  return streams;
}

static double agree_start(const struct Place* place, const struct Clock* clock) {
  MPI_Request request;
  MPI_Ibarrier(place->leaders, &request);
  wait_asleep(&request);
  double start_s = now_s() - clock->offset_s + margin_s;
  MPI_Ibcast(&start_s, 1, MPI_DOUBLE, 0, place->leaders, &request);
  wait_asleep(&request);
  return start_s + clock->offset_s;
}

/// The sum over all pairs, in bytes per second.
static double run_pairs(const struct Measuring* m, const struct Port* ports, int listener,
                        const struct Pairs* pairs, int at_once, double seconds) {
  const struct Place* place = &m->place;
  struct Streams streams = connect_pairs(place, ports, listener, pairs, at_once);
  const double start_s = agree_start(place, &m->clock);
  double mine[slices] = {0}, all[slices];
  if (streams.count > 0 && streams.sends) send_until(&streams, start_s + seconds);
  if (streams.count > 0 && !streams.sends) receive_until(&streams, start_s, seconds, mine);
  MPI_Request request;
  MPI_Iallreduce(mine, all, slices, MPI_DOUBLE, MPI_SUM, place->leaders, &request);
  wait_asleep(&request);
  for (int i = 0; i < streams.count; ++i) close(streams.of[i].fd);
  return best_rate(all, seconds);
}

/// The best of several tries, until two agree: what is in the way of a stream now and then makes it
/// slower, never faster.
static double steady_rate(const struct Measuring* m, const struct Port* ports, int listener,
                          const struct Pairs* pairs, int at_once, double seconds) {
  double best_Bps = 0, second_Bps = -1;
  for (int try = 0; try < tries_max && second_Bps < agreeing * best_Bps; ++try) {
    const double rate_Bps = run_pairs(m, ports, listener, pairs, at_once, seconds);
    second_Bps = rate_Bps > best_Bps ? best_Bps : rate_Bps > second_Bps ? rate_Bps : second_Bps;
    if (rate_Bps > best_Bps) best_Bps = rate_Bps;
    poll(NULL, 0, pause_ms);
  }
  return best_Bps;
}

static void measure_as_leader(const struct Measuring* m, const struct Pairs* pairs, double seconds,
                              const char* interface_name) {
  const struct Place* place = &m->place;
  struct Port own = own_port(interface_name);
  const int listener = listen_for_streams(&own);
  struct Port* ports = allocate((size_t)place->nodes * sizeof *ports);
  MPI_Allgather(&own, sizeof own, MPI_BYTE, ports, sizeof own, MPI_BYTE, place->leaders);
  double best_Bps = 0;
  for (int at_once = 1; at_once <= pairs->count; at_once *= 2) {
    const double rate_Bps = steady_rate(m, ports, listener, pairs, at_once, seconds);
    if (place->rank == 0) {
      write_line(
          "{\"bench\": \"probe_streams\", \"source\": %d, \"target\": %d, \"at_once\": %d, "
          "\"rate_Bps\": %.0f}",
          pairs->source[0], pairs->target[0], at_once, rate_Bps);
    }
    if (rate_Bps < growth_least * best_Bps) break;
    best_Bps = rate_Bps;
  }
  free(ports);
  close(listener);
}

void measure_streams(const struct Measuring* m, double seconds, const char* interface_name,
                     const char* text) {
  const struct Pairs pairs = parse_pairs(text, m->place.nodes);
  if (m->place.leaders != MPI_COMM_NULL && m->place.nodes > 1)
    measure_as_leader(m, &pairs, seconds, interface_name);
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  wait_asleep(&request);
}
