// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/job/reach.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "base/sockets.hpp"

namespace suiro::mpi {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto head_start = 100ms;   // of an address before those behind it
constexpr auto answer_time = 500ms;  // a service with much to do is no stranger
constexpr auto connect_time = 1500ms;
constexpr auto tick = 20ms;
constexpr int accepted_factor = 4;  // times as long, once somebody listens
constexpr std::ptrdiff_t sockets_max = 16;
constexpr std::string_view expected = "ok\n";

enum class State : std::uint8_t { waiting, connecting, connected, asked, failed };

struct Place {
  sockaddr_storage address{};
  socklen_t length = 0;
  State state = State::waiting;
  int socket = -1;
  Clock::time_point since;  // of the state
  std::size_t written = 0;
  std::string answer = {};

  bool is(State other, Clock::duration age) const {
    return state == other && Clock::now() - since < age;
  }
  bool under_way() const { return socket >= 0; }

  void enter(State next) {
    state = next;
    since = Clock::now();
  }
  void fail() {
    if (socket >= 0) close(socket);
    socket = -1;
    enter(State::failed);
  }
};

Place place_of(std::string_view text) {
  Place place;
  place.state = State::failed;
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return place;
  std::string host(text.substr(0, colon));
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string port(text.substr(colon + 1));
  if (getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) return place;
  std::memcpy(&place.address, found->ai_addr, found->ai_addrlen);
  place.length = found->ai_addrlen;
  place.state = State::waiting;
  freeaddrinfo(found);
  return place;
}

class Search {
 public:
  Search(std::string_view places, std::string_view greeting) : greeting_(greeting) {
    while (!places.empty()) {
      const std::size_t end = std::min(places.find(','), places.size());
      places_.push_back(place_of(places.substr(0, end)));
      places.remove_prefix(std::min(end + 1, places.size()));
    }
  }
  ~Search() {
    for (Place& place : places_) place.fail();
  }
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  int run(Clock::duration time) {
    const Clock::time_point began = Clock::now();
    while (Clock::now() < began + (is_accepted() ? accepted_factor : 1) * time) {
      begin();
      ask();
      if (std::ranges::all_of(places_, [](const Place& p) { return p.state == State::failed; })) {
        break;
      }
      wait();
      for (Place& place : places_) advance(place);
      const auto found = std::ranges::find(places_, expected, &Place::answer);
      if (found != places_.end()) return std::exchange(found->socket, -1);
    }
    return -1;
  }

 private:
  /// Whether somebody listens there: perhaps a service to which thousands come at once.
  bool is_accepted() const {
    return std::ranges::any_of(places_, [](const Place& place) {
      return place.state == State::connected || place.state == State::asked;
    });
  }

  /// The first address alone, as a rule: a large job shall not come in many times its number.
  void begin() {
    for (Place& place : places_) {
      if (place.state == State::waiting && !start(place)) return;
      const bool first = &place == &places_.front();
      if (first && (place.is(State::connecting, head_start) || place.state == State::connected ||
                    place.is(State::asked, answer_time))) {
        return;
      }
    }
  }

  /// False if it must wait: for one of the others to end.
  bool start(Place& place) {
    const auto under_way = std::ranges::count_if(places_, &Place::under_way);
    if (under_way == sockets_max) return false;
    constexpr int kind = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
    place.socket = above_standard(Descriptor(socket(place.address.ss_family, kind, 0))).release();
    const bool none_left = place.socket < 0 && (errno == EMFILE || errno == ENFILE);
    if (none_left && under_way > 0) return false;
    const auto* address = reinterpret_cast<const sockaddr*>(&place.address);
    if (place.socket >= 0 &&
        (connect(place.socket, address, place.length) == 0 || errno == EINPROGRESS)) {
      place.enter(State::connecting);
    } else {
      place.fail();
    }
    return true;
  }

  void ask() {
    const auto has_time = [](const Place& place) { return place.is(State::asked, answer_time); };
    if (std::ranges::any_of(places_, has_time)) return;
    for (Place& place : places_) {
      if (place.is(State::connecting, head_start)) return;
      if (place.state != State::connected) continue;
      place.enter(State::asked);
      return;
    }
  }

  void wait() {
    std::vector<pollfd> waiting;
    for (const Place& place : places_) {
      if (!place.under_way() || place.state == State::connected) continue;
      const bool writes = place.state == State::connecting || place.written < greeting_.size();
      waiting.push_back({place.socket, static_cast<short>(writes ? POLLOUT : POLLIN), 0});
    }
    poll(waiting.data(), waiting.size(), static_cast<int>(tick.count()));
  }

  void advance(Place& place) {
    if (place.state == State::connecting) {
      finish_connecting(place);
    } else if (place.state == State::asked) {
      converse(place);
    }
  }

  static void finish_connecting(Place& place) {
    pollfd waiting{place.socket, POLLOUT, 0};
    if (poll(&waiting, 1, 0) == 0) {
      if (!place.is(State::connecting, connect_time)) place.fail();
      return;
    }
    int error = 0;
    socklen_t length = sizeof error;
    if (getsockopt(place.socket, SOL_SOCKET, SO_ERROR, &error, &length) != 0 || error != 0) {
      place.fail();
      return;
    }
    const int on = 1;
    setsockopt(place.socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    place.enter(State::connected);
  }

  void converse(Place& place) {
    const auto again = [](ssize_t done) { return done < 0 && (errno == EAGAIN || errno == EINTR); };
    if (place.written < greeting_.size()) {
      const std::string_view rest = greeting_.substr(place.written);
      const ssize_t sent = send(place.socket, rest.data(), rest.size(), MSG_NOSIGNAL);
      if (sent > 0) place.written += static_cast<std::size_t>(sent);
      if (sent <= 0 && !again(sent)) place.fail();
      return;
    }
    char text[expected.size()];
    const ssize_t got = recv(place.socket, text, expected.size() - place.answer.size(), 0);
    if (again(got)) return;
    if (got > 0) place.answer.append(text, static_cast<std::size_t>(got));
    if (got <= 0 || !expected.starts_with(place.answer)) place.fail();
  }

  std::vector<Place> places_;
  const std::string_view greeting_;
};

}  // namespace

int reach(const std::string& places, const std::string& greeting, std::chrono::milliseconds time) {
  return Search(places, greeting).run(time);
}

}  // namespace suiro::mpi
