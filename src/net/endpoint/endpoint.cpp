// SPDX-License-Identifier: BSD-3-Clause
#include "net/endpoint/endpoint.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/forking.hpp"
#include "base/sockets.hpp"
#include "base/tell.hpp"
#include "host/links.hpp"
#include "net/endpoint/complaint.hpp"
#include "net/endpoint/helper.hpp"
#include "net/endpoint/make_carrier.hpp"
#include "net/endpoint/patience.hpp"
#include "net/endpoint/statistics_report.hpp"
#include "net/endpoint/stats_socket.hpp"
#include "net/endpoint/waiting.hpp"
#include "net/engine/engine.hpp"
#include "net/links/shared_board.hpp"

namespace suiro::net {
namespace {

constexpr std::int64_t spin_ns = 20'000;  // about what it costs to sleep and be woken

std::vector<host::Link> links_of(const Settings& settings) {
  raise_descriptor_limit();
  return host::usable_links(settings.networks);
}

}  // namespace

struct Endpoint::State : Forkable {
  explicit State(const Settings& given)
      : settings(given),
        links(links_of(settings)),
        own(new_name(settings, links)),
        carrier(make_carrier(settings, links, own)),
        board(own.host, links),
        engine(settings, own, links, *carrier, board.get(), complain_of),
        watch(*carrier),
        reporter(this_process(links)),
        questions([this] { return to_json(reporter, statistics()); }),
        patience(settings.crowded()) {
    carrier->attach(engine);
    const int ranks = settings.local_ranks + settings.cores - 1;
    {
      const std::scoped_lock lock(watch.mutex);  // the helper uses this only when it is whole
      helper.emplace(watch, questions, ranks / settings.cores);
    }
    enlist(*this);
  }
  ~State() override { dismiss(*this); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void lock_for_fork() override { watch.mutex.lock(); }
  void unlock_after_fork() override { watch.mutex.unlock(); }
  void abandon() noexcept override {
    abandoned.store(true, std::memory_order_relaxed);
    carrier->abandon();
    watch.waker.abandon();
    questions.abandon();
    helper->abandon();
  }

  /// Calls the engine as a thread of the application; `otherwise` if this is a forked child.
  template <typename Result, typename Function>
  Result call(Result otherwise, Function function) {
    if (abandoned.load(std::memory_order_relaxed)) return otherwise;
    const std::scoped_lock lock(watch.mutex);
    watch.called();
    Result result = function();
    watch.changed();
    helper->look_after();
    return result;
  }

  Statistics statistics() {
    return call(Statistics{}, [&] {
      Statistics statistics = engine.statistics();
      statistics.helper_wakeups = helper->wakeups();
      statistics.helper_took_over = helper->took_over();
      statistics.system_calls = carrier->system_calls();
      return statistics;
    });
  }

  /// One process of the job; without a launcher's ranks, one of each host.
  bool speaks() const { return reporter.rank < 0 ? settings.local_rank == 0 : reporter.rank == 0; }

  void explain() {
    if (settings.explain && speaks()) tell(to_text(reporter, statistics()));
  }

  std::int64_t spin_time_ns() const { return patience.crowded() ? 0 : spin_ns; }

  const Settings settings;
  const std::vector<host::Link> links;
  Name own;
  const std::unique_ptr<RealCarrier> carrier;
  const SharedBoard board;
  Engine engine;
  Watch watch;
  const Reporter reporter;
  StatsSocket questions;
  Patience patience;
  std::optional<Helper> helper;
  std::atomic<bool> abandoned{false};  // in a forked child
};

Endpoint::Endpoint(const Settings& settings) : state_(std::make_unique<State>(settings)) {}

Endpoint::~Endpoint() {
  if (state_->abandoned) {
    (void)state_.release();  // of its parent: there is no helper to be joined here
    return;
  }
  locked(
      [](void* state) {
        auto& self = *static_cast<State*>(state);
        self.engine.finish(self.carrier->now_ns() + self.settings.peer_timeout_ns);
      },
      state_.get());
  wait([](void* state) { return static_cast<State*>(state)->engine.idle(); }, state_.get(),
       state_->settings.peer_timeout_ns);
  state_->explain();
  state_->helper.reset();
}

const Name& Endpoint::name() const { return state_->own; }

Peer Endpoint::peer(const Name& name) {
  return state_->call(any_peer, [&] { return state_->engine.peer(name); });
}

Name Endpoint::name(Peer peer) const {
  return state_->call(Name{}, [&] { return state_->engine.name(peer); });
}

Status Endpoint::send(const SendRequest& request) {
  return state_->call(Status::unreachable, [&] { return state_->engine.send(request); });
}

Status Endpoint::receive(const ReceiveRequest& request) {
  return state_->call(Status::unreachable, [&] { return state_->engine.receive(request); });
}

/// Programs ask in a loop until a message is there. As each answer is a completion at once, nobody
/// else would look for what has arrived, and the helper stands aside for a program that calls.
void Endpoint::peek(const PeekRequest& request) {
  state_->call(false, [&] {
    state_->helper->stand_aside();
    state_->carrier->poll();
    state_->engine.peek(request);
    return true;
  });
}

Status Endpoint::receive_claimed(const ReceiveRequest& request) {
  return state_->call(Status::unreachable, [&] { return state_->engine.receive_claimed(request); });
}

Status Endpoint::discard_claimed(void* context, CompletionSink* sink, std::uint64_t flags) {
  return state_->call(Status::unreachable,
                      [&] { return state_->engine.discard_claimed(context, sink, flags); });
}

bool Endpoint::cancel(void* context) {
  return state_->call(false, [&] { return state_->engine.cancel(context); });
}

void Endpoint::forget(CompletionSink* sink) {
  state_->call(false, [&] {
    state_->engine.forget(sink);
    return true;
  });
}

void Endpoint::progress() {
  State& state = *state_;
  if (state.abandoned.load(std::memory_order_relaxed)) return;
  std::unique_lock lock(state.watch.mutex, std::try_to_lock);
  if (!lock) {  // another thread is at it
    if (state.patience.crowded()) sched_yield();
    return;
  }
  state.watch.called();
  state.helper->stand_aside();
  // Of a crowd, the next look may come when all others had the core.
  if (state.patience.crowded()) state.carrier->look_at_all();
  const bool found = state.carrier->poll();
  if (found) state.watch.changed();
  state.helper->look_after();
  if (!state.patience.crowded()) return;
  if (found) return state.patience.found();
  const std::int64_t now_ns = state.carrier->now_ns();
  const std::int64_t pause_ns = state.patience.pause_ns(now_ns);
  if (pause_ns == 0 || !state.carrier->prepare_sleep()) return;
  state.helper->look_after();
  const std::int64_t alarm_ns = time_until(state.carrier->alarm_ns(), now_ns);
  lock.unlock();
  sleep_on({state.carrier->wait_descriptor()},
           alarm_ns < 0 ? pause_ns : std::min(pause_ns, alarm_ns));
  lock.lock();
  state.patience.slept(state.carrier->now_ns());
}

bool Endpoint::wait(bool (*condition)(void*), void* argument, std::int64_t timeout_ns) {
  State& state = *state_;
  if (state.abandoned.load(std::memory_order_relaxed)) return false;
  return wait_for(state.watch, *state.helper, condition, argument, timeout_ns,
                  state.spin_time_ns());
}

void Endpoint::locked(void (*function)(void*), void* argument) {
  if (state_->abandoned.load(std::memory_order_relaxed)) return;
  const std::scoped_lock lock(state_->watch.mutex);
  function(argument);
}

Statistics Endpoint::statistics() const { return state_->statistics(); }

}  // namespace suiro::net
