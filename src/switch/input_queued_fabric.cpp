// SPDX-License-Identifier: BSD-3-Clause
#include "switch/input_queued_fabric.hpp"

#include <algorithm>

namespace suiro {

bool InputQueuedFabric::wants(int port) const {
  const Input& input = inputs_[index(port)];
  return input.dry && input.queue.size() < queue_frames_max;
}

void InputQueuedFabric::refill(int port) {
  Input& input = inputs_[index(port)];
  input.dry = false;
  while (!input.dry && input.queue.size() < queue_frames_max) {
    const Run run = hosts().pull(port);
    input.dry = run.frame == nullptr;
    if (!input.dry) input.queue.push(run);
  }
}

void InputQueuedFabric::finish_due() {
  for (int port = 0; port < ports(); ++port) {
    Output& output = outputs_[index(port)];
    if (output.due > now()) continue;
    output.due = never;
    Input& input = inputs_[index(output.source)];
    Run& run = input.queue.front();
    const Segment segment{run.frame, run.first++, output.source};
    input.sending = false;
    if (--run.count == 0) input.queue.pop();
    count_received(segment);
    deliver(port, segment);
    // An empty queue always looks again: a frame that came meanwhile follows without a gap.
    if (input.queue.empty() || !input.dry) refill(output.source);
  }
}

bool InputQueuedFabric::competes(const Input& input) const {
  return !input.queue.empty() && !input.sending && input.ready_at <= now();
}

void InputQueuedFabric::start() {
  for (int port = 0; port < ports(); ++port) {
    if (is_free(port)) start_output(port);
  }
  for (Input& input : inputs_) note_blocking(input);
}

/// Serves the next competing input after the one served last, so that none waits for more than one
/// MTU frame of each other.
void InputQueuedFabric::start_output(int port) {
  Output& output = outputs_[index(port)];
  for (int i = 1; i <= ports(); ++i) {
    const int source = (output.source + i) % ports();
    Input& input = inputs_[index(source)];
    if (!competes(input) || output_of(*input.queue.front().frame) != port) continue;
    const Run& run = input.queue.front();
    const int bytes = run.frame->shape.segment_bytes(run.first);
    output.source = source;
    output.due = now() + wire_time(port, bytes);
    input.sending = true;
    input.ready_at = std::max(output.due, now() + entry_time(source, bytes));
    return;
  }
}

void InputQueuedFabric::note_blocking(Input& input) const {
  input.blocked = competes(input);
  input.hol_blocked = false;
  for (std::size_t i = 1; input.blocked && i < input.queue.size(); ++i) {
    if (is_free(output_of(*input.queue[i].frame))) input.hol_blocked = true;
  }
}

void InputQueuedFabric::account(Time passed) {
  for (int port = 0; port < ports(); ++port) {
    if (inputs_[index(port)].blocked) count(port).blocked += passed;
    if (inputs_[index(port)].hol_blocked) count(port).hol_blocked += passed;
  }
}

Time InputQueuedFabric::find_next() const {
  Time next = never;
  for (const Output& output : outputs_) next = std::min(next, output.due);
  for (const Input& input : inputs_) {
    const bool waits_for_its_link =
        !input.queue.empty() && !input.sending && input.ready_at > now();
    if (waits_for_its_link) next = std::min(next, input.ready_at);
  }
  return next;
}

}  // namespace suiro
