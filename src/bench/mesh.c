// SPDX-License-Identifier: BSD-3-Clause
// Opens and connects the datagram sockets between all pairs of hosts.
#include <errno.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "probe.h"

enum { ip_and_udp_headers_bytes = 28, receive_buffer_bytes = 16 << 20 };

void meet(const struct Mesh* mesh) {
  MPI_Request request;
  MPI_Ibarrier(mesh->comm, &request);
  wait_gently(&request);
}

double agree_start(const struct Mesh* mesh, double margin_s) {
  double start_s = now_s() - mesh->clock->offset_s + margin_s;
  MPI_Request request;
  MPI_Ibcast(&start_s, 1, MPI_DOUBLE, 0, mesh->comm, &request);
  wait_gently(&request);
  return start_s + mesh->clock->offset_s;
}

static int open_socket(const struct Port* port, in_port_t* number) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = port->address};
  socklen_t length = sizeof address;
  const int socket_fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket_fd < 0 || bind(socket_fd, (const struct sockaddr*)&address, length) != 0 ||
      getsockname(socket_fd, (struct sockaddr*)&address, &length) != 0) {
    die("cannot open a UDP socket on the network interface: %s", strerror(errno));
  }
  *number = address.sin_port;
  const int on = 1, bytes = receive_buffer_bytes;
  setsockopt(socket_fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
  setsockopt(socket_fd, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof on);
  setsockopt(socket_fd, IPPROTO_UDP, UDP_GRO, &on, sizeof on);  // older kernels have none
  if (setsockopt(socket_fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) != 0)
    setsockopt(socket_fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  return socket_fd;
}

/// Everyone learns the address of everyone's sockets, and the job's secret.
static void exchange(struct Mesh* mesh, const in_port_t* mine, struct sockaddr_in* peers) {
  enum { sockets = probe_flows_max * probe_hosts_max };
  struct Host {
    in_addr_t address;
    in_port_t ports[sockets];
    int mtu;
  } own = {.address = mesh->port.address, .mtu = mesh->port.mtu}, all[probe_hosts_max];
  memcpy(own.ports, mine, sizeof own.ports);
  MPI_Allgather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, mesh->comm);
  if (mesh->me == 0 && getrandom(&mesh->job, sizeof mesh->job, 0) != sizeof mesh->job)
    die("no random numbers: %s", strerror(errno));
  MPI_Bcast(&mesh->job, sizeof mesh->job, MPI_BYTE, 0, mesh->comm);
  for (int host = 1; host < mesh->hosts; ++host) {
    if (all[host].address == all[host - 1].address)
      die("two hosts have the same address: choose another network with --interface");
  }
  int mtu = own.mtu;
  for (int host = 0; host < mesh->hosts; ++host) {
    if (all[host].mtu < mtu) mtu = all[host].mtu;
    for (int flow = 0; flow < probe_flows_max; ++flow) {
      peers[flow * probe_hosts_max + host] =
          (struct sockaddr_in){.sin_family = AF_INET,
                               .sin_addr.s_addr = all[host].address,
                               .sin_port = all[host].ports[flow * probe_hosts_max + mesh->me]};
    }
  }
  mesh->payload_bytes = mtu - ip_and_udp_headers_bytes;
}

struct Mesh open_mesh(MPI_Comm comm, const struct Clock* clock, struct Port port) {
  struct Mesh mesh = {.comm = comm, .clock = clock, .port = port, .flows = 1};
  MPI_Comm_size(comm, &mesh.hosts);
  MPI_Comm_rank(comm, &mesh.me);
  in_port_t mine[probe_flows_max * probe_hosts_max] = {0};
  struct sockaddr_in peers[probe_flows_max * probe_hosts_max];
  for (int flow = 0; flow < probe_flows_max; ++flow) {
    for (int host = 0; host < mesh.hosts; ++host)
      mesh.sockets[flow][host] = open_socket(&port, &mine[flow * probe_hosts_max + host]);
  }
  exchange(&mesh, mine, peers);
  for (int flow = 0; flow < probe_flows_max; ++flow) {
    for (int host = 0; host < mesh.hosts; ++host) {
      const struct sockaddr_in* peer = &peers[flow * probe_hosts_max + host];
      if (connect(mesh.sockets[flow][host], (const struct sockaddr*)peer, sizeof *peer) != 0)
        die("host %d cannot be reached over UDP: %s", host, strerror(errno));
    }
  }
  meet(&mesh);
  return mesh;
}

void close_mesh(struct Mesh* mesh) {
  meet(mesh);
  for (int flow = 0; flow < probe_flows_max; ++flow) {
    for (int host = 0; host < mesh->hosts; ++host) close(mesh->sockets[flow][host]);
  }
}
