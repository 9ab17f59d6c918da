// SPDX-License-Identifier: BSD-3-Clause
#include "net/link_board.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace suiro::net {
namespace {

/// For so long a process is believed that says no more.
constexpr std::int64_t word_holds_ns = 500'000'000;
/// Between two messages of a process there may be so much time, but a long one of another that
/// waits for nothing is to lose little by it.
constexpr std::int64_t longest_pause_ns = 20'000'000;
/// A process that was silent for so long has lost its place to whoever wants it.
constexpr std::int64_t place_holds_ns = 60'000'000'000;

constexpr auto relaxed = std::memory_order_relaxed;

std::uint64_t part_of(const Nonce& nonce) {
  std::uint64_t value = 0;
  std::memcpy(&value, nonce.data(), sizeof value);
  return std::max<std::uint64_t>(value, 1);
}

}  // namespace

LinkLoads::LinkLoads(LinkBoard* board, const Nonce& owner)
    : alone_(board == nullptr ? std::make_unique<LinkBoard>() : nullptr),
      board_(board == nullptr ? *alone_ : *board),
      owner_(part_of(owner)) {}

LinkLoads::~LinkLoads() {
  std::uint64_t owner = owner_;
  if (place_ != nullptr) place_->owner.compare_exchange_strong(owner, 0, relaxed);
}

/// A free place, or that of somebody who is silent. If there is none, others do not see this one.
void LinkLoads::claim(std::int64_t now_ns) {
  if (place_ != nullptr && place_->owner.load(relaxed) == owner_) return;
  place_ = nullptr;
  for (std::size_t number = 0; number < LinkBoard::places; ++number) {
    LinkBoard::Place& place = board_.place[number];
    std::uint64_t owner = place.owner.load(relaxed);
    const bool held = owner != 0 && std::abs(now_ns - place.said_ns.load(relaxed)) < place_holds_ns;
    if (held || !place.owner.compare_exchange_strong(owner, owner_, relaxed)) continue;
    for (LinkBoard::Load& load : place.loads) load.until_ns.store(0, relaxed);
    std::uint64_t used = board_.used.load(relaxed);
    while (used <= number && !board_.used.compare_exchange_weak(used, number + 1, relaxed)) {
    }
    place_ = &place;
    return;
  }
}

void LinkLoads::say(std::size_t rail, std::uint64_t bytes, std::int64_t until_ns,
                    std::int64_t now_ns) {
  claim(now_ns);
  if (place_ == nullptr) return;
  place_->said_ns.store(now_ns, relaxed);
  place_->loads[rail].bytes.store(bytes, relaxed);
  place_->loads[rail].until_ns.store(until_ns, relaxed);
}

void LinkLoads::planned(std::size_t rail, std::uint64_t before, std::uint64_t bytes,
                        std::int64_t now_ns) {
  if (rail >= max_rails || before == bytes) return;
  Own& own = own_[rail];
  if (own.most == 0) own.since_ns = now_ns;
  own.planned += bytes - before;
  own.most = std::max(own.most, own.planned + own.bytes);
  tell(rail, now_ns);
}

void LinkLoads::asked(std::size_t rail, std::uint64_t bytes, std::int64_t now_ns) {
  if (rail >= max_rails) return;
  own_[rail].bytes += bytes;
  tell(rail, now_ns);
}

void LinkLoads::arrived(std::size_t rail, std::uint64_t bytes, std::int64_t now_ns) {
  if (rail >= max_rails) return;
  board_.links[rail].received_bytes.fetch_add(bytes, relaxed);
  lost(rail, bytes, now_ns);
}

void LinkLoads::lost(std::size_t rail, std::uint64_t bytes, std::int64_t now_ns) {
  if (rail >= max_rails) return;
  own_[rail].bytes -= std::min(own_[rail].bytes, bytes);
  tell(rail, now_ns);
}

void LinkLoads::tell(std::size_t rail, std::int64_t now_ns) {
  Own& own = own_[rail];
  if (own.bytes + own.planned > 0) {
    say(rail, own.bytes + own.planned, now_ns + word_holds_ns, now_ns);
    return;
  }
  const std::int64_t pause_ns = std::min((now_ns - own.since_ns) / 2, longest_pause_ns);
  say(rail, own.most, own.most > 0 ? now_ns + pause_ns : 0, now_ns);
  own.most = 0;
}

double LinkLoads::others(std::size_t rail, std::int64_t now_ns) const {
  if (rail >= max_rails) return 0;
  double sum = 0;
  const std::size_t used = std::min<std::size_t>(board_.used.load(relaxed), LinkBoard::places);
  for (std::size_t number = 0; number < used; ++number) {
    const LinkBoard::Place& place = board_.place[number];
    const LinkBoard::Load& load = place.loads[rail];
    const std::int64_t left_ns = load.until_ns.load(relaxed) - now_ns;
    if (&place == place_ || left_ns <= 0 || left_ns > word_holds_ns) continue;
    if (place.owner.load(relaxed) != 0) sum += static_cast<double>(load.bytes.load(relaxed));
  }
  return sum;
}

std::uint64_t LinkLoads::received(std::size_t rail) const {
  return rail < max_rails ? board_.links[rail].received_bytes.load(relaxed) : 0;
}

void LinkLoads::measured(std::size_t rail, double bytes_per_ns) {
  if (rail >= max_rails || !std::isfinite(bytes_per_ns) || bytes_per_ns <= 0) return;
  const double before = rate(rail);
  const double now = before == 0 ? bytes_per_ns : (before + bytes_per_ns) / 2;
  board_.links[rail].bytes_per_ns.store(now, relaxed);
}

double LinkLoads::rate(std::size_t rail) const {
  if (rail >= max_rails) return 0;
  const double known = board_.links[rail].bytes_per_ns.load(relaxed);
  return std::isfinite(known) && known > 0 ? known : 0;
}

}  // namespace suiro::net
