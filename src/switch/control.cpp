// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

namespace suiro {
namespace {

constexpr Time patience = second / 10;  // for a request; who wants none may half-close at once
constexpr std::size_t request_bytes_max = 256;
constexpr double share_min = 0.001;  // links have 100 kbit/s or more

/// What is no request asks for nothing.
Control::Request parse(const std::string& text) {
  Control::Request request;
  const auto document = nlohmann::json::parse(text, nullptr, false);
  if (!document.is_object()) return request;
  if (const auto reset = document.find("reset"); reset != document.end() && reset->is_boolean()) {
    request.reset = reset->get<bool>();
  }
  if (const auto share = document.find("throttle"); share != document.end() && share->is_number()) {
    const auto value = share->get<double>();
    if (value >= share_min && value <= 1) request.throttle = value;
  }
  return request;
}

}  // namespace

Control::Control(std::string path)
    : path_(std::move(path)),
      listener_(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path_.copy(address.sun_path, sizeof(address.sun_path) - 1);
  unlink(path_.c_str());
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  if (bind(listener_.number(), generic, sizeof(address)) < 0 ||
      listen(listener_.number(), 16) < 0) {
    throw SwitchError(fmt::format("control: cannot listen at {}: {}", path_, std::strerror(errno)));
  }
}

Control::~Control() { unlink(path_.c_str()); }

/// Reads what there is; true when the line or the client's end has come.
bool Control::request_complete() {
  std::array<char, request_bytes_max> bytes;
  const ssize_t length = recv(client_.number(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (length < 0) return errno != EAGAIN;
  request_.append(bytes.data(), static_cast<std::size_t>(length));
  return length == 0 || request_.find('\n') != std::string::npos ||
         request_.size() >= request_bytes_max;
}

void Control::serve(Time now, const std::function<std::string(const Request&)>& answer) {
  if (!client_.open()) {
    client_ = Descriptor(accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!client_.open()) return;
    request_.clear();
    deadline_ = now + patience;
  }
  if (!request_complete() && now < deadline_) return;
  const std::string document = answer(parse(request_));
  // A client that does not read loses its answer; the switch never waits for anybody.
  send(client_.number(), document.data(), document.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  client_ = Descriptor();
  deadline_ = never;
}

}  // namespace suiro
