// SPDX-License-Identifier: BSD-3-Clause
#include "net/engine/fetches.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace suiro::net {
namespace {

/// What is less says little of how fast a link is.
constexpr std::uint64_t least_measured = 64 << 10;
/// No stream is thought slower than this part of the fastest: one that was lame for a moment
/// would never be tried again.
constexpr double slowest_part = 1.0 / 16;
/// Who has a slow link of his own takes of one that is so much faster, whoever uses it, or would be
/// done last.
constexpr double much_faster = 1.25;
/// Who looks for so long does not take for the link's what a reader who was away finds at once.
constexpr std::int64_t least_window_ns = 50'000'000;
/// A reader is woken when much is there: so long a link may have carried what nobody has counted.
constexpr double unread_ns = 10'000'000;
/// What a peer said of its links is believed no longer, if it is not known how fast they are.
constexpr double longest_hearsay_ns = 500'000'000;

}  // namespace

void Fetches::heard(const BusyLinks& busy) {
  peers_ = busy;
  peers_ns_ = core_.carrier.now_ns();
}

void Fetches::fetch(Receive& receive, std::uint64_t number, std::uint64_t ahead) {
  Transfer& transfer = core_.transfers.take();
  transfer.receive = &receive;
  transfer.number = number;
  transfer.bytes = std::min(receive.buffers.bytes(), receive.message.length);
  transfer.ahead = ahead;
  transfer.granted = std::min(ahead, transfer.bytes);
  receive.origin = &origin_;
  receive.transfer = &transfer;
  ++active_;
  if (transfer.granted < transfer.bytes) {
    planned_ += transfer.bytes - transfer.granted;
    queue(transfer);
    opener_.want_bulk();
    plan();
    distribute();
  } else if (ahead == 0) {
    complete(transfer);
  }
}

void Fetches::came_ahead(Receive& receive) {
  Transfer& transfer = *receive.transfer;
  transfer.arrived += std::min(transfer.ahead, transfer.bytes);
  transfer.ahead = 0;
  if (transfer.arrived == transfer.bytes) complete(transfer);
}

void Fetches::decline(std::uint64_t number) {
  Header header;
  header.kind = FrameKind::done;
  header.transfer = number;
  outbox_.post(header);
}

void Fetches::queue(Transfer& transfer) {
  if (transfer.queued) return;
  transfer.queued = true;
  waiting_.push_back(&transfer);
}

void Fetches::complete(Transfer& transfer) {
  Receive& receive = *transfer.receive;
  decline(transfer.number);
  core_.transfers.give(transfer);
  --active_;
  receive.transfer = nullptr;
  mailbox_.finish(receive, Status::ok);
}

/// The user has the memory back: no stream may write into it any more.
void Fetches::abandon(Receive& receive) {
  Transfer& transfer = *receive.transfer;
  std::erase(waiting_, &transfer);
  planned_ -= transfer.bytes - transfer.granted;
  for (const Transfer::Range& range : transfer.again) planned_ -= range.length;
  plan();
  for (std::size_t number = 0; number < streams_.size(); ++number) {
    const auto to_it = [&](const Grant& grant) { return grant.transfer == &transfer; };
    if (std::erase_if(streams_[number].grants, to_it) > 0)
      opener_.end_bulk(number, "a receive was abandoned");
  }
  if (transfer.ahead == 0) {
    complete(transfer);
    return;
  }
  // It ends with what is on its way; where that goes, nobody is any more.
  transfer.bytes = transfer.granted = transfer.arrived + std::min(transfer.ahead, transfer.bytes);
  transfer.again.clear();
}

std::span<std::byte> Fetches::wanted(std::size_t number) {
  const BulkStream& stream = streams_[number];
  if (stream.grants.empty()) return {};
  const Grant& grant = stream.grants.front();
  const std::span<std::byte> room = grant.transfer->receive->buffers.at(grant.offset + grant.done);
  return room.first(std::min<std::uint64_t>(room.size(), grant.answer.length - grant.done));
}

void Fetches::placed(std::size_t number, std::size_t bytes) {
  BulkStream& stream = streams_[number];
  if (stream.grants.empty()) return;
  Grant& grant = stream.grants.front();
  if (grant.done == 0) {
    grant.answer.first_ns = core_.carrier.now_ns();
    grant.answer.first_bytes = bytes;
  }
  grant.done += bytes;
  stream.outstanding -= bytes;
  grant.transfer->arrived += bytes;
  stream.progress_ns = core_.carrier.now_ns();
  core_.loads.arrived(stream.rail, bytes, stream.progress_ns);
  core_.statistics.rails[stream.rail].received_bytes += bytes;
  if (grant.done < grant.answer.length) return;
  measure(stream, grant);
  Transfer& transfer = *grant.transfer;
  stream.grants.pop_front();
  if (transfer.arrived == transfer.bytes) complete(transfer);
  distribute();
}

void Fetches::opened(std::size_t number) {
  begin_measuring(streams_[number]);
  distribute();
}

void Fetches::closed(std::size_t number) {
  BulkStream& stream = streams_[number];
  core_.loads.lost(stream.rail, stream.outstanding, core_.carrier.now_ns());
  stream.outstanding = 0;
  const std::deque<Grant> grants = std::move(stream.grants);
  stream.grants.clear();
  for (const Grant& grant : grants) {
    const std::uint64_t missing = grant.answer.length - grant.done;
    ++core_.statistics.grants_given_again;
    grant.transfer->again.push_back({grant.offset + grant.done, missing});
    planned_ += missing;
    queue(*grant.transfer);
  }
  distribute();
}

void Fetches::fail() {
  for (BulkStream& stream : streams_) {
    core_.loads.lost(stream.rail, stream.outstanding, core_.carrier.now_ns());
    stream.outstanding = 0;
    stream.grants.clear();
  }
  waiting_.clear();
  planned_ = 0;
  plan();
  active_ = 0;
  core_.transfers.for_each([&](Transfer& transfer) {
    Receive& receive = *transfer.receive;
    if (receive.origin != &origin_) return;
    core_.transfers.give(transfer);
    receive.transfer = nullptr;
    mailbox_.finish(receive, Status::unreachable);
  });
}

/// Of a link of which nothing is known the best is hoped.
double Fetches::rate(std::size_t rail) const {
  double fastest = 0;
  for (const Route& route : streams_.paths().routes)
    fastest = std::max(fastest, core_.loads.rate(route.own_rail));
  const double known = core_.loads.rate(rail);
  if (fastest == 0) return 1;
  return known == 0 ? fastest : std::max(known, fastest * slowest_part);
}

/// What is under way on a link, at one look.
Load Fetches::load(std::size_t rail) const {
  const LinkLoads& loads = core_.loads;
  const std::int64_t now_ns = core_.carrier.now_ns();
  const double others = loads.others(rail, now_ns);
  const double peers = rail == streams_.home_rail() ? 0 : peers_load(rail);
  const bool faster = rate(rail) > much_faster * rate(streams_.home_rail());
  const bool crowded = (others > 0 || peers > 0) && loads.preferred(rail, now_ns) && !faster &&
                       core_.settings.rails == RailPolicy::balanced;
  // What has come since it was last counted waits in the kernel until a chunk of it is there. What
  // others plan or are expected to do has not begun, so nothing is taken off that.
  const auto since_ns = static_cast<double>(now_ns - loads.counted_ns(rail));
  const double come = loads.rate(rail) * std::clamp(since_ns, 0.0, unread_ns);
  const double here = others + std::max(static_cast<double>(loads.own(rail)) - come, 0.0);
  return {std::max(here, peers), rate(rail), crowded};
}

/// What is left of what the other end of the link had to carry for others.
double Fetches::peers_load(std::size_t rail) const {
  const auto route = std::ranges::find(streams_.paths().routes, rail, &Route::own_rail);
  if (!streams_.shares() || route == streams_.paths().routes.end()) return 0;
  const auto passed_ns = static_cast<double>(core_.carrier.now_ns() - peers_ns_);
  if (passed_ns > longest_hearsay_ns) return 0;
  const double carried = core_.loads.rate(rail) * passed_ns;
  return std::max(peers_.bytes(route->peer_rail) - carried, 0.0);
}

ChunkLimits Fetches::chunks(std::size_t rail) const {
  return chunk_limits(core_.loads.rate(rail), core_.settings.chunk_bytes);
}

bool Fetches::has_enough(const BulkStream& stream) const {
  const double on_the_way =
      core_.loads.rate(stream.rail) * 2 * static_cast<double>(stream.pace.round_trip_ns());
  return stream.grants.size() >= 2 &&
         static_cast<double>(stream.outstanding) >=
             static_cast<double>(chunks(stream.rail).longest) + on_the_way;
}

std::optional<Choice> Fetches::choose_stream(std::uint64_t left) {
  const BulkStream* const home = streams_.preferred();
  if (home == nullptr) return std::nullopt;
  candidates_.clear();
  candidates_.reserve(streams_.size());
  for (std::size_t number = 0; number < streams_.size(); ++number) {
    const BulkStream& stream = streams_[number];
    const bool preferred = stream.preference == home->preference;
    if (!streams_.trusted(stream) || (!streams_.shares() && !preferred)) continue;
    candidates_.push_back({.number = number,
                           .preference = stream.preference,
                           .preferred = preferred,
                           .has_enough = has_enough(stream),
                           .outstanding = stream.outstanding,
                           .load = load(stream.rail),
                           .chunks = chunks(stream.rail)});
  }
  return choose(candidates_, left, planned_, streams_.shares());
}

/// Streams on other links are opened when one of these would be through with a piece before the
/// preferred one is through with all.
void Fetches::want_more() {
  if (!streams_.shares() || core_.settings.rails != RailPolicy::balanced) return;
  const BulkStream* const home = streams_.preferred();
  if (home == nullptr) return;
  const double all_ns = load(home->rail).end_ns(planned_, true);
  for (std::size_t index = 0; index < streams_.paths().routes.size(); ++index) {
    const std::size_t rail = streams_.paths().routes[index].own_rail;
    if (!core_.suspects(rail) && load(rail).end_ns(chunks(rail).shortest, false) < all_ns)
      opener_.want_route(index);
  }
}

void Fetches::distribute() {
  grant_all();
  plan();
}

/// Tells what is still to come to the others who use the link that it will take.
void Fetches::plan() {
  const std::int64_t now_ns = core_.carrier.now_ns();
  const std::size_t rail = streams_.home_rail();
  if (rail != told_rail_) core_.loads.planned(told_rail_, std::exchange(told_, 0), 0, now_ns);
  core_.loads.planned(rail, told_, planned_, now_ns);
  told_ = planned_;
  told_rail_ = rail;
}

void Fetches::grant_all() {
  while (!waiting_.empty() && outbox_.attached()) {
    Transfer& transfer = *waiting_.front();
    const bool again = !transfer.again.empty();
    const std::uint64_t left =
        again ? transfer.again.back().length : transfer.bytes - transfer.granted;
    want_more();
    const std::optional<Choice> choice = choose_stream(left);
    if (!choice) return;
    const std::uint64_t length = choice->length;
    std::uint64_t offset = transfer.granted;
    if (again) {
      Transfer::Range& lost = transfer.again.back();
      offset = lost.offset;
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
    give(*choice, transfer, offset);
  }
}

void Fetches::give(const Choice& choice, Transfer& transfer, std::uint64_t offset) {
  BulkStream& stream = streams_[choice.number];
  const bool idle = stream.grants.empty();
  Grant& grant = stream.grants.emplace_back();
  grant.transfer = &transfer;
  grant.offset = offset;
  grant.answer.length = choice.length;
  stream.outstanding += choice.length;
  if (idle) {
    begin_measuring(stream);
    grant.answer.asked_ns = stream.measured_ns;
    core_.carrier.arm(stream.stream);
  }
  planned_ -= choice.length;
  core_.loads.asked(stream.rail, choice.length, core_.carrier.now_ns());
  Header header;
  header.kind = FrameKind::grant;
  header.stream = static_cast<std::uint8_t>(choice.number);
  header.tag = offset;
  header.message_bytes = choice.length;
  header.data = stream.life;
  const Ahead next = ahead(stream);
  header.ahead_bytes = static_cast<std::uint32_t>(next.bytes);
  header.only_whole = next.only_whole;
  header.transfer = transfer.number;
  outbox_.post(header);
}

/// In shared memory there is nothing to wait for.
Ahead Fetches::ahead(const BulkStream& stream) const {
  if (stream.rail == max_rails) return {};
  const bool several_rails = std::ranges::any_of(streams_, [&](const BulkStream& other) {
    return other.is_open() && other.rail != stream.rail;
  });
  return stream.pace.ahead(std::min<std::uint64_t>(core_.settings.ahead_bytes, max_payload_bytes),
                           several_rails);
}

/// How fast its link is, while it has something to wait for.
void Fetches::measure(BulkStream& stream, const Grant& grant) {
  const std::int64_t now_ns = core_.carrier.now_ns();
  const std::int64_t took = now_ns - stream.measured_ns;
  if (grant.answer.length >= least_measured) stream.pace.note(grant.answer, now_ns);
  if (took < least_window_ns && stream.grants.size() > 1) return;
  const std::uint64_t bytes = core_.loads.received(stream.rail) - stream.measured_bytes;
  begin_measuring(stream);
  if (bytes >= least_measured)
    core_.loads.measured(stream.rail, static_cast<double>(bytes), took, now_ns);
}

void Fetches::begin_measuring(BulkStream& stream) {
  stream.measured_ns = stream.progress_ns = core_.carrier.now_ns();
  stream.measured_bytes = core_.loads.received(stream.rail);
}

}  // namespace suiro::net
