// SPDX-License-Identifier: BSD-3-Clause
// Asks a counter socket: connect, optionally write a request, read one JSON document until the end
// of the stream.
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "bench.h"

enum { document_limit = 1 << 20 };
static char document[document_limit];

static int connect_to(const char* path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) return -1;
  strcpy(address.sun_path, path);
  const int socket_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket_fd < 0) return -1;
  const struct timeval patience = {.tv_sec = 2};
  setsockopt(socket_fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (connect(socket_fd, (const struct sockaddr*)&address, sizeof address) == 0) return socket_fd;
  close(socket_fd);
  return -1;
}

static size_t ask(const char* path, const char* request) {
  const int socket_fd = connect_to(path);
  if (socket_fd < 0) return 0;
  const size_t length = strlen(request);
  size_t filled = 0;
  if (send(socket_fd, request, length, MSG_NOSIGNAL) == (ssize_t)length) {
    shutdown(socket_fd, SHUT_WR);
    for (ssize_t got; filled < document_limit - 1; filled += (size_t)got) {
      got = read(socket_fd, document + filled, document_limit - 1 - filled);
      if (got <= 0) break;
    }
  }
  close(socket_fd);
  return filled;
}

void reset_counters(const char* socket_path) {
  if (socket_path != NULL) ask(socket_path, "{\"reset\": true}\n");
}

const char* read_counters(const char* socket_path) {
  const size_t length = socket_path != NULL ? ask(socket_path, "\n") : 0;
  if (length == 0) return "null";
  document[length] = 0;
  for (char* c = document; *c; ++c) {
    if (*c == '\n' || *c == '\r') *c = ' ';
  }
  return document;
}
