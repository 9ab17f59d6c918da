// SPDX-License-Identifier: BSD-3-Clause
// The measuring program: plain MPI that knows nothing of suiro. A candidate is a communicator with
// a hint; a library that understands the hint obeys it. Rank 0 writes what it measures as JSON
// lines; statistics are made elsewhere.
#ifndef SUIRO_BENCH_H
#define SUIRO_BENCH_H

#include <mpi.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>

/// Where this rank is. Nodes are numbered by their lowest rank; the leader of a node is its first
/// rank.
struct Place {
  MPI_Comm comm;  // all of them; MPI_COMM_NULL on a rank that takes no part
  int rank, ranks;
  int node, nodes;
  int local, ppn;  // position among, and number of, the ranks of this node
  int* node_of_rank;
  MPI_Comm leaders;  // MPI_COMM_NULL on ranks that lead no node
};

// suiro_bench.c
/// Ends the job when the text is no number in the range; `what` is for the message.
long long number(const char* what, const char* text, long long minimum, long long maximum);

// place.c
/// Of the first so many ranks of MPI_COMM_WORLD; collective over it. A rank that takes no part
/// knows how many do.
struct Place find_place(int ranks);
int world_ranks(void);
void free_place(struct Place* place);

/// Prints the message once, with the rank, and ends the job.
_Noreturn void die(const char* format, ...) __attribute__((format(printf, 1, 2)));
void* allocate(size_t bytes);

// clock.c: a common start without the library's own barrier, and waiting that does not burn a core.
struct Clock {
  double offset_s;  // this rank's clock minus rank 0's
  double margin_s;  // how far ahead a start is agreed; grows when a rank hears of it too late
  bool spin;  // this node has a core per rank, so the last moment before the start may be spent
              // polling
};

double now_s(void);
void wait_gently(MPI_Request* request);
/// Looks at the request now and then only, where polling would take the cores from those that
/// measure.
void wait_asleep(MPI_Request* request);
void gentle_barrier(MPI_Comm comm);
struct Clock make_clock(const struct Place* place);

/// Returns the agreed start by this rank's clock, at that time. `late` tells whether this rank
/// heard of it too late.
double start_together(const struct Clock* clock, const struct Place* place, bool* late);

/// What a timed call does.
typedef void (*Work)(void* context);

/// Of ranks, from the agreed start to the end of their work.
struct Times {
  double last_s, mean_s;
  double processor_s;  // of the rank that took most
};
/// Runs `work` again when a start was missed.
struct Times time_together(struct Clock* clock, const struct Place* place, Work work,
                           void* context);

// output.c: JSON lines on the standard output of rank 0.
void write_start(const struct Place* place);
void write_text(const char* text);
void write_line(const char* format, ...) __attribute__((format(printf, 1, 2)));

// counters.c: a socket that answers with one JSON document of counters, such as that of a lab's
// switch.
void reset_counters(const char* socket_path);
/// The document in one line, or "null" when there is none. The storage is reused by the next call.
const char* read_counters(const char* socket_path);

// What the table of collectives says of one, word by word.

/// What bytes of a call are.
enum Bytes { bytes_none, bytes_per_pair_of_ranks, bytes_per_rank, bytes_of_the_whole_message };
/// What a rank sends, or gets.
enum BlockCount { blocks_none, blocks_one, blocks_one_per_rank };
/// Whose vectors are reduced to what a rank gets: those of all, of the ranks up to it or before it.
enum Operands { operands_none, operands_all, operands_up_to_own, operands_before_own };

/// Without a root, all are as the root is.
struct Side {
  enum BlockCount root, others;
};

struct Exchange;

// collectives.c: rows generated from the table of collectives, and a call of each.
struct Collective {
  const char* name;
  enum Bytes bytes;
  bool rooted;
  bool unequal;  // blocks may differ
  struct Side sends, gets;
  enum Operands operands;
  void (*call)(const struct Exchange* exchange);
};

/// Ends the job when the name is none of a collective that can be measured.
const struct Collective* find_collective(const char* name);
/// The names of those that can be measured, one a line.
void list_collectives(void);

// exchange.c: one call of the collective that is measured, and its buffers.
/// As the collective has it; blocks that may differ are up to `spread_percent` larger or smaller.
struct Sizes {
  int bytes;
  int spread_percent;
};

struct Buffer {
  unsigned char* base;
  size_t bytes;
  int blocks;
  int *counts, *at;  // of each block: its elements, and those before it
};

struct Exchange {
  const struct Collective* collective;
  const struct Place* place;
  struct Sizes sizes;
  int root;
  int count;  // the size in elements
  MPI_Datatype type;
  MPI_Datatype* types;  // the same for each rank
  MPI_Op op;
  bool keeps_left;  // the operation gives its left operand, so that of the lowest rank is left
  struct Buffer send, receive;
  MPI_Comm comm;
};

struct Exchange make_exchange(const struct Collective* collective, const struct Sizes* sizes,
                              int root, const struct Place* place);
void free_exchange(struct Exchange* exchange);
/// `context` is an Exchange.
void run_exchange(void* context);
/// Makes buffers ready for a call that is to be checked: nothing that is right may be there.
void clear_exchange(struct Exchange* exchange);
/// Ends the job if the last call has not done what it is for; `name` is for the message.
void check_exchange(struct Exchange* exchange, const struct Clock* clock, const char* name);

// blocks.c: how large blocks are.
/// 1 of bytes, more of what is reduced.
int element_bytes(const struct Collective* collective);
/// Elements that `source` has for `target`.
long long block_elements(const struct Exchange* exchange, int source, int target);
/// What the node that sends or gets most must exchange with others, in the direction of more.
long long busiest_bytes(const struct Exchange* exchange);

// contents.c: what is in them.
void fill_contents(struct Exchange* exchange);
void check_contents(const struct Exchange* exchange, const char* name);

// barrier.c
/// Lets one rank after the other be late, and ends the job if another leaves before it has come.
void check_barrier(struct Exchange* exchange, const struct Clock* clock, const char* name);

// cells.c
struct Cell {
  long long bytes;
  int repetitions;
  char* candidates;  // names joined by '+'; NAME@BYTES where the size is another
};

struct Measuring {
  struct Place place;
  struct Clock clock;
  const struct Collective* collective;
  int spread_percent;    // of blocks that may differ
  int root;              // of rooted collectives
  const char* counters;  // socket path or NULL
  double budget_s;       // per cell line: the repetitions of all its candidates
};

void measure_cell(struct Measuring* measuring, const struct Cell* cell);
/// The communicators of candidates go: what follows is between other ranks.
void forget_candidates(const struct Measuring* m);

// forms.c: the ways in which a program may call the collective.
/// Ends the job if one of them brings wrong data. `which`: from 1 on; 0 is all.
void check_forms(const struct Measuring* measuring, int bytes, int which);

// port.c: TCP beside MPI, on the network that is measured.
struct Port {
  in_addr_t address;
  in_port_t port;
  int mtu;
};

/// The first interface that is up, is not the loopback and has an IPv4 address; or the one with the
/// given name.
struct Port own_port(const char* interface_name);
int listen_for_streams(struct Port* port);
int connect_stream(const struct Port* port);
/// Takes connections until one comes from the peer: anybody can reach a listening socket. Ends the
/// job when nothing comes for `patience_s`.
int accept_stream(int listener, const struct Port* peer, double patience_s);

// line_rate.c: what one TCP stream reaches from each node to the next.
void measure_line_rate(const struct Place* place, double seconds, const char* interface_name);

// steps.c: each round of a printed schedule timed on its own.
void measure_steps(struct Measuring* measuring, const char* schedule_file, long long bytes,
                   int repetitions);

// probe.c: how the switch between the nodes queues.
void probe_switch(const struct Measuring* measuring, const char* interface_name);

// latencies.c: how far nodes are from each other.
void measure_latencies(const struct Place* place, const char* interface_name);

// streams.c: what 1, 2, 4, 8 streams at once reach between nodes, such as "0,1>4,5".
void measure_streams(const struct Measuring* measuring, double seconds, const char* interface_name,
                     const char* pairs);

#endif
