// SPDX-License-Identifier: BSD-3-Clause
// Sends datagrams at given rates and counts those that come. Each flow has a thread that sends and
// one that receives; the main thread, the only one that calls MPI, waits.
#include <errno.h>
#include <netinet/udp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "probe.h"

enum { batch_bytes_max = 65000, batch_datagrams_max = 64, datagram_bytes_max = 65536 };
static const double tick_s = 0.0005;       // a sender sleeps so long between its turns
static const double late_s = 0.004;        // what a sender that woke later missed is not offered
static const double silence_s = 0.1;       // after that nothing more is expected
static const double patience_s = 5;        // queues that drain longer are not waited for
static const double margin_s = 0.01;       // from the agreement on a start to the start
static const double send_queue_s = 0.001;  // this much may wait in a sender's own host

struct Header {
  uint64_t job;
  uint32_t part, unused;
};

struct Flow {
  struct Mesh* mesh;
  const struct Traffic* traffic;
  int number;
  double start_s;
  double real_minus_monotonic_s;  // arrivals are stamped by the other clock
  bool segmentation;              // the kernel cuts a batch into datagrams
  atomic_bool* stop;
  _Atomic(long long) arrived[probe_hosts_max];
  struct Tally tallies[probe_hosts_max];
  uint32_t dropped_before[probe_hosts_max];  // by the sockets, in earlier parts
  unsigned char* outgoing[probe_hosts_max];  // headers stand where each datagram begins
  unsigned char* incoming;
  pthread_t sender, receiver;
};

static void nap(double seconds) {
  const struct timespec pause = {.tv_nsec = (long)(seconds * 1e9)};
  nanosleep(&pause, NULL);
}

static double read_clock(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int datagram_bytes(const struct Flow* flow, int peer) {
  const int bytes = flow->traffic->datagram_bytes[peer];
  return bytes > 0 ? bytes : flow->mesh->payload_bytes;
}

/// Hands some datagrams over to this host's network; false when it does not take them now.
static bool send_batch(struct Flow* flow, int peer, int datagrams) {
  const int payload = datagram_bytes(flow, peer);
  struct iovec bytes = {flow->outgoing[peer], (size_t)payload * (size_t)datagrams};
  union {
    char storage[CMSG_SPACE(sizeof(uint16_t))];
    struct cmsghdr align;
  } control = {{0}};
  struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};
  if (datagrams > 1) {
    message.msg_control = control.storage;
    message.msg_controllen = sizeof control.storage;
    struct cmsghdr* segment = CMSG_FIRSTHDR(&message);
    segment->cmsg_level = IPPROTO_UDP;
    segment->cmsg_type = UDP_SEGMENT;
    segment->cmsg_len = CMSG_LEN(sizeof(uint16_t));
    const uint16_t size = (uint16_t)payload;
    memcpy(CMSG_DATA(segment), &size, sizeof size);
  }
  if (sendmsg(flow->mesh->sockets[flow->number][peer], &message, MSG_DONTWAIT) >= 0) return true;
  if (datagrams > 1 && (errno == EIO || errno == EINVAL || errno == EOPNOTSUPP)) {
    flow->segmentation = false;
    return false;
  }
  if (errno != EAGAIN && errno != ENOBUFS && errno != ECONNREFUSED && errno != EINTR)
    die("cannot send to host %d over UDP: %s", peer, strerror(errno));
  return false;
}

static int batch_max(const struct Flow* flow, int peer) {
  const int fit = batch_bytes_max / datagram_bytes(flow, peer);
  if (!flow->segmentation || fit < 1) return 1;
  return fit < batch_datagrams_max ? fit : batch_datagrams_max;
}

/// As fast as this host can.
static void send_burst(struct Flow* flow, int peer, double end_s) {
  const int payload = datagram_bytes(flow, peer);
  long long left = flow->traffic->burst_bytes[peer] / flow->mesh->flows / payload;
  struct pollfd ready = {.fd = flow->mesh->sockets[flow->number][peer], .events = POLLOUT};
  while (left > 0 && now_s() < end_s) {
    const int datagrams = left < batch_max(flow, peer) ? (int)left : batch_max(flow, peer);
    if (!send_batch(flow, peer, datagrams)) {
      poll(&ready, 1, 1);
      continue;
    }
    flow->tallies[peer].sent_bytes += (double)datagrams * payload;
    left -= datagrams;
  }
}

struct Pace {
  double rate_Bps;
  double since_s;        // from here on the rate holds
  double offered_bytes;  // since then
};

/// One batch, if one is due; returns whether there was.
static bool offer(struct Flow* flow, int peer, struct Pace* pace, double time_s) {
  const int payload = datagram_bytes(flow, peer);
  double due_bytes = pace->rate_Bps * (time_s - pace->since_s) - pace->offered_bytes;
  if (due_bytes > pace->rate_Bps * late_s + payload) {
    const double missed_bytes = due_bytes - pace->rate_Bps * late_s - payload;
    pace->since_s += missed_bytes / pace->rate_Bps;
    due_bytes -= missed_bytes;
  }
  if (due_bytes < payload) return false;
  const int due = (int)(due_bytes / payload);
  const int datagrams = due < batch_max(flow, peer) ? due : batch_max(flow, peer);
  const double bytes = (double)datagrams * payload;
  const bool taken = send_batch(flow, peer, datagrams);
  const bool counted = time_s >= flow->start_s + flow->traffic->counted_from_s;
  struct Tally* tally = &flow->tallies[peer];
  pace->offered_bytes += bytes;
  if (counted) tally->offered_bytes += bytes;
  if (taken) {
    tally->sent_bytes += bytes;
    tally->sent_datagrams += datagrams;
  } else if (counted) {
    tally->refused_bytes += bytes;
  }
  return true;
}

/// Targets take turns batch by batch, so that their datagrams are mixed on the link.
static void send_paced(struct Flow* flow, double end_s) {
  const struct Mesh* mesh = flow->mesh;
  struct Pace paces[probe_hosts_max];
  for (int peer = 0; peer < mesh->hosts; ++peer)
    paces[peer] = (struct Pace){flow->traffic->rate_Bps[peer] / mesh->flows, flow->start_s, 0};
  for (double time_s = now_s(); time_s < end_s; time_s = now_s()) {
    bool some = false;
    for (int peer = 0; peer < mesh->hosts; ++peer) {
      if (paces[peer].rate_Bps > 0 && offer(flow, peer, &paces[peer], time_s)) some = true;
    }
    if (!some) nap(tick_s);
  }
}

static void* run_sender(void* context) {
  struct Flow* flow = context;
  const double end_s = flow->start_s + flow->traffic->end_s;
  bool paced = false;
  while (now_s() < flow->start_s) nap(tick_s / 5);
  for (int peer = 0; peer < flow->mesh->hosts; ++peer) {
    if (flow->traffic->burst_bytes[peer] > 0) send_burst(flow, peer, end_s);
    if (flow->traffic->rate_Bps[peer] > 0) paced = true;
  }
  if (paced) send_paced(flow, end_s);
  return NULL;
}

/// What the kernel tells beside the data: when they came, and how many found the socket full.
static void read_control(struct Flow* flow, int peer, struct msghdr* message, double* time_s) {
  for (struct cmsghdr* c = CMSG_FIRSTHDR(message); c != NULL; c = CMSG_NXTHDR(message, c)) {
    if (c->cmsg_level != SOL_SOCKET) continue;
    if (c->cmsg_type == SCM_TIMESTAMPNS) {
      struct timespec stamp;
      memcpy(&stamp, CMSG_DATA(c), sizeof stamp);
      *time_s = (double)stamp.tv_sec + 1e-9 * (double)stamp.tv_nsec - flow->real_minus_monotonic_s;
    } else if (c->cmsg_type == SO_RXQ_OVFL) {
      uint32_t* dropped = &flow->mesh->dropped[flow->number][peer];
      memcpy(dropped, CMSG_DATA(c), sizeof *dropped);
      flow->tallies[peer].overflowed_bytes =
          (double)(*dropped - flow->dropped_before[peer]) * flow->mesh->payload_bytes;
    }
  }
}

/// One datagram, or several that the kernel joined; false when there is none.
static bool receive(struct Flow* flow, int peer) {
  char control[256];
  struct iovec bytes = {flow->incoming, datagram_bytes_max};
  struct msghdr message = {
      .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  const int socket_fd = flow->mesh->sockets[flow->number][peer];
  const ssize_t length = recvmsg(socket_fd, &message, MSG_DONTWAIT);
  if (length < 0) return false;
  struct Header header = {0};
  if ((size_t)length < sizeof header) return true;
  memcpy(&header, flow->incoming, sizeof header);
  if (header.job != flow->mesh->job || header.part != flow->mesh->part) return true;
  struct Tally* tally = &flow->tallies[peer];
  double time_s = now_s();
  read_control(flow, peer, &message, &time_s);
  time_s -= flow->start_s;
  if (tally->received_bytes == 0) {
    tally->first_s = time_s;
    tally->first_bytes = (double)length;
  }
  tally->last_s = time_s;
  tally->received_bytes += (double)length;
  if (time_s >= flow->traffic->counted_from_s && time_s < flow->traffic->end_s)
    tally->counted_bytes += (double)length;
  atomic_fetch_add(&flow->arrived[peer], length);
  return true;
}

static void* run_receiver(void* context) {
  struct Flow* flow = context;
  struct pollfd waiting[probe_hosts_max];
  const int hosts = flow->mesh->hosts;
  for (int peer = 0; peer < hosts; ++peer)
    waiting[peer] =
        (struct pollfd){.fd = flow->mesh->sockets[flow->number][peer], .events = POLLIN};
  while (!atomic_load(flow->stop)) {
    if (poll(waiting, (nfds_t)hosts, 20) <= 0) continue;
    for (int peer = 0; peer < hosts; ++peer) {
      if (waiting[peer].revents == 0) continue;
      // One after the other for a while, so that no peer waits for a flood from another.
      for (int i = 0; i < batch_datagrams_max && receive(flow, peer); ++i) {
      }
    }
  }
  return NULL;
}

static unsigned char* make_outgoing(const struct Flow* flow, int peer) {
  const struct Header header = {flow->mesh->job, flow->mesh->part, 0};
  unsigned char* bytes = allocate(datagram_bytes_max);
  memset(bytes, 0, datagram_bytes_max);
  const int step = datagram_bytes(flow, peer);
  for (int at = 0; at + (int)sizeof header <= batch_bytes_max; at += step)
    memcpy(bytes + at, &header, sizeof header);
  return bytes;
}

static void start_flow(struct Flow* flow, struct Mesh* mesh, const struct Traffic* traffic,
                       atomic_bool* stop) {
  flow->mesh = mesh;
  flow->traffic = traffic;
  flow->stop = stop;
  flow->segmentation = true;
  flow->real_minus_monotonic_s = read_clock(CLOCK_REALTIME) - read_clock(CLOCK_MONOTONIC);
  flow->incoming = allocate(datagram_bytes_max);
  for (int peer = 0; peer < mesh->hosts; ++peer) {
    flow->outgoing[peer] = make_outgoing(flow, peer);
    flow->dropped_before[peer] = mesh->dropped[flow->number][peer];
    // A paced sender's own queue stays short: what waits there is refused, not lost unseen.
    int bytes = (int)(traffic->rate_Bps[peer] / mesh->flows * send_queue_s * 2);
    if (traffic->rate_Bps[peer] <= 0) bytes = 4 << 20;
    if (bytes < 65536) bytes = 65536;
    setsockopt(mesh->sockets[flow->number][peer], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
  }
}

/// How many bytes are still to come to this host, as far as it knows.
static long long missing(const struct Flow* flows, const struct Mesh* mesh, const double* coming) {
  long long bytes = 0;
  for (int peer = 0; peer < mesh->hosts; ++peer) {
    bytes += (long long)coming[peer];
    for (int i = 0; i < mesh->flows; ++i) bytes -= atomic_load(&flows[i].arrived[peer]);
  }
  return bytes;
}

/// Until all that was sent has come, or nothing more comes.
static void wait_for_rest(struct Flow* flows, struct Mesh* mesh) {
  double sent[probe_hosts_max] = {0}, coming[probe_hosts_max] = {0};
  for (int peer = 0; peer < mesh->hosts; ++peer) {
    for (int i = 0; i < mesh->flows; ++i) sent[peer] += flows[i].tallies[peer].sent_bytes;
  }
  MPI_Request request;
  MPI_Ialltoall(sent, 1, MPI_DOUBLE, coming, 1, MPI_DOUBLE, mesh->comm, &request);
  wait_gently(&request);
  const double begin_s = now_s();
  double last_s = begin_s;
  long long before = missing(flows, mesh, coming);
  while (before > 0 && now_s() - last_s < silence_s && now_s() - begin_s < patience_s) {
    nap(0.002);
    const long long after = missing(flows, mesh, coming);
    if (after != before) last_s = now_s();
    before = after;
  }
}

static void add(struct Tally* sum, const struct Tally* part) {
  const bool first =
      sum->received_bytes == 0 || (part->received_bytes > 0 && part->first_s < sum->first_s);
  if (part->received_bytes > 0 && first) {
    sum->first_s = part->first_s;
    sum->first_bytes = part->first_bytes;
  }
  if (part->last_s > sum->last_s) sum->last_s = part->last_s;
  sum->offered_bytes += part->offered_bytes;
  sum->refused_bytes += part->refused_bytes;
  sum->sent_bytes += part->sent_bytes;
  sum->sent_datagrams += part->sent_datagrams;
  sum->counted_bytes += part->counted_bytes;
  sum->received_bytes += part->received_bytes;
  sum->overflowed_bytes += part->overflowed_bytes;
}

void run_traffic(struct Mesh* mesh, const struct Traffic* traffic, struct Tally* tallies) {
  atomic_bool stop = false;
  struct Flow* flows = allocate((size_t)mesh->flows * sizeof *flows);
  memset((void*)flows, 0, (size_t)mesh->flows * sizeof *flows);
  memset(tallies, 0, probe_hosts_max * sizeof *tallies);
  ++mesh->part;
  for (int i = 0; i < mesh->flows; ++i) {
    flows[i].number = i;
    start_flow(&flows[i], mesh, traffic, &stop);
  }
  meet(mesh);
  const double start_s = agree_start(mesh, margin_s);
  for (int i = 0; i < mesh->flows; ++i) {
    flows[i].start_s = start_s;
    if (pthread_create(&flows[i].receiver, NULL, run_receiver, &flows[i]) != 0 ||
        pthread_create(&flows[i].sender, NULL, run_sender, &flows[i]) != 0)
      die("no more threads: %s", strerror(errno));
  }
  for (int i = 0; i < mesh->flows; ++i) pthread_join(flows[i].sender, NULL);
  wait_for_rest(flows, mesh);
  atomic_store(&stop, true);
  for (int i = 0; i < mesh->flows; ++i) {
    pthread_join(flows[i].receiver, NULL);
    for (int peer = 0; peer < mesh->hosts; ++peer) {
      add(&tallies[peer], &flows[i].tallies[peer]);
      free(flows[i].outgoing[peer]);
    }
    free(flows[i].incoming);
  }
  free((void*)flows);
  meet(mesh);
}
