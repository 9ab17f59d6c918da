// SPDX-License-Identifier: BSD-3-Clause
#include "net/engine/bulk.hpp"

#include <algorithm>
#include <utility>

#include "net/protocol/frames.hpp"

namespace suiro::net {
namespace {

constexpr std::int64_t shortest_bulk_pause_ns = 50'000'000;
constexpr std::int64_t longest_bulk_pause_ns = 5'000'000'000;
/// A stream that stands still while others of its own rail move is given this many times longer.
constexpr int patience = 4;

using State = BulkStream::State;

}  // namespace

std::size_t Bulk::preference_of(const Route& route) const {
  for (std::size_t index = 0; index < paths_.routes.size(); ++index)
    if (paths_.routes[index].own_rail == route.own_rail) return index;
  return paths_.routes.size();
}

void Bulk::open(std::int64_t now_ns) {
  wanted_ = true;
  if (!opens_) return;
  const auto per_rail = static_cast<std::size_t>(
      std::clamp(core_.settings.streams_per_rail, 1, max_streams_per_rail));
  if (paths_.same_host && shared_memory_) {
    const Route route{.shared_memory = true, .own_rail = 0, .peer_rail = 0};
    open(max_rails * per_rail, route, 0, now_ns);
    return;
  }
  const bool all = core_.settings.rails == RailPolicy::striped;
  bool served = false;
  for (std::size_t index = 0; index < paths_.routes.size(); ++index) {
    if (served && !all && !wanted_routes_[index]) continue;
    const Route& route = paths_.routes[index];
    for (std::size_t one = 0; one < per_rail; ++one) {
      const std::size_t number = route.own_rail * per_rail + one;
      open(number, route, index, now_ns);
      served = served || table_.stream(number).state != State::closed;
    }
  }
}

void Bulk::want(std::size_t index, std::int64_t now_ns) {
  if (wanted_routes_[index]) return;
  wanted_routes_.set(index);
  if (opens_)
    open(now_ns);
  else
    owner_.tell_wanted(paths_.routes[index].peer_rail);
}

bool Bulk::wanted_by_peer(std::size_t rail) {
  const auto found = std::ranges::find(paths_.routes, rail, &Route::own_rail);
  if (!opens_ || found == paths_.routes.end()) return false;
  want(static_cast<std::size_t>(found - paths_.routes.begin()), core_.carrier.now_ns());
  return true;
}

void Bulk::open(std::size_t number, const Route& route, std::size_t preference,
                std::int64_t now_ns) {
  BulkStream& stream = table_.stream(number);
  if (stream.state != State::closed || now_ns < stream.retry_ns) return;
  const Introduction introduction{.kind = StreamKind::bulk,
                                  .stream = static_cast<std::uint8_t>(number),
                                  .name = core_.own,
                                  .received = 0,
                                  .number = ++stream.life};
  stream.state = State::opening;
  stream.since_ns = now_ns;
  stream.preference = preference;
  stream.rail = route.shared_memory ? max_rails : route.own_rail;
  stream.stream = streams_.open(owner_, introduction, route);
}

/// The peer opens a stream; its number and life are the peer's to say.
Welcome Bulk::introduced(Stream& stream) {
  const Introduction& introduction = stream.introduction;
  BulkStream& bulk = table_.stream(introduction.stream);
  const bool newer = introduction.number > bulk.life;
  if (opens_ || !newer) return {};
  if (bulk.state != State::closed) {
    streams_.close(bulk.stream);
    close(introduction.stream);
  }
  BulkStream& next = table_.stream(introduction.stream);
  next.life = introduction.number;
  next.state = State::opening;
  next.since_ns = core_.carrier.now_ns();
  next.stream = stream.id;
  next.rail = stream.rail();
  next.preference = stream.route.shared_memory ? 0 : preference_of(stream.route);
  return {.accepted = true, .received = 0, .number = 0};
}

void Bulk::established(const Stream& stream) {
  const std::size_t number = stream.introduction.stream;
  table_[number].since_ns = core_.carrier.now_ns();
  table_[number].state = State::open;
  offers_.opened(number);
  fetches_.opened(number);
}

/// What was under way on it is over.
void Bulk::close(std::size_t number) {
  table_[number].state = State::closed;
  table_[number].stream = no_stream;
  offers_.closed(number);
  fetches_.closed(number);
}

/// Decides when a stream that ended may be tried again: soon if it served for a while.
void Bulk::lost(std::size_t number) {
  BulkStream& stream = table_.stream(number);
  const std::int64_t now = core_.carrier.now_ns();
  const std::int64_t stalled_ns = patience * silence_.stall_limit_ns();  // at most, at its end
  const bool served =
      stream.state == State::open && now - stream.since_ns > longest_bulk_pause_ns + stalled_ns;
  stream.pause_ns =
      served ? shortest_bulk_pause_ns
             : std::clamp(stream.pause_ns * 2, shortest_bulk_pause_ns, longest_bulk_pause_ns);
  stream.retry_ns = now + stream.pause_ns;
  if (stream.rail == max_rails && stream.state == State::opening) give_up_shared_memory();
  ++core_.statistics.rails[stream.rail].streams_lost;
  close(number);
  open(now);
  owner_.bulk_ended();
}

bool Bulk::closed(StreamId id) {
  for (std::size_t number = 0; number < table_.size(); ++number) {
    if (table_[number].state == State::closed || table_[number].stream != id) continue;
    if (busy()) leave(number);
    lost(number);
    return true;
  }
  return false;
}

void Bulk::end(std::size_t number) {
  streams_.close(table_.stream(number).stream);
  leave(number);
  lost(number);
}

/// Only who opens streams can replace one.
void Bulk::leave(std::size_t number) {
  if (!opens_) owner_.tell_leaving(number, table_.stream(number).life);
}

bool Bulk::left(std::size_t number, std::uint64_t life) {
  if (!opens_ || number >= table_.size()) return false;
  if (table_.stream(number).life == life && table_.stream(number).state != State::closed)
    end(number);
  return true;
}

void Bulk::fail() {
  for (BulkStream& stream : table_)
    if (std::exchange(stream.state, State::closed) != State::closed) streams_.close(stream.stream);
}

void Bulk::end_rail(std::size_t rail) {
  for (std::size_t number = 0; number < table_.size(); ++number) {
    const BulkStream& stream = table_.stream(number);
    if (stream.state != State::closed && stream.rail == rail) end(number);
  }
}

bool Bulk::busy() const { return fetches_.receiving() || offers_.sending(); }

bool Bulk::restless() const {
  const bool retries = busy() && opens_;
  return std::ranges::any_of(table_, [&](const BulkStream& stream) {
    return stream.state == State::opening ||
           (retries && stream.state == State::closed && stream.retry_ns > 0);
  });
}

void Bulk::look(std::int64_t now_ns, std::int64_t heard_ns) {
  for (std::size_t number = 0; number < table_.size(); ++number) {
    const BulkStream& stream = table_.stream(number);
    const bool late =
        stream.state == State::opening && now_ns - stream.since_ns > silence_.opening_limit_ns();
    if (late) {
      end(number);
      continue;
    }
    if (stream.state != State::open || stream.grants.empty() || paths_.routes.size() < 2) continue;
    // The peer lives, or else there is no sense in asking it again.
    const std::int64_t still_ns = now_ns - stream.progress_ns;
    const bool peer_lives = heard_ns > stream.progress_ns;
    const bool others = owner_.control_rail() != stream.rail;
    const bool suspected = core_.suspects(stream.rail);
    const std::int64_t stall_ns = silence_.stall_limit_ns();
    const std::int64_t limit_ns =
        suspected ? stall_ns / suspicious : stall_ns * (others ? 1 : patience);
    if (!peer_lives || still_ns <= limit_ns) continue;
    core_.suspect(stream.rail);
    end(number);
  }
  if (wanted_ && busy()) open(now_ns);
}

}  // namespace suiro::net
