// SPDX-License-Identifier: BSD-3-Clause
#include "pair.hpp"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace suiro::fabric {
namespace {

using Name = std::array<std::byte, 64>;
using Clock = std::chrono::steady_clock;

void write_all(int channel, const void* bytes, std::size_t count) {
  REQUIRE(write(channel, bytes, count) == static_cast<ssize_t>(count));
}

void read_all(int channel, void* bytes, std::size_t count) {
  REQUIRE(recv(channel, bytes, count, MSG_WAITALL) == static_cast<ssize_t>(count));
}

fi_info* ask(const PairOptions& options) {
  fi_info* hints = fi_allocinfo();
  hints->caps = FI_MSG | FI_TAGGED | FI_DIRECTED_RECV | FI_MULTI_RECV | FI_SOURCE;
  hints->mode = FI_CONTEXT;
  hints->ep_attr->type = FI_EP_RDM;
  hints->tx_attr->op_flags = options.send_flags;
  hints->domain_attr->av_type = options.vector_type;
  hints->domain_attr->threading = FI_THREAD_SAFE;
  hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
  fi_info* info = nullptr;
  REQUIRE(fi_getinfo(options.version, nullptr, nullptr, 0, hints, &info) == 0);
  REQUIRE(std::strcmp(info->fabric_attr->prov_name, "suiro") == 0);
  fi_freeinfo(hints);
  return info;
}

[[noreturn]] void end(bool good) {
  std::fflush(nullptr);
  _exit(good ? 0 : 1);
}

bool ended_well(pid_t child) {
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

void fail(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: not so: %s\n", file, line, condition);
  end(false);
}

Side::Side(int own, int channel, const PairOptions& options) : rank(own), channel_(channel) {
  fi_info* info = ask(options);
  REQUIRE(fi_fabric(info->fabric_attr, &fabric, nullptr) == 0);
  REQUIRE(fi_domain(fabric, info, &domain, nullptr) == 0);
  fi_cq_attr queue_attributes{};
  queue_attributes.size = 100;
  queue_attributes.format = FI_CQ_FORMAT_TAGGED;
  queue_attributes.wait_obj = options.wait_object;
  REQUIRE(fi_cq_open(domain, &queue_attributes, &queue, nullptr) == 0);
  fi_av_attr vector_attributes{};
  vector_attributes.type = options.vector_type;
  REQUIRE(fi_av_open(domain, &vector_attributes, &vector, nullptr) == 0);
  if (options.counters) {
    fi_cntr_attr attributes{};
    REQUIRE(fi_cntr_open(domain, &attributes, &sends_, nullptr) == 0);
    REQUIRE(fi_cntr_open(domain, &attributes, &receives_, nullptr) == 0);
  }
  for (int i = 0; i < options.endpoints; ++i) open_endpoint(info, options);
  fi_freeinfo(info);
  exchange_names();
}

void Side::open_endpoint(fi_info* info, const PairOptions& options) {
  fid_ep* endpoint = nullptr;
  REQUIRE(fi_endpoint(domain, info, &endpoint, nullptr) == 0);
  REQUIRE(fi_ep_bind(endpoint, &vector->fid, 0) == 0);
  REQUIRE(fi_ep_bind(endpoint, &queue->fid, FI_TRANSMIT | FI_RECV | options.bind_flags) == 0);
  if (options.counters) {
    REQUIRE(fi_ep_bind(endpoint, &sends_->fid, FI_SEND) == 0);
    REQUIRE(fi_ep_bind(endpoint, &receives_->fid, FI_RECV) == 0);
  }
  REQUIRE(fi_enable(endpoint) == 0);
  endpoints_.push_back(endpoint);
}

void Side::exchange_names() {
  for (fid_ep* endpoint : endpoints_) {
    Name name{};
    std::size_t length = name.size();
    REQUIRE(fi_getname(&endpoint->fid, name.data(), &length) == 0);
    REQUIRE(length == name.size());
    write_all(channel_, name.data(), length);
  }
  for (std::size_t i = 0; i < endpoints_.size(); ++i) {
    Name name{};
    read_all(channel_, name.data(), name.size());
    fi_addr_t address = FI_ADDR_NOTAVAIL;
    REQUIRE(fi_av_insert(vector, name.data(), 1, &address, 0, nullptr) == 1);
    REQUIRE(address == i);
    peers_.push_back(address);
  }
}

Side::~Side() {
  for (fid_ep* endpoint : endpoints_) REQUIRE(fi_close(&endpoint->fid) == 0);
  if (sends_ != nullptr) REQUIRE(fi_close(&sends_->fid) == 0);
  if (receives_ != nullptr) REQUIRE(fi_close(&receives_->fid) == 0);
  REQUIRE(fi_close(&domain->fid) == -FI_EBUSY);
  REQUIRE(fi_close(&queue->fid) == 0);
  REQUIRE(fi_close(&vector->fid) == 0);
  REQUIRE(fi_close(&domain->fid) == 0);
  REQUIRE(fi_close(&fabric->fid) == 0);
}

void Side::meet() const {
  char byte = 0;
  write_all(channel_, &byte, 1);
  read_all(channel_, &byte, 1);
}

Result Side::next() {
  Result result;
  const auto deadline = Clock::now() + std::chrono::seconds(20);
  while (Clock::now() < deadline) {
    const ssize_t got = fi_cq_readfrom(queue, &result.entry, 1, &result.source);
    if (got == 1) return result;
    if (got == -FI_EAVAIL) {
      REQUIRE(fi_cq_readerr(queue, &result.error, 0) == 1);
      return result;
    }
    REQUIRE(got == -FI_EAGAIN);
  }
  fail("a completion within 20 s", __FILE__, __LINE__);
}

bool Side::quiet() {
  fi_cq_tagged_entry entry{};
  const auto deadline = Clock::now() + std::chrono::milliseconds(20);
  while (Clock::now() < deadline)
    if (fi_cq_read(queue, &entry, 1) != -FI_EAGAIN) return false;
  return true;
}

bool as_pair(const PairOptions& options, void (*act)(Side&)) {
  std::array<int, 2> channels{};
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, channels.data()) != 0) return false;
  std::array<pid_t, 2> children{};
  for (int rank = 0; rank < 2; ++rank) {
    children[rank] = fork();
    if (children[rank] != 0) continue;
    close(channels[1 - rank]);
    alarm(60);
    {
      Side side(rank, channels[rank], options);
      act(side);
      side.meet();
    }
    end(true);
  }
  for (int channel : channels) close(channel);
  const bool first = ended_well(children[0]);
  return ended_well(children[1]) && first;
}

bool alone(void (*act)()) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    act();
    end(true);
  }
  return ended_well(child);
}

std::vector<std::byte> pattern(std::size_t bytes, unsigned seed) {
  std::vector<std::byte> made(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    made[i] = static_cast<std::byte>((i * 2654435761u + seed * 40503u) >> 11);
  return made;
}

}  // namespace suiro::fabric
