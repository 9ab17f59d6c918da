// SPDX-License-Identifier: BSD-3-Clause
// How a receiver spreads what it wants over the bulk streams: with one link, all at once; with
// several, in chunks, each to the link that would be through with it first, by its rate and by what
// all processes of the host have under way on it. So a message has all links if nobody else needs
// them, however fast they are, and keeps to its own where everybody is busy: there it would only
// meet more others on each (as in the paper on SMP clusters with multi-link Ethernet, 2009, where
// static beats striping).
#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "net/engine/transfer.hpp"

namespace suiro::net {
namespace {

/// A link is asked for so much at a time that it takes it this long, within limits: shorter chunks
/// cost too much of that time in words, longer ones leave other links idle behind the last.
constexpr double shortest_chunk_ns = 500'000;
constexpr double longest_chunk_ns = 10'000'000;
constexpr std::uint64_t least_chunk = 8 << 10;
constexpr std::uint64_t usual_chunk = 64 << 10;
/// What is less says little of how fast a link is.
constexpr std::uint64_t least_measured = 64 << 10;
/// A shorter round trip costs less than to begin on one stream and go on on another.
constexpr std::int64_t least_round_trip_ns = 25'000;
/// A message for which a short one behind it waits no longer than this need not be asked for.
constexpr double longest_wait_ns = 200'000;
/// No stream is thought slower than this part of the fastest: one that was lame for a moment
/// would never be tried again.
constexpr double slowest_part = 1.0 / 16;
/// By so much a link that others use must be through earlier, or else we would only be in each
/// other's way: what is known of rates is wrong by up to a quarter either way.
constexpr double reluctance = 1.5;
/// But who has a slow link of his own must take of faster ones, or it would be done last.
constexpr double much_faster = 1.25;
/// Who looks for so long does not take for the link's what a reader who was away finds at once.
constexpr std::int64_t least_window_ns = 50'000'000;
/// What a peer said of its links is believed no longer, if it is not known how fast they are.
constexpr double longest_hearsay_ns = 500'000'000;

}  // namespace

/// What a link carries in a while that nobody minds, so that what is not yet asked for can still
/// take another.
std::uint64_t Transfers::longest_chunk(std::size_t rail) const {
  const std::uint64_t most = std::max(core_.settings.chunk_bytes, usual_chunk);
  const double known = core_.loads.rate(rail) * longest_chunk_ns;
  return known == 0 ? most : std::clamp(static_cast<std::uint64_t>(known), usual_chunk, most);
}

std::uint64_t Transfers::shortest_chunk(std::size_t rail) const {
  const double known = core_.loads.rate(rail) * shortest_chunk_ns;
  if (known == 0) return usual_chunk;
  return std::clamp(static_cast<std::uint64_t>(known), least_chunk, usual_chunk);
}

/// The next chunk for one of several streams: its part of half of what is left.
std::uint64_t Transfers::chunk(std::uint64_t left, std::size_t rail, double part) const {
  const std::uint64_t least = shortest_chunk(rail);
  const auto wished = static_cast<std::uint64_t>(static_cast<double>(left) / 2 * part);
  const std::uint64_t length = std::clamp(wished, least, longest_chunk(rail));
  return left < length + least / 2 ? left : length;
}

/// Streams of a rail that is suspected serve only where there are no others.
bool Transfers::trusted(const BulkStream& stream) const {
  const auto open = [](const BulkStream& one) { return one.state == BulkStream::State::open; };
  if (!open(stream)) return false;
  return !core_.suspects(stream.rail) ||
         std::ranges::none_of(streams_, [&](const BulkStream& other) {
           return open(other) && !core_.suspects(other.rail);
         });
}

/// The stream that messages prefer, as long as it serves; null if none does.
const BulkStream* Transfers::preferred() const {
  const BulkStream* best = nullptr;
  for (const BulkStream& stream : streams_)
    if (trusted(stream) && (best == nullptr || stream.preference < best->preference))
      best = &stream;
  return best;
}

/// The link that they will prefer; max_rails if it is shared memory.
std::size_t Transfers::home_rail() const {
  if (const BulkStream* const stream = preferred(); stream != nullptr) return stream->rail;
  return paths_.same_host || paths_.routes.empty() ? max_rails : paths_.routes.front().own_rail;
}

bool Transfers::shares() const {
  return core_.settings.rails != RailPolicy::fixed && !paths_.same_host && paths_.routes.size() > 1;
}

/// Of a link of which nothing is known the best is hoped.
double Transfers::rate(std::size_t rail) const {
  double fastest = 0;
  for (const Route& route : paths_.routes)
    fastest = std::max(fastest, core_.loads.rate(route.own_rail));
  const double known = core_.loads.rate(rail);
  if (fastest == 0) return 1;
  return known == 0 ? fastest : std::max(known, fastest * slowest_part);
}

/// What is under way on a link, at one look.
Transfers::Load Transfers::load(std::size_t rail) const {
  const LinkLoads& loads = core_.loads;
  const std::int64_t now_ns = core_.carrier.now_ns();
  const double others = loads.others(rail, now_ns);
  const double peers = rail == home_rail() ? 0 : peers_load(rail);
  const bool faster = rate(rail) > much_faster * rate(home_rail());
  const bool crowded = (others > 0 || peers > 0) && loads.preferred(rail, now_ns) && !faster &&
                       core_.settings.rails == RailPolicy::balanced;
  // What has come since it was last counted waits in the kernel until a chunk of it is there. What
  // others plan or are expected to do has not begun, so nothing is taken off that.
  const auto since_ns = static_cast<double>(now_ns - loads.counted_ns(rail));
  const double come = loads.rate(rail) * std::clamp(since_ns, 0.0, longest_chunk_ns);
  const double here = others + std::max(static_cast<double>(loads.own(rail)) - come, 0.0);
  return {std::max(here, peers), rate(rail), crowded};
}

/// What is left of what the other end of the link had to carry for others.
double Transfers::peers_load(std::size_t rail) const {
  const auto route = std::ranges::find(paths_.routes, rail, &Route::own_rail);
  if (!shares() || route == paths_.routes.end()) return 0;
  const auto passed_ns = static_cast<double>(core_.carrier.now_ns() - peers_ns_);
  if (passed_ns > longest_hearsay_ns) return 0;
  const double carried = core_.loads.rate(rail) * passed_ns;
  return std::max(peers_.bytes(route->peer_rail) - carried, 0.0);
}

BusyLinks Transfers::busy_links() const {
  return shares() && core_.settings.rails == RailPolicy::balanced ? departures_.elsewhere()
                                                                  : BusyLinks{};
}

void Transfers::heard(const BusyLinks& busy) {
  peers_ = busy;
  peers_ns_ = core_.carrier.now_ns();
}

/// When the link would be through with so much more, in ns from now; one that others use is taken
/// only if that is a good deal earlier.
double Transfers::Load::end_ns(std::uint64_t more, bool preferred) const {
  return (bytes + static_cast<double>(more)) / rate * (crowded && !preferred ? reluctance : 1);
}

bool Transfers::has_enough(const BulkStream& stream) const {
  const double on_the_way =
      core_.loads.rate(stream.rail) * 2 * static_cast<double>(stream.round_trip_ns);
  return stream.grants.size() >= 2 &&
         static_cast<double>(stream.outstanding) >=
             static_cast<double>(longest_chunk(stream.rail)) + on_the_way;
}

/// Of the streams that have not enough to do the one that would be through first with its next
/// chunk; null if another would sooner be through with all that waits: that one has enough to do,
/// and when it is through with a chunk, this is asked again. So each link is looked at once. What
/// others have on it becomes less from one look to the next, and a stream that were slower than
/// itself a moment later would get nothing, and nobody would ask again.
/// What is left of a message goes to the preferred one at once if no other is through first.
BulkStream* Transfers::choose(std::uint64_t left, std::uint64_t& length) {
  const BulkStream* const home = preferred();
  if (home == nullptr) return nullptr;
  const auto usable = [&](const BulkStream& stream) {
    return trusted(stream) && (shares() || stream.preference == home->preference);
  };
  // Of streams that would end at once, one on the preferred link, and of these who has less.
  const auto rank = [](double end, const BulkStream& stream) {
    return std::tuple(end, stream.preference, stream.outstanding);
  };
  double rates = 0;
  std::size_t count = 0;
  for (const BulkStream& stream : streams_)
    if (usable(stream)) rates += rate(stream.rail), ++count;
  const bool alone = count == 1 && !shares();
  BulkStream* best = nullptr;
  constexpr double never = std::numeric_limits<double>::infinity();
  double best_end = never, others_end = never, all_end = never;
  for (BulkStream& stream : streams_) {
    if (!usable(stream)) continue;
    const bool own = stream.preference == home->preference;
    const Load load = this->load(stream.rail);
    const std::uint64_t here = alone ? left : chunk(left, stream.rail, load.rate / rates);
    const double end = load.end_ns(here, own);
    all_end = std::min(all_end, load.end_ns(planned_, own));
    if (!own) others_end = std::min(others_end, end);
    if (!alone && has_enough(stream)) continue;
    if (best != nullptr && rank(end, stream) >= rank(best_end, *best)) continue;
    best = &stream;
    best_end = end;
    length = here;
  }
  if (best == nullptr || best_end > all_end) return nullptr;
  const bool whole = best->preference == home->preference &&
                     left <= 2 * longest_chunk(best->rail) &&
                     load(best->rail).end_ns(left, true) <= others_end;
  if (whole && shares()) length = left;
  return best;
}

/// Streams on other links are opened when one of these would be through with a piece before the
/// preferred one is through with all.
void Transfers::want_more() {
  if (!shares() || core_.settings.rails != RailPolicy::balanced) return;
  const BulkStream* const home = preferred();
  if (home == nullptr) return;
  const double all_ns = load(home->rail).end_ns(planned_, true);
  for (std::size_t index = 0; index < paths_.routes.size(); ++index) {
    const std::size_t rail = paths_.routes[index].own_rail;
    if (!core_.suspects(rail) && load(rail).end_ns(shortest_chunk(rail), false) < all_ns)
      opener_.want_route(index);
  }
}

void Transfers::distribute() {
  grant_all();
  plan();
}

/// Tells what is still to come to the others who use the link that it will take.
void Transfers::plan() {
  const std::int64_t now_ns = core_.carrier.now_ns();
  const std::size_t rail = home_rail();
  if (rail != told_rail_) core_.loads.planned(told_rail_, std::exchange(told_, 0), 0, now_ns);
  core_.loads.planned(rail, told_, planned_, now_ns);
  told_ = planned_;
  told_rail_ = rail;
  departures_.prefers(rail);
}

void Transfers::grant_all() {
  while (!waiting_.empty() && outbox_.attached()) {
    Transfer& transfer = *waiting_.front();
    const bool again = !transfer.again.empty();
    const std::uint64_t left =
        again ? transfer.again.back().length : transfer.bytes - transfer.granted;
    std::uint64_t length = 0;
    want_more();
    BulkStream* stream = choose(left, length);
    if (stream == nullptr) return;
    Transfer::Range range{.offset = transfer.granted, .length = length};
    if (again) {
      Transfer::Range& lost = transfer.again.back();
      range.offset = lost.offset;
      lost.offset += length;
      lost.length -= length;
      if (lost.length == 0) transfer.again.pop_back();
    } else {
      transfer.granted += length;
    }
    if (transfer.again.empty() && transfer.granted == transfer.bytes) {
      transfer.queued = false;
      waiting_.pop_front();
    }
    give(static_cast<std::size_t>(stream - streams_.data()), transfer, range);
  }
}

void Transfers::give(std::size_t number, Transfer& transfer, Transfer::Range range) {
  BulkStream& stream = streams_[number];
  const bool idle = stream.grants.empty();
  stream.grants.push_back({.transfer = &transfer, .offset = range.offset, .length = range.length});
  stream.outstanding += range.length;
  if (idle) {
    begin_measuring(stream);
    stream.grants.back().asked_ns = stream.measured_ns;
    core_.carrier.arm(stream.stream);
  }
  planned_ -= range.length;
  core_.loads.asked(stream.rail, range.length, core_.carrier.now_ns());
  Header header;
  header.kind = FrameKind::grant;
  header.stream = static_cast<std::uint8_t>(number);
  header.tag = range.offset;
  header.message_bytes = range.length;
  header.data = stream.life;
  const Ahead next = ahead(stream);
  header.ahead_bytes = static_cast<std::uint32_t>(next.bytes);
  header.only_whole = next.only_whole;
  header.transfer = transfer.number;
  outbox_.post(header);
}

/// Keeps the shortest round trip, and forgets it slowly, as it does the fastest answer; and the
/// rate of what came after the first bytes, which is the link's. What was read first was perhaps
/// more than what came first, so it is taken off at that rate.
void Transfers::measure_answer(BulkStream& stream, const Grant& grant, std::int64_t now_ns) {
  if (grant.asked_ns == 0 || now_ns <= grant.asked_ns) return;
  const auto rate_since = [&](std::int64_t begin_ns, std::uint64_t bytes) {
    return static_cast<double>(bytes) / static_cast<double>(now_ns - begin_ns);
  };
  const double answer = rate_since(grant.asked_ns, grant.length);
  const double fastest = stream.answer_bytes_per_ns;
  stream.answer_bytes_per_ns = answer > fastest ? answer : fastest + (answer - fastest) / 16;
  const std::uint64_t rest = grant.length - grant.first_bytes;
  if (rest < least_ahead || now_ns <= grant.first_ns) return;
  const double rate = rate_since(grant.first_ns, rest);
  const auto carried_ns = static_cast<std::int64_t>(static_cast<double>(grant.first_bytes) / rate);
  const std::int64_t took = std::max<std::int64_t>(grant.first_ns - carried_ns - grant.asked_ns, 1);
  const std::int64_t before = stream.round_trip_ns;
  stream.round_trip_ns = before == 0 || took < before ? took : before + (took - before) / 64;
  stream.flow_bytes_per_ns = before == 0 ? rate : (stream.flow_bytes_per_ns + rate) / 2;
}

/// What may come without being asked for: a message that the link is soon through with; of a longer
/// one on a far link, what it carries until the answer comes, so that it is in use meanwhile.
/// Either way a short message behind it waits no longer than that. Several rails together are
/// faster with a message that is asked for. In shared memory there is nothing to wait for.
Ahead Transfers::ahead(const BulkStream& stream) const {
  if (stream.rail == max_rails) return {};
  const bool several_rails = std::ranges::any_of(streams_, [&](const BulkStream& other) {
    return other.state == BulkStream::State::open && other.rail != stream.rail;
  });
  const bool far = stream.round_trip_ns >= least_round_trip_ns;
  const double part =
      far ? stream.flow_bytes_per_ns * static_cast<double>(stream.round_trip_ns) : 0;
  const double whole = !several_rails ? stream.answer_bytes_per_ns * longest_wait_ns : 0;
  const std::uint64_t most = std::min<std::uint64_t>(core_.settings.ahead_bytes, max_payload_bytes);
  const double bytes = std::min(std::max(part, whole), static_cast<double>(most));
  if (bytes < static_cast<double>(least_ahead)) return {};
  return {.bytes = static_cast<std::uint64_t>(bytes), .only_whole = !far};
}

/// How fast its link is, while it has something to wait for.
void Transfers::measure(BulkStream& stream, const Grant& grant) {
  const std::int64_t now_ns = core_.carrier.now_ns();
  const std::int64_t took = now_ns - stream.measured_ns;
  if (grant.length >= least_measured) measure_answer(stream, grant, now_ns);
  if (took < least_window_ns && stream.grants.size() > 1) return;
  const std::uint64_t bytes = core_.loads.received(stream.rail) - stream.measured_bytes;
  begin_measuring(stream);
  if (bytes >= least_measured)
    core_.loads.measured(stream.rail, static_cast<double>(bytes), took, now_ns);
}

void Transfers::begin_measuring(BulkStream& stream) {
  stream.measured_ns = stream.progress_ns = core_.carrier.now_ns();
  stream.measured_bytes = core_.loads.received(stream.rail);
}

}  // namespace suiro::net
