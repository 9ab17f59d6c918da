// SPDX-License-Identifier: BSD-3-Clause
#include "net/links/departures.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace suiro::net {
namespace {

constexpr std::ptrdiff_t parts_under_way = 2;

}  // namespace

void Departures::promise(std::uint64_t bytes, std::size_t home) {
  const std::int64_t now_ns = clock_.now_ns();
  if (home != home_) {
    loads_.planned(home_, promised_, 0, now_ns);
    loads_.planned(home, 0, bytes, now_ns);
  } else {
    loads_.planned(home, promised_, bytes, now_ns);
  }
  home_ = home;
  promised_ = bytes;
}

void Departures::announced(Send& send, std::size_t home) {
  send.promised = send.payload.bytes();
  promise(promised_ + send.promised, home);
}

void Departures::prefers(std::size_t home) { promise(promised_, home); }

void Departures::granted(Send& send, std::size_t stream, std::size_t rail, std::uint64_t bytes) {
  const auto here = [&](const Part& part) { return part.stream == stream; };
  if (std::ranges::count_if(parts_, here) >= parts_under_way) {
    const auto first = std::ranges::find_if(parts_, here);
    loads_.lost(rail, first->bytes, clock_.now_ns());
    parts_.erase(first);
  }
  parts_.push_back({.send = &send, .stream = stream, .rail = rail, .bytes = bytes});
  loads_.asked(rail, bytes, clock_.now_ns());
  const std::uint64_t kept = std::min(send.promised, bytes);
  send.promised -= kept;
  promise(promised_ - kept, home_);
}

void Departures::remove(auto which) {
  std::erase_if(parts_, [&](const Part& part) {
    if (!which(part)) return false;
    loads_.lost(part.rail, part.bytes, clock_.now_ns());
    return true;
  });
}

void Departures::ended(Send& send) {
  remove([&](const Part& part) { return part.send == &send; });
  promise(promised_ - std::exchange(send.promised, 0), home_);
}

void Departures::closed(std::size_t stream) {
  remove([&](const Part& part) { return part.stream == stream; });
}

void Departures::fail() {
  remove([](const Part&) { return true; });
  promise(0, home_);
}

BusyLinks Departures::elsewhere() const {
  std::array<std::uint64_t, max_rails> here{};
  if (home_ < max_rails) here[home_] = promised_;
  for (const Part& part : parts_)
    if (part.rail < max_rails) here[part.rail] += part.bytes;
  BusyLinks busy;
  for (std::size_t rail = 0; rail < rails_ && rail < max_rails; ++rail) {
    const std::uint64_t own = loads_.own(rail) + loads_.planned(rail);
    const double others = loads_.others(rail, clock_.now_ns());
    busy.set(rail, static_cast<double>(own - std::min(own, here[rail])) + others);
  }
  return busy;
}

}  // namespace suiro::net
