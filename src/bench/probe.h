// SPDX-License-Identifier: BSD-3-Clause
// The two-target test on a real network: datagrams at chosen rates between hosts, counted where
// they arrive. Datagrams, because TCP would answer to what the switch does and hide it: a paced
// datagram is lost, held back, or there.
#ifndef SUIRO_PROBE_H
#define SUIRO_PROBE_H

#include <stdint.h>

#include "bench.h"

enum { probe_hosts_max = 8, probe_flows_max = 8 };

/// The sockets of one host: for each flow and other host one, connected, so that nobody else's
/// datagrams come in and the kernel counts what it had to drop for each.
struct Mesh {
  MPI_Comm comm;  // one rank per host
  int hosts, me;
  int flows;          // in use; more than one where one thread cannot fill the link
  int payload_bytes;  // of a datagram that fills one frame
  const struct Clock* clock;
  struct Port port;
  uint64_t job;   // what every datagram must carry
  uint32_t part;  // which piece of traffic it belongs to
  int sockets[probe_flows_max][probe_hosts_max];
  uint32_t dropped[probe_flows_max][probe_hosts_max];  // by full sockets, since they were opened
};

struct Mesh open_mesh(MPI_Comm comm, const struct Clock* clock, struct Port port);
void close_mesh(struct Mesh* mesh);
/// Waits for a collective of the mesh without burning a core.
void meet(const struct Mesh* mesh);
/// The agreed start, by this host's clock; `margin_s` from now.
double agree_start(const struct Mesh* mesh, double margin_s);

/// What one host sends. Times count from the agreed start.
struct Traffic {
  double rate_Bps[probe_hosts_max];        // paced, of payload; or
  long long burst_bytes[probe_hosts_max];  // as fast as the host can
  int datagram_bytes[probe_hosts_max];     // payload of each; 0: what fills a frame
  double counted_from_s;                   // until then queues may fill
  double end_s;
};

/// Of one other host; doubles, since they travel as one array.
struct Tally {
  double offered_bytes;  // what was due for it in the counted time,
  double refused_bytes;  // ... of that: what this host could not get rid of
  double sent_bytes;     // in all
  double sent_datagrams;
  double counted_bytes;     // what arrived from it in the counted time, by the kernel's clock
  double received_bytes;    // in all
  double overflowed_bytes;  // what arrived, but found the socket full
  double first_s, last_s;   // arrivals
  double first_bytes;       // what came with the first
};

/// Collective: sends, receives, and waits until everything has arrived or nothing more comes.
void run_traffic(struct Mesh* mesh, const struct Traffic* traffic, struct Tally* tallies);

// incast.c: every other host sends a block to one host at once, over TCP; rank 0 reports.
void measure_incast(struct Mesh* mesh, int target, int block_bytes, double seconds);

#endif
