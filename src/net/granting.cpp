// SPDX-License-Identifier: BSD-3-Clause
// How a receiver spreads what it wants over the bulk streams: with one stream, all at once; with
// several, in chunks, each to the stream that would be through with it first, so that all rails are
// in use and end together however fast they are.
#include <algorithm>

#include "net/transfer.hpp"

namespace suiro::net {
namespace {

constexpr std::uint64_t smallest_chunk = 64 << 10;
/// A shorter round trip costs less than to begin on one stream and go on on another.
constexpr std::int64_t least_round_trip_ns = 25'000;
/// A message for which a short one behind it waits no longer than this need not be asked for.
constexpr double longest_wait_ns = 200'000;
/// No stream is thought slower than this part of the fastest: one that was lame for a moment
/// would never be tried again.
constexpr double slowest_part = 1.0 / 16;

}  // namespace

/// The next chunk for one of several streams: its part of half of what is left.
std::uint64_t Transfers::chunk(std::uint64_t left, double part) const {
  const std::uint64_t longest = std::max(core_.settings.chunk_bytes, smallest_chunk);
  const auto wished = static_cast<std::uint64_t>(static_cast<double>(left) / 2 * part);
  const std::uint64_t length = std::clamp(wished, smallest_chunk, longest);
  return left < length + smallest_chunk / 2 ? left : length;
}

/// The stream that would be through first with its next chunk; null if it has enough to do.
BulkStream* Transfers::choose(std::uint64_t left, std::uint64_t& length) {
  std::size_t best_preference = ~std::size_t{0};
  double fastest = 0;
  const auto open = [](const BulkStream& stream) {
    return stream.state == BulkStream::State::open;
  };
  const bool choice = std::ranges::any_of(streams_, [&](const BulkStream& stream) {
    return open(stream) && !core_.suspects(stream.rail);
  });
  const auto trusted = [&](const BulkStream& stream) {
    return open(stream) && !(choice && core_.suspects(stream.rail));
  };
  for (const BulkStream& stream : streams_) {
    if (!trusted(stream)) continue;
    best_preference = std::min(best_preference, stream.preference);
    fastest = std::max(fastest, stream.bytes_per_ns);
  }
  const auto usable = [&](const BulkStream& stream) {
    return trusted(stream) && (striped_ || stream.preference == best_preference);
  };
  const auto rate = [&](const BulkStream& stream) {
    if (fastest == 0) return 1.0;
    if (stream.bytes_per_ns == 0) return fastest;
    return std::max(stream.bytes_per_ns, fastest * slowest_part);
  };
  double rates = 0;
  std::size_t count = 0;
  for (const BulkStream& stream : streams_)
    if (usable(stream)) rates += rate(stream), ++count;
  BulkStream* best = nullptr;
  double best_end = 0;
  for (BulkStream& stream : streams_) {
    if (!usable(stream)) continue;
    const std::uint64_t here = count == 1 ? left : chunk(left, rate(stream) / rates);
    const double end = static_cast<double>(stream.outstanding + here) / rate(stream);
    if (best != nullptr && end >= best_end) continue;
    best = &stream;
    best_end = end;
    length = here;
  }
  const bool busy = best != nullptr && count > 1 && best->grants.size() >= 2 &&
                    best->outstanding >= core_.settings.chunk_bytes;
  return busy ? nullptr : best;
}

void Transfers::distribute() {
  while (!waiting_.empty() && outbox_.attached()) {
    Transfer& transfer = *waiting_.front();
    const bool again = !transfer.again.empty();
    const std::uint64_t left =
        again ? transfer.again.back().length : transfer.bytes - transfer.granted;
    std::uint64_t length = 0;
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
    stream.progress_ns = stream.measured_ns = core_.carrier.now_ns();
    stream.grants.back().asked_ns = stream.measured_ns;
    core_.carrier.arm(stream.stream);
  }
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
  const bool alone = !striped_ || !several_rails;
  const double part =
      far ? stream.flow_bytes_per_ns * static_cast<double>(stream.round_trip_ns) : 0;
  const double whole = alone ? stream.answer_bytes_per_ns * longest_wait_ns : 0;
  const std::uint64_t most = std::min<std::uint64_t>(core_.settings.ahead_bytes, max_payload_bytes);
  const double bytes = std::min(std::max(part, whole), static_cast<double>(most));
  if (bytes < static_cast<double>(least_ahead)) return {};
  return {.bytes = static_cast<std::uint64_t>(bytes), .only_whole = !far};
}

/// How fast a stream is, from one chunk to the next.
void Transfers::measure(BulkStream& stream, const Grant& grant) {
  const std::int64_t now = core_.carrier.now_ns();
  const std::int64_t took = now - stream.measured_ns;
  stream.measured_ns = stream.progress_ns = now;
  if (grant.length < smallest_chunk || took <= 0) return;
  measure_answer(stream, grant, now);
  const double rate = static_cast<double>(grant.length) / static_cast<double>(took);
  stream.bytes_per_ns = stream.bytes_per_ns == 0 ? rate : (stream.bytes_per_ns + rate) / 2;
}

}  // namespace suiro::net
