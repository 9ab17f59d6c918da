// SPDX-License-Identifier: BSD-3-Clause
#include "net/links/link_board.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace suiro::net {
namespace {

/// For so long a process is believed that says no more.
constexpr std::int64_t word_holds_ns = 500'000'000;
/// Between two messages of a process there may be some time, but a long one of another that waits
/// for nothing is to lose little by it.
constexpr std::int64_t longest_fading_ns = 250'000'000;
/// A process that was silent for so long has lost its place to whoever wants it.
constexpr std::int64_t place_holds_ns = 60'000'000'000;

/// A rate is believed after so long, and a link that became slower is known to be after so long.
constexpr double learned_ns = 200e6;
constexpr double forgotten_ns = 8e9;
constexpr double most_at_once = 0.25;

constexpr auto relaxed = std::memory_order_relaxed;

std::uint64_t part_of(const Nonce& nonce) {
  std::uint64_t value = 0;
  std::memcpy(&value, nonce.data(), sizeof value);
  return std::max<std::uint64_t>(value, 1);
}

/// What is under way, or what is expected if that is more.
double bytes_of(const LinkBoard::Load& load, std::int64_t now_ns) {
  const std::int64_t word_left_ns = load.until_ns.load(relaxed) - now_ns;
  const bool holds = word_left_ns > 0 && word_left_ns <= word_holds_ns;
  const double bytes = holds ? static_cast<double>(load.bytes.load(relaxed)) : 0;
  const std::int64_t fades_ns = load.fades_ns.load(relaxed);
  const std::int64_t passed_ns = now_ns - load.ended_ns.load(relaxed);
  if (passed_ns < 0 || passed_ns >= fades_ns || fades_ns > longest_fading_ns) return bytes;
  const double left = 1 - static_cast<double>(passed_ns) / static_cast<double>(fades_ns);
  return std::max(bytes, left * static_cast<double>(load.expected.load(relaxed)));
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
    for (LinkBoard::Load& load : place.loads)
      load.until_ns.store(0, relaxed), load.fades_ns.store(0, relaxed);
    std::uint64_t used = board_.used.load(relaxed);
    while (used <= number && !board_.used.compare_exchange_weak(used, number + 1, relaxed)) {
    }
    place_ = &place;
    return;
  }
}

void LinkLoads::planned(std::size_t rail, std::uint64_t before, std::uint64_t bytes,
                        std::int64_t now_ns) {
  if (rail >= max_rails || before == bytes) return;
  Own& own = own_[rail];
  if (own.most == 0) own.since_ns = now_ns;
  own.planned += bytes - before;
  own.most = std::max(own.most, own.planned + own.bytes);
  if (bytes > before) board_.links[rail].preferred_ns.store(now_ns, relaxed);
  tell(rail, now_ns);
}

void LinkLoads::asked(std::size_t rail, std::uint64_t bytes, std::int64_t now_ns) {
  if (rail >= max_rails) return;
  if (own_[rail].bytes == 0) board_.links[rail].counted_ns.store(now_ns, relaxed);
  own_[rail].bytes += bytes;
  tell(rail, now_ns);
}

void LinkLoads::arrived(std::size_t rail, std::uint64_t bytes, std::int64_t now_ns) {
  if (rail >= max_rails) return;
  board_.links[rail].received_bytes.fetch_add(bytes, relaxed);
  board_.links[rail].counted_ns.store(now_ns, relaxed);
  lost(rail, bytes, now_ns);
}

void LinkLoads::lost(std::size_t rail, std::uint64_t bytes, std::int64_t now_ns) {
  if (rail >= max_rails) return;
  own_[rail].bytes -= std::min(own_[rail].bytes, bytes);
  tell(rail, now_ns);
}

void LinkLoads::tell(std::size_t rail, std::int64_t now_ns) {
  Own& own = own_[rail];
  const std::uint64_t here = own.bytes + own.planned;
  const std::uint64_t most = here == 0 ? std::exchange(own.most, 0) : 0;
  claim(now_ns);
  if (place_ == nullptr) return;
  LinkBoard::Load& load = place_->loads[rail];
  place_->said_ns.store(now_ns, relaxed);
  load.bytes.store(here, relaxed);
  load.until_ns.store(now_ns + word_holds_ns, relaxed);
  if (most == 0) return;
  load.expected.store(most, relaxed);
  load.ended_ns.store(now_ns, relaxed);
  load.fades_ns.store(std::min(now_ns - own.since_ns, longest_fading_ns), relaxed);
}

double LinkLoads::others(std::size_t rail, std::int64_t now_ns) const {
  if (rail >= max_rails) return 0;
  double sum = 0;
  const std::size_t used = std::min<std::size_t>(board_.used.load(relaxed), LinkBoard::places);
  for (std::size_t number = 0; number < used; ++number) {
    const LinkBoard::Place& place = board_.place[number];
    if (&place == place_ || place.owner.load(relaxed) == 0) continue;
    sum += bytes_of(place.loads[rail], now_ns);
  }
  return sum;
}

bool LinkLoads::preferred(std::size_t rail, std::int64_t now_ns) const {
  if (rail >= max_rails) return false;
  const std::int64_t at_ns = board_.links[rail].preferred_ns.load(relaxed);
  return at_ns != 0 && std::abs(now_ns - at_ns) < word_holds_ns;
}

std::int64_t LinkLoads::counted_ns(std::size_t rail) const {
  return rail < max_rails ? board_.links[rail].counted_ns.load(relaxed) : 0;
}

std::uint64_t LinkLoads::received(std::size_t rail) const {
  return rail < max_rails ? board_.links[rail].received_bytes.load(relaxed) : 0;
}

/// A rate that most samples do not reach. How many look does not matter for how soon it is
/// forgotten.
void LinkLoads::measured(std::size_t rail, double bytes, std::int64_t took_ns,
                         std::int64_t now_ns) {
  if (rail >= max_rails || !(bytes > 0) || took_ns <= 0) return;
  const double bytes_per_ns = bytes / static_cast<double>(took_ns);
  const double before = rate(rail);
  const std::int64_t since_ns = now_ns - board_.links[rail].measured_ns.exchange(now_ns, relaxed);
  const double forgotten =
      std::clamp(static_cast<double>(since_ns) / forgotten_ns, 0.0, most_at_once);
  const double more = std::min(bytes_per_ns, 2 * before) - before;
  const double learned = std::min(static_cast<double>(took_ns) / learned_ns, most_at_once);
  const double now = before == 0 ? bytes_per_ns : before + more * (more > 0 ? learned : forgotten);
  board_.links[rail].bytes_per_ns.store(now, relaxed);
}

double LinkLoads::rate(std::size_t rail) const {
  if (rail >= max_rails) return 0;
  const double known = board_.links[rail].bytes_per_ns.load(relaxed);
  return std::isfinite(known) && known > 0 ? known : 0;
}

}  // namespace suiro::net
