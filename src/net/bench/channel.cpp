// SPDX-License-Identifier: BSD-3-Clause
#include "net/bench/channel.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/descriptor.hpp"
#include "net/endpoint/endpoint.hpp"

namespace suiro::net::bench {
namespace {

void check(bool good, const char* what) {
  if (!good) throw std::system_error(errno, std::system_category(), what);
}

void send_all(int socket, const void* data, std::size_t bytes) {
  const auto* next = static_cast<const std::byte*>(data);
  while (bytes > 0) {
    const ssize_t count = ::send(socket, next, bytes, MSG_NOSIGNAL);
    check(count > 0, "send");
    next += count;
    bytes -= static_cast<std::size_t>(count);
  }
}

void receive_all(int socket, void* data, std::size_t bytes, int flags = 0) {
  auto* next = static_cast<std::byte*>(data);
  while (bytes > 0) {
    const ssize_t count = ::recv(socket, next, bytes, flags);
    if (count < 0 && errno == EAGAIN) continue;
    if (count == 0) throw std::runtime_error("the other process has ended");
    check(count > 0, "recv");
    next += count;
    bytes -= static_cast<std::size_t>(count);
  }
}

class RawChannel : public Channel {
 public:
  RawChannel(Descriptor socket, Waiting waiting)
      : socket_(std::move(socket)), flags_(waiting == Waiting::polling ? MSG_DONTWAIT : 0) {
    const int one = 1;
    (void)setsockopt(socket_.number(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  }

  void send(const std::byte* data, std::size_t bytes) override {
    send_all(socket_.number(), data, bytes);
  }
  void receive(std::byte* data, std::size_t bytes) override {
    receive_all(socket_.number(), data, bytes, flags_);
  }
  void begin_receive(std::byte* data, std::size_t bytes) override {
    begun_ = data;
    begun_bytes_ = bytes;
  }
  void finish() override { receive(begun_, begun_bytes_); }

 private:
  Descriptor socket_;
  int flags_;
  std::byte* begun_ = nullptr;
  std::size_t begun_bytes_ = 0;
};

class EngineChannel : public Channel, CompletionSink {
 public:
  EngineChannel(const Settings& settings, int agreement, Waiting waiting)
      : endpoint_(settings), waiting_(waiting) {
    const Name own = endpoint_.name();
    tell(agreement, &own, sizeof own);
    hear(agreement, &other_, sizeof other_);
    peer_ = endpoint_.peer(other_);
  }

  void send(const std::byte* data, std::size_t bytes) override {
    const iovec part{const_cast<std::byte*>(data), bytes};
    SendRequest request;
    request.peer = peer_;
    request.buffers = {&part, 1};
    request.sink = this;
    check_status(endpoint_.send(request));
    await(sent_);
  }
  void receive(std::byte* data, std::size_t bytes) override {
    begin_receive(data, bytes);
    finish();
  }
  void begin_receive(std::byte* data, std::size_t bytes) override {
    const iovec part{data, bytes};
    ReceiveRequest request;
    request.pattern.source = peer_;
    request.buffers = {&part, 1};
    request.sink = this;
    check_status(endpoint_.receive(request));
  }
  void finish() override { await(received_); }
  Name other() const override { return other_; }
  Statistics statistics() const override { return endpoint_.statistics(); }

 private:
  void complete(const Completion& completion) override {
    failed_ = failed_ || completion.status != Status::ok;
    auto& count = completion.kind == Completion::Kind::send ? sent_ : received_;
    count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  static void check_status(Status status) {
    if (status != Status::ok) throw std::runtime_error("the engine refuses a call");
  }

  void await(std::atomic<int>& count) {
    if (waiting_ == Waiting::polling)
      while (count.load(std::memory_order_acquire) == 0) endpoint_.progress();
    else
      endpoint_.wait(
          [](void* counter) { return static_cast<std::atomic<int>*>(counter)->load() > 0; }, &count,
          -1);
    count.fetch_sub(1);
    if (failed_) throw std::runtime_error("an operation has failed");
  }

  std::atomic<int> sent_{0}, received_{0};
  std::atomic<bool> failed_{false};
  Endpoint endpoint_;
  Waiting waiting_;
  Name other_;
  Peer peer_ = 0;
};

}  // namespace

void tell(int agreement, const void* data, std::size_t bytes) { send_all(agreement, data, bytes); }
void hear(int agreement, void* data, std::size_t bytes) { receive_all(agreement, data, bytes); }

void meet(int agreement) {
  char word = 0;
  tell(agreement, &word, sizeof word);
  hear(agreement, &word, sizeof word);
}

std::unique_ptr<Channel> engine_channel(const Settings& settings, int agreement, Waiting waiting) {
  return std::make_unique<EngineChannel>(settings, agreement, waiting);
}

std::unique_ptr<Channel> raw_channel(std::uint32_t address, int agreement, Waiting waiting,
                                     bool first) {
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = address;
  socklen_t length = sizeof place;
  auto* const generic = reinterpret_cast<sockaddr*>(&place);
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  check(static_cast<bool>(socket), "socket");
  if (!first) {
    hear(agreement, &place, sizeof place);
    check(connect(socket.number(), generic, length) == 0, "connect");
    return std::make_unique<RawChannel>(std::move(socket), waiting);
  }
  check(bind(socket.number(), generic, length) == 0, "bind");
  check(listen(socket.number(), 1) == 0, "listen");
  check(getsockname(socket.number(), generic, &length) == 0, "getsockname");
  tell(agreement, &place, sizeof place);
  Descriptor accepted(accept4(socket.number(), nullptr, nullptr, SOCK_CLOEXEC));
  check(static_cast<bool>(accepted), "accept");
  return std::make_unique<RawChannel>(std::move(accepted), waiting);
}

}  // namespace suiro::net::bench
