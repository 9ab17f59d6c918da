// SPDX-License-Identifier: BSD-3-Clause
// The two-target test. Host A sends to B and to C while all others, B too, overload C's output.
// What becomes of the stream to B, whose output is free, tells how the switch queues; suiro probe
// reads it from the numbers printed here.
//
// Twice. "light": little for C, in small frames. An input-queued switch lets each of them wait for
// large frames of the others, and what is for B waits behind it; any other switch lets them
// through. "heavy": more for C than A's fair share, in full frames. Then a switch with pause frames
// stops A's link as a whole.
#include "probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { tries = 3, burst_bytes_min = 65536, incast_block_bytes = 262144, small_frames = 8 };
enum { bursts = 5 };  // their median is the rate of a link
static const long long burst_bytes_limit = 1LL << 32;
static const double burst_enough_s = 0.06;  // a burst that arrives over this time tells the rate
static const double burst_limit_s = 3;
static const double more_flows_Bps = 2.5e8;    // one thread fills slower links
static const double worthwhile = 1.08;         // what doubling the flows must bring
static const double fill = 0.9;                // of the link: what A offers in all
static const double light_share = 0.08;        // of the link: what A offers to C
static const double small_frames_per_s = 4e5;  // a host cannot send more of them
static const double overload = 1.5;            // of C's output, by its other senders together
static const double sender_limit = 0.95;       // of the link
static const double slow_link_Bps = 1.5e8;
static const double slow_link_part_s = 0.25, part_s = 0.2, settling = 0.3;
static const double incast_s = 0.4;

struct Roles {
  int sender, free, busy;  // A, B, C
};

static struct Roles roles_of(int try, int hosts) {
  return (struct Roles){try % hosts, (try + 1) % hosts, (try + 2) % hosts};
}

/// Rank 0 gets what every host knows of every other: [host * probe_hosts_max + peer].
static void gather(const struct Mesh* mesh, const struct Tally* mine, struct Tally* all) {
  const int count = probe_hosts_max * (int)(sizeof *mine / sizeof(double));
  MPI_Request request;
  MPI_Igather(mine, count, MPI_DOUBLE, all, count, MPI_DOUBLE, 0, mesh->comm, &request);
  wait_gently(&request);
}

static void print_pair(const struct Tally* all, int source, int target) {
  const struct Tally* out = &all[source * probe_hosts_max + target];
  const struct Tally* in = &all[target * probe_hosts_max + source];
  printf("{\"source\": %d, \"target\": %d, \"offered_bytes\": %.0f, \"refused_bytes\": %.0f, ",
         source, target, out->offered_bytes, out->refused_bytes);
  printf("\"sent_bytes\": %.0f, \"sent_datagrams\": %.0f, ", out->sent_bytes, out->sent_datagrams);
  printf("\"counted_bytes\": %.0f, \"received_bytes\": %.0f, \"overflowed_bytes\": %.0f}",
         in->counted_bytes, in->received_bytes, in->overflowed_bytes);
}

/// Sends, and tells about every pair that was sent on.
static void measure_part(struct Mesh* mesh, const char* name, const struct Roles* roles,
                         const struct Traffic* traffic) {
  struct Tally mine[probe_hosts_max], all[probe_hosts_max * probe_hosts_max];
  run_traffic(mesh, traffic, mine);
  gather(mesh, mine, all);
  if (mesh->me != 0) return;
  printf(
      "{\"bench\": \"probe_traffic\", \"part\": \"%s\", \"sender\": %d, \"free\": %d, "
      "\"busy\": %d, \"counted_s\": %.6f, \"pairs\": [",
      name, roles->sender, roles->free, roles->busy, traffic->end_s - traffic->counted_from_s);
  bool first = true;
  for (int source = 0; source < mesh->hosts; ++source) {
    for (int target = 0; target < mesh->hosts; ++target) {
      const struct Tally* out = &all[source * probe_hosts_max + target];
      if (source == target || out->sent_bytes + out->offered_bytes <= 0) continue;
      if (!first) printf(", ");
      first = false;
      print_pair(all, source, target);
    }
  }
  write_line("]}");
}

static const double nothing_came = -1;

/// The rate at which a burst from the host before came in, and how long it took.
static double burst_rate(struct Mesh* mesh, long long bytes, double* taken_s) {
  struct Traffic traffic = {.end_s = burst_limit_s};
  traffic.burst_bytes[(mesh->me + 1) % mesh->hosts] = bytes;
  struct Tally tallies[probe_hosts_max];
  run_traffic(mesh, &traffic, tallies);
  const struct Tally* from = &tallies[(mesh->me + mesh->hosts - 1) % mesh->hosts];
  *taken_s = from->received_bytes > 0 ? from->last_s - from->first_s : nothing_came;
  return *taken_s > 0 ? (from->received_bytes - from->first_bytes) / *taken_s : 0;
}

static int compare_rates(const void* left, const void* right) {
  const double a = *(const double*)left, b = *(const double*)right;
  return (a > b) - (a < b);
}

/// Several bursts alike: a host that stops for some milliseconds in one spoils that one alone.
static double median_burst_rate(struct Mesh* mesh, long long bytes) {
  double rates_Bps[bursts], taken_s;
  for (int i = 0; i < bursts; ++i) rates_Bps[i] = burst_rate(mesh, bytes, &taken_s);
  qsort(rates_Bps, bursts, sizeof *rates_Bps, compare_rates);
  return rates_Bps[bursts / 2];
}

/// Every host's burst to the next at once, larger and larger, until it takes long enough.
static double slowest_link(struct Mesh* mesh, double* rates_Bps) {
  for (long long bytes = burst_bytes_min * mesh->flows;; bytes *= 2) {
    double taken_s = 0, shortest_s = 0;
    burst_rate(mesh, bytes, &taken_s);
    MPI_Allreduce(&taken_s, &shortest_s, 1, MPI_DOUBLE, MPI_MIN, mesh->comm);
    const bool too_short = shortest_s != nothing_came && shortest_s < burst_enough_s;
    if (too_short && bytes < burst_bytes_limit) continue;
    const double rate_Bps = median_burst_rate(mesh, bytes);
    MPI_Allgather(&rate_Bps, 1, MPI_DOUBLE, rates_Bps, 1, MPI_DOUBLE, mesh->comm);
    double slowest_Bps = rates_Bps[0];
    for (int host = 1; host < mesh->hosts; ++host) {
      if (rates_Bps[host] < slowest_Bps) slowest_Bps = rates_Bps[host];
    }
    return slowest_Bps;
  }
}

/// The link's rate, with as many flows as it takes.
static double measure_link(struct Mesh* mesh) {
  double rates_Bps[probe_hosts_max];
  double best_Bps = slowest_link(mesh, rates_Bps);
  while (best_Bps > more_flows_Bps && mesh->flows < probe_flows_max) {
    double more_Bps[probe_hosts_max];
    mesh->flows *= 2;
    const double with_more_Bps = slowest_link(mesh, more_Bps);
    if (with_more_Bps < worthwhile * best_Bps) {
      mesh->flows /= 2;
      break;
    }
    best_Bps = with_more_Bps;
    memcpy(rates_Bps, more_Bps, sizeof more_Bps);
  }
  if (mesh->me == 0) {
    printf("{\"bench\": \"probe_link\", \"flows\": %d, \"payload_bytes\": %d, \"rates_Bps\": [",
           mesh->flows, mesh->payload_bytes);
    for (int host = 0; host < mesh->hosts; ++host)
      printf(host ? ", %.0f" : "%.0f", rates_Bps[host]);
    write_line("]}");
  }
  return best_Bps;
}

static struct Traffic quiet_traffic(double link_Bps) {
  const double seconds = link_Bps < slow_link_Bps ? slow_link_part_s : part_s;
  return (struct Traffic){.counted_from_s = settling * seconds, .end_s = seconds};
}

/// The control of each try: everyone sends to the next, and nobody is in anybody's way.
static void measure_control(struct Mesh* mesh, double link_Bps) {
  struct Traffic traffic = quiet_traffic(link_Bps);
  traffic.rate_Bps[(mesh->me + 1) % mesh->hosts] = fill * link_Bps;
  const struct Roles nobody = {-1, -1, -1};
  measure_part(mesh, "control", &nobody, &traffic);
}

/// An eighth of a full frame, or what the host can send often enough.
static int small_datagram_bytes(const struct Mesh* mesh, double rate_Bps) {
  const int bytes = mesh->payload_bytes / small_frames;
  const double needed_bytes = rate_Bps / mesh->flows / small_frames_per_s;
  if (needed_bytes <= bytes) return bytes;
  return needed_bytes < mesh->payload_bytes ? (int)needed_bytes : mesh->payload_bytes;
}

static void measure_two_targets(struct Mesh* mesh, bool light, int try, double link_Bps) {
  const struct Roles roles = roles_of(try, mesh->hosts);
  const double share = light ? light_share : fill / 2;
  struct Traffic traffic = quiet_traffic(link_Bps);
  if (mesh->me == roles.sender) {
    traffic.rate_Bps[roles.free] = (fill - share) * link_Bps;
    traffic.rate_Bps[roles.busy] = share * link_Bps;
    if (light) traffic.datagram_bytes[roles.busy] = small_datagram_bytes(mesh, share * link_Bps);
  } else if (mesh->me != roles.busy) {
    const double rival = overload / (mesh->hosts - 2);
    traffic.rate_Bps[roles.busy] = link_Bps * (rival < sender_limit ? rival : sender_limit);
  }
  measure_part(mesh, light ? "light" : "heavy", &roles, &traffic);
}

static void measure_switch(struct Mesh* mesh) {
  const double link_Bps = measure_link(mesh);
  if (link_Bps <= 0) return;  // nothing came: there is nothing to say but that
  for (int try = 0; try < tries; ++try) {
    measure_control(mesh, link_Bps);
    if (mesh->hosts < 3) return;
    measure_two_targets(mesh, true, try, link_Bps);
    measure_two_targets(mesh, false, try, link_Bps);
  }
  measure_incast(mesh, roles_of(0, mesh->hosts).busy, incast_block_bytes, incast_s);
}

void probe_switch(const struct Measuring* measuring, const char* interface_name) {
  const struct Place* place = &measuring->place;
  const bool takes_part = place->leaders != MPI_COMM_NULL && place->node < probe_hosts_max;
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, takes_part ? 0 : MPI_UNDEFINED, place->rank, &comm);
  if (takes_part && place->nodes > 1) {
    struct Mesh mesh = open_mesh(comm, &measuring->clock, own_port(interface_name));
    measure_switch(&mesh);
    close_mesh(&mesh);
  }
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  wait_asleep(&request);
  if (takes_part) MPI_Comm_free(&comm);
}
