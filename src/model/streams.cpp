// SPDX-License-Identifier: BSD-3-Clause
#include "model/streams.hpp"

#include <algorithm>
#include <limits>

namespace suiro {

Streams::Streams(const Topology& topology, const Network& network)
    : network_(network), shares_(topology, network), ports_(index(topology.nodes())) {}

Streams::Stream& Streams::stream_of(const Way& way) {
  const std::uint64_t key =
      (static_cast<std::uint64_t>(way.sender) << 32) | static_cast<std::uint32_t>(way.receiver);
  const auto [found, fresh] = numbers_.try_emplace(key, streams_.size());
  if (!fresh) return streams_[found->second];
  if (unused_.empty()) {
    streams_.emplace_back();
  } else {
    found->second = unused_.back();
    unused_.pop_back();
  }
  Stream& stream = streams_[found->second];
  stream.key = key;
  stream.pair = shares_.pair(way.source_node, way.target_node);
  stream.target_node = way.target_node;
  return stream;
}

void Streams::post(const Way& way, double bytes, int number, double now) {
  Stream& stream = stream_of(way);
  stream.queue.push_back({number, bytes});
  if (stream.queue.size() == stream.served + 1) activate(stream, now);
}

/// More on the way to one port, and from several nodes, than its buffer takes: something is lost.
void Streams::activate(Stream& stream, double now) {
  const double bytes = stream.queue[stream.served].bytes;
  stream.begin_s = now;
  shares_.add(stream.pair);
  if (index(stream.pair) >= pairs_.size()) pairs_.resize(index(stream.pair) + 1);
  Pair& pair = pairs_[index(stream.pair)];
  if (pair.ends.empty()) busy_.push_back(stream.pair);
  pair.ends.emplace(pair.served + bytes, static_cast<int>(&stream - streams_.data()));
  Port& port = ports_[index(stream.target_node)];
  port.bytes += bytes;
  if (shares_.incast(stream.pair).nodes < 2) return;
  ports_were_ = std::max(ports_were_, Ports::several);
  if (port.bytes <= network_.buffer) return;
  ports_were_ = Ports::flooded;
  port.flooded = true;
}

double Streams::next_end_s() {
  double next = std::numeric_limits<double>::infinity();
  for (const int number : busy_) {
    const Pair& pair = pairs_[index(number)];
    next = std::min(next, now_ + ((pair.ends.top().first - pair.served) / shares_.rate(number)));
  }
  return next;
}

const std::vector<Streams::Ended>& Streams::advance(double now, double together) {
  ending_.clear();
  std::erase_if(busy_, [&](int number) {
    Pair& pair = pairs_[index(number)];
    const double rate = shares_.rate(number);
    const double reached = pair.served + (rate * (together - now_));
    while (!pair.ends.empty() && pair.ends.top().first <= reached) {
      ending_.push_back(pair.ends.top().second);
      pair.ends.pop();
    }
    pair.served += rate * (now - now_);
    return pair.ends.empty();
  });
  now_ = now;
  ended_.clear();
  for (const int number : ending_) ended_.push_back(end(streams_[index(number)], now));
  return ended_;
}

/// The last message of a flood waits for TCP's timer: nothing comes after it that would tell its
/// receiver what is missing.
Streams::Ended Streams::end(Stream& stream, double now) {
  const Message message = stream.queue[stream.served];
  Ended ended{.number = message.number, .begin_s = stream.begin_s};
  ++stream.served;
  shares_.remove(stream.pair);
  Port& port = ports_[index(stream.target_node)];
  port.bytes -= message.bytes;
  if (port.flooded && shares_.incast(stream.pair).streams == 0) {
    port.flooded = false;
    if (network_.kind == SwitchKind::shared) ended.repeat_s = network_.retransmit_s;
  }
  if (stream.served < stream.queue.size()) {
    activate(stream, now);
  } else {
    stream.queue.clear();
    stream.served = 0;
    numbers_.erase(stream.key);
    unused_.push_back(static_cast<std::size_t>(&stream - streams_.data()));
  }
  return ended;
}

}  // namespace suiro
