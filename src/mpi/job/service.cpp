// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/job/service.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <system_error>

#include "host/launcher.hpp"
#include "mpi/job/reach.hpp"
#include "mpi/underneath/elapsed.hpp"

/// Of the build that this library is from (cmake/shipped.cmake), after a prefix.
extern "C" const char suiro_build_id[];

namespace suiro::mpi {

namespace {

constexpr std::chrono::seconds reach_time{5};
constexpr double patience_s = 5.0;    // for an answer
constexpr double register_s = 30.0;   // where thousands of ranks come at once
constexpr double verdict_s = 60.0;    // the other ranks may still be in MPI_Init
constexpr double transport_s = 60.0;  // or before it
constexpr std::size_t long_answer_bytes_max = std::size_t{16} << 20;

bool wait_for(int socket, short events, double deadline_s) {
  while (true) {
    const double left_s = deadline_s - now_s();
    if (left_s <= 0) return false;
    pollfd waiting{socket, events, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(left_s * 1000) + 1);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

/// What the launcher calls this job, so that two at once under one `suiro run` are told apart.
std::string world_name() {
  for (const char* name : {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID"}) {
    if (const char* value = std::getenv(name)) return value;
  }
  return "";
}

/// By another job of the same launcher: it must talk with that.
bool launcher_tells_spawned() {
  return std::getenv("PMI_SPAWNED") != nullptr || std::getenv("OMPI_PARENT_PORT") != nullptr;
}

}  // namespace

std::string build_id() {
  constexpr std::string_view prefix = "suiro build ";
  return std::string(suiro_build_id).substr(prefix.size());
}

std::string text_of(const nlohmann::json& json) {
  return json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

bool Service::enroll(const std::string& addresses, const std::string& token) {
  const std::string greeting = "suiro 1 " + token + "\n{\"hello\":true}\n";
  const host::LauncherLocalPlace local = host::launcher_local_place();
  if (local.size > 1) {
    const std::optional<int> relay = meet(addresses, token, greeting);
    if (!relay) return false;
    std::string answer;
    const bool met = adopt(*relay);
    if (met && !exchange(greeting.substr(0, greeting.size() - 1), answer, register_s)) close();
  }
  if (!connected() && !adopt(reach(addresses, greeting, reach_time))) return false;
  const nlohmann::json about{{"world", world_name()},
                             {"host", host_name()},
                             {"local", local.size},
                             {"pid", getpid()},
                             {"build", build_id()}};
  std::string answer;
  if (exchange(text_of({{"register", about}}), answer, register_s) && answer == "ok") return true;
  close();
  return false;
}

/// By way of the node's relay; this process may become that. -1: there is none. Nothing: this
/// process would be the relay, but nobody answers it.
std::optional<int> Service::meet(const std::string& addresses, const std::string& token,
                                 const std::string& greeting) {
  const std::string name = meeting_name(token + addresses + world_name());
  try {
    auto relay = std::make_unique<Relay>(name, greeting);
    Descriptor upstream(reach(addresses, greeting, reach_time));
    if (!upstream) return std::nullopt;
    relay->begin(std::move(upstream));
    relay_ = std::move(relay);
  } catch (const std::system_error& error) {
    if (error.code().value() != EADDRINUSE) return -1;
  }
  return connect_to_relay(name).release();
}

bool Service::adopt(int socket) {
  socket_ = GuardedDescriptor(Descriptor(socket));
  return connected();
}

/// As the verdict: a rank that loses patience has the service decide for all.
std::string Service::transport(const Obstacle& obstacle) {
  const host::LauncherPlace place = host::launcher_place().value_or(host::LauncherPlace{});
  const nlohmann::json about{{"rank", place.rank},
                             {"size", place.size},
                             {"spawned", launcher_tells_spawned()},
                             {"obstacle", obstacle.why},
                             {"net", obstacle.net_works}};
  std::string answer;
  if (!exchange(nlohmann::json{{"transport", about}}.dump(-1, ' ', true), answer, transport_s)) {
    exchange(R"({"withdraw":"transport"})", answer, patience_s);
  }
  return answer;
}

/// The service answers only after every registered rank has asked or gone, and then all at once. A
/// rank that loses patience must not decide alone: it withdraws, which makes the answer "off" for
/// all who have none yet, and takes the answer that the service gives.
bool Service::verdict(int rank, int size) {
  const nlohmann::json question{{"verdict", {{"rank", rank}, {"size", size}}}};
  std::string answer;
  if (!exchange(question.dump(), answer, verdict_s)) {
    exchange(R"({"withdraw":true})", answer, patience_s);
  }
  if (answer == "on") return true;
  close();
  return false;
}

std::string Service::ask(const std::string& line) {
  std::string answer;
  return exchange(line, answer, patience_s, long_answer_bytes_max) ? answer : "";
}

bool Service::send(const std::string& line) {
  const std::scoped_lock lock(sending_);
  return connected() && write_all(line + "\n", now_s() + patience_s);
}

void Service::finish() {
  std::string answer;
  if (connected()) exchange(R"({"done":true})", answer, 2 * patience_s);
  close();
}

void Service::close() {
  if (relay_ != nullptr) relay_->end_when_empty();
  // A process that the program has forked may still have it open.
  if (socket_.is_ours()) ::shutdown(socket_.number(), SHUT_RDWR);
  socket_.close();
}

bool Service::exchange(const std::string& line, std::string& answer, double seconds,
                       std::size_t answer_bytes_max) {
  const double deadline_s = now_s() + seconds;
  return write_all(line + "\n", deadline_s) && read_line(answer, deadline_s, answer_bytes_max);
}

bool Service::write_all(std::string_view text, double deadline_s) {
  while (!text.empty() && socket_.is_ours()) {
    const ssize_t written = ::send(socket_.number(), text.data(), text.size(), MSG_NOSIGNAL);
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR &&
               (errno != EAGAIN || !wait_for(socket_.number(), POLLOUT, deadline_s))) {
      close();
    }
  }
  return text.empty();
}

/// Nothing follows an answer before the next question.
bool Service::read_line(std::string& line, double deadline_s, std::size_t bytes_max) {
  line.clear();
  while (line.size() < bytes_max) {
    std::array<char, 16384> next;
    const ssize_t count = recv(socket_.number(), next.data(), next.size(), 0);
    if (count > 0) {
      line.append(next.data(), static_cast<std::size_t>(count));
      if (line.back() != '\n') continue;
      line.pop_back();
      return true;
    }
    if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
      break;
    } else if (!wait_for(socket_.number(), POLLIN, deadline_s)) {
      return false;
    }
  }
  close();
  return false;
}

}  // namespace suiro::mpi
