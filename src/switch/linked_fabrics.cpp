// SPDX-License-Identifier: BSD-3-Clause
#include "switch/linked_fabrics.hpp"

#include <algorithm>

namespace suiro {
namespace {

/// What a cable's far end holds before it has to hold back the sender. An input-queued switch has
/// its queue there; the others have theirs behind it and need only cover the frame on the wire.
std::int64_t cable_room_bytes(const FabricConfig& receiver, std::size_t ports,
                              int full_frame_bytes) {
  const std::int64_t least = std::int64_t{2} * full_frame_bytes;
  if (receiver.model != Model::hol) return least;
  return std::max(least, receiver.buffer_bytes / static_cast<std::int64_t>(ports));
}

}  // namespace

LinkedFabrics::LinkedFabrics(const SwitchConfig& config, Hosts& hosts)
    : hosts_(hosts),
      wiring_(wire(config)),
      full_frame_bytes_(config.mtu_bytes + 14),
      neighbours_(config.switches.size()) {
  for (std::size_t i = 0; i < config.switches.size(); ++i) {
    neighbours_[i].resize(wiring_.ports[i].size());
    views_.push_back(std::make_unique<Neighbours>(*this, static_cast<int>(i)));
    fabrics_.push_back(make_fabric(config.switches[i].model, config.switches[i].buffer_bytes,
                                   wiring_.ports[i], *views_[i], wiring_.routes[i]));
  }
  for (std::size_t host = 0; host < wiring_.hosts.size(); ++host) {
    const Place& place = wiring_.hosts[host];
    neighbours_[index(place.at_switch)][index(place.port)].host = static_cast<int>(host);
  }
  for (std::size_t link = 0; link < config.links.size(); ++link) add_link(config, link);
}

void LinkedFabrics::add_link(const SwitchConfig& config, std::size_t link) {
  const LinkConfig& described = config.links[link];
  for (const std::size_t end : {0U, 1U}) {
    Way way;
    way.from = wiring_.links[link][end];
    way.to = wiring_.links[link][1 - end];
    const FabricConfig& receiver = config.switches[index(way.to.at_switch)];
    way.name = config.switches[index(way.from.at_switch)].name + "-" + receiver.name;
    const auto number = static_cast<int>(ways_.size());
    if (described.wan) {
      way.wan.emplace(*described.wan, static_cast<std::uint32_t>(number + 1));
      way.room_bytes = described.wan->buffer_bytes;
    } else {
      const std::size_t ports = wiring_.ports[index(way.to.at_switch)].size();
      way.room_bytes = cable_room_bytes(receiver, ports, full_frame_bytes_);
    }
    neighbours_[index(way.to.at_switch)][index(way.to.port)].way_in = number;
    ways_.push_back(std::move(way));
  }
}

void LinkedFabrics::step() {
  now_ = next_event_;
  for (Way& way : ways_) {
    if (way.wan) receive(way);
  }
  for (const auto& fabric : fabrics_) {
    if (fabric->next_event() <= now_) fabric->step();
  }
  settle();
}

void LinkedFabrics::wake(int port, Time now) {
  now_ = std::max(now_, now);
  const Place& place = wiring_.hosts[index(port)];
  fabric_at(place).wake(place.port, now_);
  settle();
}

bool LinkedFabrics::wants(int port) const {
  const Place& place = wiring_.hosts[index(port)];
  return fabric_at(place).wants(place.port);
}

/// Takes what arrives now. A WAN cannot be held back, so there is a router on this side, too.
void LinkedFabrics::receive(Way& way) {
  while (way.wan->next_arrival() <= now_) {
    const auto [segment, lost] = way.wan->receive();
    const bool fits = way.has_room(segment.bytes());
    if (!lost && !fits) way.wan->count_drop(segment);
    if (lost || !fits) {
      hosts_.discard({segment.frame, segment.index, segment.frame->source});
    } else {
      way.arrive(segment);
    }
  }
}

/// Switches take in what has arrived, which makes room, which lets others send, until all is still.
void LinkedFabrics::settle() {
  bool moved = true;
  while (moved) {
    moved = false;
    for (Way& way : ways_) moved |= hand_over(way);
  }
  next_event_ = find_next();
}

bool LinkedFabrics::hand_over(Way& way) {
  const bool taken = !way.arrived.empty() && fabric_at(way.to).wants(way.to.port);
  if (taken) fabric_at(way.to).wake(way.to.port, now_);
  const bool freed = way.refused && way.has_room(full_frame_bytes_);
  if (freed) {
    way.refused = false;
    fabric_at(way.from).resume(now_);
  }
  return taken || freed;
}

Time LinkedFabrics::find_next() const {
  Time next = never;
  for (const auto& fabric : fabrics_) next = std::min(next, fabric->next_event());
  for (const Way& way : ways_) {
    if (way.wan) next = std::min(next, way.wan->next_arrival());
  }
  return next;
}

Fabric& LinkedFabrics::fabric_at(const Place& place) const {
  return *fabrics_[index(place.at_switch)];
}

const LinkedFabrics::Neighbour& LinkedFabrics::neighbour(int at_switch, int port) const {
  return neighbours_[index(at_switch)][index(port)];
}

LinkedFabrics::Way& LinkedFabrics::way_out(const Neighbour& neighbour) {
  return ways_[index(neighbour.way_in ^ 1)];
}

void LinkedFabrics::Way::arrive(const Segment& segment) {
  arrived.push(segment);
  arrived_bytes += segment.bytes();
}

Segment LinkedFabrics::Way::take() {
  const Segment segment = arrived.front();
  arrived.pop();
  arrived_bytes -= segment.bytes();
  return segment;
}

/// Hosts with links to several separate switches may address frames that no way leads to.
Run LinkedFabrics::Neighbours::pull(int port) {
  const Neighbour& from = network_.neighbour(switch_, port);
  if (from.host >= 0) {
    const Routes& routes = network_.wiring_.routes[index(switch_)];
    Run run = network_.hosts_.pull(from.host);
    while (run.frame != nullptr && routes[index(run.frame->target)] < 0) {
      const int segments = run.frame->shape.segments;
      for (int i = 0; i < segments; ++i) network_.hosts_.discard({run.frame, i, from.host});
      run = network_.hosts_.pull(from.host);
    }
    return run;
  }
  Way& way = network_.ways_[index(from.way_in)];
  if (way.arrived.empty()) return {};
  const Segment segment = way.take();
  return {segment.frame, segment.index, 1};
}

void LinkedFabrics::Neighbours::deliver(int port, const Segment& segment) {
  const Neighbour& to = network_.neighbour(switch_, port);
  if (to.host >= 0) {
    network_.hosts_.deliver(to.host, {segment.frame, segment.index, segment.frame->source});
    return;
  }
  Way& way = network_.way_out(to);
  if (!way.wan) {
    way.arrive(segment);
  } else if (!way.wan->send(network_.now_, segment)) {
    discard(segment);
  }
}

void LinkedFabrics::Neighbours::discard(const Segment& segment) {
  network_.hosts_.discard({segment.frame, segment.index, segment.frame->source});
}

bool LinkedFabrics::Neighbours::room(int port) {
  Way& way = network_.way_out(network_.neighbour(switch_, port));
  if (way.wan || way.has_room(network_.full_frame_bytes_)) return true;
  way.refused = true;
  return false;
}

const PortCounters& LinkedFabrics::counters(int port) const {
  const Place& place = wiring_.hosts[index(port)];
  return fabric_at(place).counters(place.port);
}

std::vector<WayCounters> LinkedFabrics::ways() const {
  std::vector<WayCounters> result;
  for (const Way& way : ways_) {
    const PortCounters& sender = fabric_at(way.from).counters(way.from.port);
    const PortConfig& port = wiring_.ports[index(way.from.at_switch)][index(way.from.port)];
    WayCounters counted{way.name, port.rate_bps, 0, fabric_at(way.to).counters(way.to.port)};
    const PortCounters& sent = way.wan ? way.wan->counters() : sender;
    counted.counters.sent_bytes = sent.sent_bytes;
    counted.counters.sent_frames = sent.sent_frames;
    counted.counters.drops = sender.drops + (way.wan ? sent.drops : 0);
    counted.counters.drop_bytes = sender.drop_bytes + (way.wan ? sent.drop_bytes : 0);
    if (way.wan) counted.rate_bps = way.wan->config().rate_bps;
    if (way.wan) counted.lost = way.wan->lost();
    result.push_back(counted);
  }
  return result;
}

void LinkedFabrics::reset_counters() {
  for (const auto& fabric : fabrics_) fabric->reset_counters();
  for (Way& way : ways_) {
    if (way.wan) way.wan->reset_counters();
  }
}

/// WANs keep their rate.
void LinkedFabrics::throttle(double share) {
  for (const auto& fabric : fabrics_) fabric->throttle(share);
}

std::unique_ptr<Network> make_network(const SwitchConfig& config, Hosts& hosts) {
  if (config.switches.size() > 1) return std::make_unique<LinkedFabrics>(config, hosts);
  const FabricConfig& only = config.switches.front();
  return make_fabric(only.model, only.buffer_bytes, config.ports, hosts);
}

}  // namespace suiro
