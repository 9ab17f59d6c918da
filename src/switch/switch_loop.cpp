// SPDX-License-Identifier: BSD-3-Clause
#include "switch/switch_loop.hpp"

#include <algorithm>

#include "switch/linked_fabrics.hpp"
#include "switch/realtime.hpp"

namespace suiro {
namespace {

/// Of a full frame on the fastest link of a host.
Time mtu_time(const SwitchConfig& config) {
  std::int64_t rate_bps = 0;
  for (const PortConfig& port : config.ports) rate_bps = std::max(rate_bps, port.rate_bps);
  return Time{8} * mtu_wire_bytes(config.mtu_bytes) * second / rate_bps;
}

/// How much delay is made up for: one MTU time, which is what the rate windows allow. Links that
/// are so fast that waking up takes longer would lose their rate that way, so theirs is more, and
/// the windows say it.
Time late_max(const SwitchConfig& config) {
  constexpr Time wake_up = 50'000;
  return std::max(mtu_time(config), wake_up);
}

}  // namespace

SwitchLoop::SwitchLoop(const SwitchConfig& config)
    : config_(config),
      hosts_(config_.ports, config_.mtu_bytes),
      network_(make_network(config_, hosts_)),
      control_(config_.control),
      clock_(late_max(config_)),
      polled_(config_.ports.size() + 1) {
  counters_.mtu_time = mtu_time(config_);
  counters_.scheduling = config_.realtime ? become_realtime() : "normal";
  counters_.since = clock_now();
}

void SwitchLoop::run(const volatile std::sig_atomic_t& stop, const sigset_t& while_waiting) {
  while (stop == 0) {
    wait(while_waiting);
    const bool caught_up = handle_due();
    if (caught_up) wake_hosts();
    const Time now = clock_now();
    const bool called = polled_.back().revents != 0 || control_.deadline() <= now;
    if (called) control_.serve(now, [this](const auto& request) { return answer(request); });
  }
}

/// When an MTU frame ends, or one that was held back may enter an idle link.
Time SwitchLoop::next_event() const {
  Time next = network_->next_event();
  for (int port = 0; port < std::ssize(config_.ports); ++port) {
    const Time release = hosts_.next_release(port);
    if (release < next && network_->wants(port)) next = release;
  }
  return next;
}

void SwitchLoop::step(Time due) {
  hosts_.move_to(due);
  if (network_->next_event() <= due) network_->step();
  for (int port = 0; port < std::ssize(config_.ports); ++port) {
    if (hosts_.next_release(port) <= due && network_->wants(port)) network_->wake(port, due);
  }
}

void SwitchLoop::wake(int port, Time now) {
  hosts_.move_to(now);
  network_->wake(port, now);
}

/// Handles what is due, one event after the other; gives up after a while so that signals are heard
/// even under overload.
bool SwitchLoop::handle_due() {
  constexpr int events_max = 512;
  ++counters_.turns;
  now_ = clock_.network(clock_now());
  for (int i = 0; i < events_max; ++i) {
    const Time due = next_event();
    if (due > now_) return true;
    step(due);
    finish(due);
  }
  return next_event() > now_;
}

/// Looks at the clock again once the hosts have their frames: that is when they were given, and
/// handing over takes time, too.
void SwitchLoop::finish(Time due) {
  const Time real = clock_now();
  hosts_.flush(real);
  const Time late = clock_.finish(due, real);
  counters_.lateness.add(late);
  if (late > counters_.mtu_time) ++counters_.overruns;
  now_ = clock_.network(real);
}

void SwitchLoop::wait(const sigset_t& while_waiting) {
  for (std::size_t i = 0; i < config_.ports.size(); ++i) {
    const int port = static_cast<int>(i);
    polled_[i] = {network_->wants(port) ? hosts_.descriptor(port) : -1, POLLIN, 0};
  }
  polled_.back() = {control_.descriptor(), POLLIN, 0};
  const Time next = std::min(clock_.real(next_event()), control_.deadline());
  const Time pause = std::clamp<Time>(next - clock_now(), 0, second);
  const timespec timeout{static_cast<time_t>(pause / second), static_cast<long>(pause % second)};
  if (ppoll(polled_.data(), polled_.size(), &timeout, &while_waiting) < 0) {
    for (pollfd& entry : polled_) entry.revents = 0;
  }
}

/// A frame that has arrived starts now at the earliest, and after everything that was due before
/// it.
void SwitchLoop::wake_hosts() {
  for (std::size_t i = 0; i < config_.ports.size(); ++i) {
    const int port = static_cast<int>(i);
    if ((polled_[i].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) {
      hosts_.abandon(port);
    } else if ((polled_[i].revents & POLLIN) != 0) {
      wake(port, now_);
    }
  }
}

std::string SwitchLoop::answer(const Control::Request& request) {
  const Time now = clock_now();
  if (request.throttle) network_->throttle(*request.throttle);
  counters_.stopped = clock_.stopped();
  std::string document = counters_json(config_, *network_, hosts_, counters_, now, request.reset);
  if (request.reset) {
    network_->reset_counters();
    hosts_.reset_counters();
    clock_.reset_counters();
    counters_.lateness = {};
    counters_.overruns = 0;
    counters_.turns = 0;
    counters_.since = now;
  }
  return document;
}

}  // namespace suiro
