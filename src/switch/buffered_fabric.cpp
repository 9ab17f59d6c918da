// SPDX-License-Identifier: BSD-3-Clause
#include "switch/buffered_fabric.hpp"

#include <algorithm>
#include <utility>

namespace suiro {
namespace {

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

std::int64_t room_of_one_input(Model model, std::int64_t buffer_bytes, std::size_t ports) {
  if (model == Model::voq) return voq_input_bytes;
  if (model == Model::pause) return buffer_bytes / static_cast<std::int64_t>(ports);
  return unlimited;
}

}  // namespace

BufferedFabric::BufferedFabric(Model model, std::int64_t buffer_bytes,
                               const std::vector<PortConfig>& ports, Hosts& hosts, Routes routes)
    : Fabric(ports, hosts, std::move(routes)),
      buffer_bytes_(model == Model::shared ? buffer_bytes : unlimited),
      input_bytes_(room_of_one_input(model, buffer_bytes, ports.size())),
      resume_bytes_(input_bytes_ / 4 * 3),
      links_(ports.size()),
      outputs_(ports.size()) {
  const std::size_t lanes = model == Model::voq ? ports.size() : 1;
  for (Output& output : outputs_) output.lanes.resize(lanes);
}

bool BufferedFabric::wants(int port) const {
  return links_[index(port)].run.frame == nullptr && links_[index(port)].dry;
}

void BufferedFabric::refill(int port) {
  Link& link = links_[index(port)];
  if (link.run.frame == nullptr) link.run = hosts().pull(port);
  link.dry = link.run.frame == nullptr;
}

/// Outputs first: what leaves at this moment makes room for what arrives at it.
void BufferedFabric::finish_due() {
  for (int port = 0; port < ports(); ++port) {
    if (outputs_[index(port)].due <= now()) finish_output(port);
  }
  for (int port = 0; port < ports(); ++port) {
    if (links_[index(port)].due <= now()) finish_link(port);
  }
}

void BufferedFabric::finish_output(int port) {
  Output& output = outputs_[index(port)];
  output.due = never;
  RingQueue<Segment>& lane = output.lanes[output.lane];
  const Segment segment = lane.front();
  lane.pop();
  used_bytes_ -= segment.bytes();
  links_[index(segment.source)].buffered_bytes -= segment.bytes();
  deliver(port, segment);
}

void BufferedFabric::finish_link(int port) {
  Link& link = links_[index(port)];
  link.due = never;
  const Segment segment{link.run.frame, link.run.first++, port};
  const int bytes = segment.bytes();
  if (--link.run.count == 0) link.run = {};
  count_received(segment);
  const int target = output_of(*segment.frame);
  if (used_bytes_ > buffer_bytes_ - bytes) {
    PortCounters& counters = count(target);
    ++counters.drops;
    counters.drop_bytes += wire_bytes(bytes);
    hosts().discard(segment);
  } else {
    used_bytes_ += bytes;
    link.buffered_bytes += bytes;
    Output& output = outputs_[index(target)];
    output.lanes[output.lanes.size() == 1 ? 0 : index(port)].push(segment);
  }
  refill(port);
}

void BufferedFabric::start() {
  for (int port = 0; port < ports(); ++port) start_output(port);
  for (int port = 0; port < ports(); ++port) start_link(port);
}

void BufferedFabric::start_output(int port) {
  Output& output = outputs_[index(port)];
  if (output.due != never || !has_room(port)) return;
  for (std::size_t i = 1; i <= output.lanes.size(); ++i) {
    const std::size_t lane = (output.lane + i) % output.lanes.size();
    if (output.lanes[lane].empty()) continue;
    output.lane = lane;
    output.due = now() + wire_time(port, output.lanes[lane].front().bytes());
    return;
  }
}

void BufferedFabric::start_link(int port) {
  Link& link = links_[index(port)];
  link.hol_blocked = false;
  if (link.due != never || link.run.frame == nullptr) return;
  const int bytes = link.run.frame->shape.segment_bytes(link.run.first);
  const bool was_paused = link.paused;
  link.paused = pauses(link, bytes);
  if (link.paused) {
    if (!was_paused) ++count(port).pauses;
    link.hol_blocked = outputs_[index(output_of(*link.run.frame))].due == never;
  } else {
    link.due = now() + entry_time(port, bytes);
  }
}

/// An input that holds nothing is never paused, so no frame is too large to pass.
bool BufferedFabric::pauses(const Link& link, int bytes) const {
  if (link.buffered_bytes == 0) return false;
  const std::int64_t fits = input_bytes_ - bytes;
  return link.buffered_bytes > (link.paused ? std::min(resume_bytes_, fits) : fits);
}

void BufferedFabric::account(Time passed) {
  for (int port = 0; port < ports(); ++port) {
    const Link& link = links_[index(port)];
    if (!link.paused) continue;
    count(port).paused += passed;
    count(port).blocked += passed;
    if (link.hol_blocked) count(port).hol_blocked += passed;
  }
}

Time BufferedFabric::find_next() const {
  Time next = never;
  for (const Output& output : outputs_) next = std::min(next, output.due);
  for (const Link& link : links_) next = std::min(next, link.due);
  return next;
}

}  // namespace suiro
