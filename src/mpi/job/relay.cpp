// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/job/relay.hpp"

#include <poll.h>
#include <signal.h>
#include <sodium.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <new>
#include <system_error>

#include "base/blocked_signals.hpp"
#include "base/local_sockets.hpp"
#include "base/sockets.hpp"
#include "mpi/underneath/elapsed.hpp"

namespace suiro::mpi {

namespace {

constexpr int waiting_max = 4096;                                    // to be accepted
constexpr std::size_t line_bytes_max = (std::size_t{1} << 20) - 32;  // with a number, 1 MiB
constexpr std::size_t answer_bytes_max = std::size_t{17} << 20;
constexpr std::size_t up_bytes_max = std::size_t{4} << 20;  // then nobody is listened to
constexpr int look_ms = 100;                                // for ranks that have died
constexpr int wake_ms = 1000;      // whether the program has closed what it does not know
constexpr double patience_s = 10;  // at the end, for `suiro run` to take more
constexpr int tries_max = 1000;    // a millisecond apart

Descriptor local_socket() {
  return above_standard(Descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)));
}

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::system_category(), what);
}

bool comes_later() { return errno == EAGAIN || errno == EINTR; }

/// What has come, at the end of `text`; false at the end of the stream.
bool append_received(int socket, std::string& text) {
  std::array<char, 16384> next;
  const ssize_t count = recv(socket, next.data(), next.size(), 0);
  if (count > 0) text.append(next.data(), static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && comes_later());
}

/// What can be sent now is taken from the beginning of `text`; false when the stream has ended.
bool send_from(int socket, std::string& text) {
  const ssize_t sent = send(socket, text.data(), text.size(), MSG_NOSIGNAL);
  if (sent > 0) text.erase(0, static_cast<std::size_t>(sent));
  return sent >= 0 || comes_later();
}

std::string numbered(std::uint64_t number) { return std::to_string(number); }

}  // namespace

std::string meeting_name(std::string_view secret) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(secret.data());
  return name_from_secret("suiro-job-", "suiro ranks of a node", {bytes, secret.size()});
}

Descriptor connect_to_relay(const std::string& name) {
  const AbstractAddress address(name);
  Descriptor socket = local_socket();
  for (int tries = 0; socket && tries < tries_max; ++tries) {
    if (connect(socket.number(), address.generic(), address.length) == 0) {
      return is_same_user(socket.number()) ? std::move(socket) : Descriptor();
    }
    if (errno != ECONNREFUSED && errno != EAGAIN && errno != EINTR) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return {};
}

Relay::Relay(const std::string& name, std::string greeting)
    : greeting_(std::move(greeting)), listener_(local_socket()), reserve_(reserve_descriptor()) {
  std::array<int, 2> ends = {-1, -1};
  socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data());
  bell_ = GuardedDescriptor(above_standard(Descriptor(ends[0])));
  alarm_ = GuardedDescriptor(above_standard(Descriptor(ends[1])));
  const AbstractAddress address(name);
  if (!listener_ || !bell_ || !alarm_ ||
      bind(listener_.number(), address.generic(), address.length) != 0 ||
      listen(listener_.number(), waiting_max) != 0) {
    fail("cannot listen for the ranks of this node");
  }
}

Relay::~Relay() {
  if (!thread_.joinable()) return;
  end_when_empty();
  thread_.join();
  dismiss(*this);
}

void Relay::begin(Descriptor upstream) {
  upstream_ = GuardedDescriptor(std::move(upstream));
  sent_s_ = now_s();
  const BlockedSignals blocked;
  thread_ = std::thread([this] { pass_on(); });
  enlist(*this);
}

void Relay::end_when_empty() {
  ending_.store(true, std::memory_order_release);
  if (bell_.is_ours()) send(bell_.number(), "", 1, MSG_NOSIGNAL);
}

/// The thread is not there in the child, and never joined.
void Relay::abandon() noexcept {
  close_all();
  if (thread_.joinable()) thread_.detach();
}

void Relay::close_all() noexcept {
  listener_.close();
  upstream_.close();
  bell_.close();
  alarm_.close();
  for (Member& member : members_) member.socket.close();
}

void Relay::pass_on() {
  try {
    do {
      wait();
      pass_once();
    } while (!is_over());
  } catch (const std::bad_alloc&) {
    // The ranks of this node are on their own, as without a relay.
  }
  const std::scoped_lock lock(mutex_);
  close_all();
  ended_.store(true, std::memory_order_release);
}

void Relay::pass_once() {
  const std::scoped_lock lock(mutex_);
  if (!owns_all()) return;
  accept();
  for (Member& member : members_) receive(member);
  receive_answers();
  send_up();
  for (Member& member : members_) send_answers(member);
  if (ending_.load(std::memory_order_acquire)) drop_the_dead();
  std::erase_if(members_, [](const Member& member) { return !member.socket; });
}

bool Relay::owns_all() const {
  return listener_.is_ours() && upstream_.is_ours() && bell_.is_ours() && alarm_.is_ours();
}

/// Without `suiro run` each rank is on its own; and where the program has closed what it did not
/// know.
bool Relay::is_over() const {
  if (!owns_all()) return true;
  return ending_.load(std::memory_order_acquire) && members_.empty() && up_.empty();
}

void Relay::wait() {
  std::vector<pollfd> waiting;
  waiting.reserve(members_.size() + 3);
  waiting.push_back({alarm_.number(), POLLIN, 0});
  waiting.push_back({listener_.number(), POLLIN, 0});
  const int up = up_.empty() ? POLLIN : POLLIN | POLLOUT;
  waiting.push_back({upstream_.number(), static_cast<short>(up), 0});
  for (const Member& member : members_) {
    const int in = up_.size() < up_bytes_max ? POLLIN : 0;
    const int out = member.answers.empty() ? 0 : POLLOUT;
    const int listened_to = (in | out) != 0 ? member.socket.number() : -1;
    waiting.push_back({listened_to, static_cast<short>(in | out), 0});
  }
  const bool looks = ending_.load(std::memory_order_acquire);
  poll(waiting.data(), waiting.size(), looks ? look_ms : wake_ms);
}

void Relay::accept() {
  std::array<char, 16> rung;
  recv(alarm_.number(), rung.data(), rung.size(), 0);
  while (true) {
    Descriptor accepted = accept_from(listener_.number(), reserve_);
    if (!accepted) return;
    if (!is_same_user(accepted.number())) continue;
    GuardedDescriptor socket(above_standard(std::move(accepted)));
    members_.push_back({.socket = std::move(socket), .number = ++numbers_});
  }
}

void Relay::receive(Member& member) {
  if (!member.socket || up_.size() >= up_bytes_max) return;
  if (!member.socket.is_ours()) return drop(member);
  const bool lives = append_received(member.socket.number(), member.received);
  if (!member.greeted) greet(member);
  if (member.greeted) take_lines(member);
  if (!lives || member.received.size() > line_bytes_max) drop(member);
}

/// The first line of the greeting is the secret; the second is passed on, and answered.
void Relay::greet(Member& member) {
  const std::size_t secret = greeting_.find('\n') + 1;
  if (member.received.size() < secret) return;
  if (sodium_memcmp(member.received.data(), greeting_.data(), secret) != 0) {
    member.socket.close();
    return;
  }
  member.received.erase(0, secret);
  member.greeted = true;
}

void Relay::take_lines(Member& member) {
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = member.received.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    if (end - begin > line_bytes_max) return drop(member);
    up_ += numbered(member.number) + ' ';
    up_.append(member.received, begin, end + 1 - begin);
  }
  member.received.erase(0, begin);
}

void Relay::drop(Member& member) {
  if (member.socket && member.greeted) up_ += numbered(member.number) + '\n';
  member.socket.close();
}

void Relay::send_answers(Member& member) {
  if (member.answers.empty() || !member.socket.is_ours()) return;
  if (!send_from(member.socket.number(), member.answers)) drop(member);
}

/// At the end it is not waited for for ever.
void Relay::send_up() {
  const std::size_t before = up_.size();
  if (before > 0 && upstream_ && !send_from(upstream_.number(), up_)) upstream_.close();
  if (up_.empty() || up_.size() < before) sent_s_ = now_s();
  const bool is_late = now_s() - sent_s_ > patience_s;
  if (is_late && ending_.load(std::memory_order_acquire)) upstream_.close();
}

void Relay::receive_answers() {
  if (!append_received(upstream_.number(), down_)) upstream_.close();
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = down_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string_view line = std::string_view(down_).substr(begin, end - begin);
    std::uint64_t number = 0;
    const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), number);
    const auto member = std::ranges::find(members_, number, &Member::number);
    if (error != std::errc() || member == members_.end()) continue;
    if (rest == line.data() + line.size()) {
      member->socket.close();
    } else {
      member->answers.append(rest + 1, line.data() + line.size()).push_back('\n');
    }
  }
  down_.erase(0, begin);
  if (down_.size() > answer_bytes_max) upstream_.close();
}

/// A process may have left its connection to a child that lives on.
void Relay::drop_the_dead() {
  for (Member& member : members_) {
    if (!member.greeted) member.socket.close();
    const pid_t process = member.socket.is_ours() ? process_at(member.socket.number()) : 0;
    if (process > 0 && kill(process, 0) != 0 && errno == ESRCH) drop(member);
  }
}

}  // namespace suiro::mpi
