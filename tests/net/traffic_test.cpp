// SPDX-License-Identifier: BSD-3-Clause
// Random traffic between a few processes, with and without faults, against what MPI promises: every
// message arrives once, whole, and none overtakes another. Every run is made from its seed alone:
// SUIRO_SIM_SEED=N repeats one, SUIRO_SIM_SEEDS=N says how many are tried.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "simulation.hpp"

namespace suiro::net {
namespace {

using Random = std::mt19937_64;

/// Many times what it takes to notice that a rail is down, and to use another.
constexpr std::int64_t seconds_to_drain = 10;
constexpr std::size_t largest = 700'000;  // bytes of a message

struct Message {
  std::size_t source, target, number;  // number: among those of the pair
  std::uint64_t tag;
  std::vector<std::uint8_t> bytes;
  bool sent = false;
  int received = 0;
  std::size_t receive = 0;  // that took it
};

struct Posted {
  std::size_t process;
  Pattern pattern;
  std::size_t room;
  std::unique_ptr<std::uint8_t[]> bytes;
};

std::uint64_t environment(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// One run: what is sent and asked for, and what became of it.
class Traffic {
 public:
  Traffic(std::uint64_t seed, bool faults);
  void run();

 private:
  Settings settings();
  std::size_t length();
  void send();
  Pattern pattern(Process& receiver);
  void receive();
  void* remember(std::size_t process, const Pattern& pattern, std::size_t room);
  void post(std::size_t process, const Pattern& pattern, std::size_t room = largest);
  void claim();
  void receive_claimed();
  void fault();
  void heal();
  void collect();
  void drain();
  void check();

  bool chance(std::uint64_t one_in) { return random_() % one_in == 0; }
  template <typename... Values>
  auto pick(Values... values) {
    const std::array options{values...};
    return options[random_() % options.size()];
  }

  Random random_;
  World world_;
  int rails_;
  bool faults_;
  std::vector<Message> messages_;
  std::vector<Posted> receives_;
  std::vector<std::size_t> claimed_;  // of `receives_`, which have a message and no buffer yet
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> numbers_;
  std::vector<std::size_t> refused_;  // messages that were told to try again
  std::vector<std::pair<std::size_t, int>> stalled_;
  std::size_t sends_complete_ = 0, received_ = 0;
};

Conditions conditions_of(std::uint64_t seed) {
  Random random(seed);
  Conditions conditions;
  conditions.longest_delay_ns = random() % 2 == 0 ? 20'000 : 2'000'000;
  conditions.buffer_bytes = random() % 2 == 0 ? 4 << 10 : 256 << 10;
  return conditions;
}

Traffic::Traffic(std::uint64_t seed, bool faults)
    : random_(seed), world_(seed, conditions_of(seed)), faults_{faults} {
  rails_ = faults ? pick(2, 3) : pick(1, 1, 2, 4);
  const Settings chosen = settings();
  const std::size_t count = pick(2, 3, 5);
  for (std::size_t process = 0; process < count; ++process) world_.add(chosen, rails_);
}

Settings Traffic::settings() {
  Settings settings;
  settings.eager_bytes = pick(100, 4096, 65536);
  settings.ahead_bytes = pick(0, 5000, 512 << 10);
  settings.copied_bytes = pick(0, 1000, 4096);
  settings.unexpected_budget = pick(0, 5000, 100'000, 64 << 20);
  settings.inject_budget = pick(2000, 16 << 20);
  settings.chunk_bytes = 64 << 10;
  settings.streams_per_rail = pick(1, 2);
  settings.rails = pick(RailPolicy::fixed, RailPolicy::striped, RailPolicy::balanced);
  settings.stall_timeout_ns = second / 10;
  settings.job_secret = {1, 2, 3};
  return settings;
}

std::size_t Traffic::length() {
  switch (random_() % 16) {
    case 0:
      return 0;
    case 1:
      return random_() % 100'000;
    case 2:
      return chance(12) ? random_() % largest : random_() % 200'000;
    default:
      return random_() % 300;
  }
}

void Traffic::send() {
  const std::size_t source = random_() % world_.processes.size();
  const std::size_t target = random_() % world_.processes.size();
  // Order holds among what was accepted: nothing goes before a message that has to try again.
  std::size_t index = messages_.size();
  if (!refused_.empty()) {
    index = refused_.back();
    refused_.pop_back();
  } else {
    messages_.push_back({source, target, 0, random_() % 4, bytes_of(length(), random_())});
  }
  Message& message = messages_[index];
  const bool inject = message.bytes.size() < 500 && chance(2);
  const Status status = world_.processes[message.source]->send(
      *world_.processes[message.target], message.tag, message.bytes.data(), message.bytes.size(),
      reinterpret_cast<void*>(index), inject, chance(3), index);
  if (status == Status::try_again) {
    refused_.push_back(index);
    return;
  }
  ASSERT_EQ(status, Status::ok);
  message.number = numbers_[{message.source, message.target}]++;
  message.sent = true;
}

Pattern Traffic::pattern(Process& receiver) {
  Pattern pattern;
  if (chance(2))
    pattern.source = receiver.peer(*world_.processes[random_() % world_.processes.size()]);
  pattern.tag = random_() % 4;
  pattern.ignore = pick(0UL, 0UL, 1UL, 3UL);
  return pattern;
}

/// There may be less room than a message needs.
void Traffic::receive() {
  const std::size_t process = random_() % world_.processes.size();
  post(process, pattern(*world_.processes[process]), chance(6) ? random_() % 1000 : largest);
}

/// The context of an operation that asks for a message.
void* Traffic::remember(std::size_t process, const Pattern& pattern, std::size_t room) {
  receives_.push_back(
      {process, pattern, room, std::make_unique_for_overwrite<std::uint8_t[]>(room)});
  return reinterpret_cast<void*>(receives_.size() - 1);
}

void Traffic::post(std::size_t process, const Pattern& pattern, std::size_t room) {
  void* const context = remember(process, pattern, room);
  ASSERT_EQ(world_.processes[process]->receive(pattern.source, pattern.tag, pattern.ignore,
                                               receives_.back().bytes.get(), room, context),
            Status::ok);
}

/// Takes a message that is there; where it goes is told later.
void Traffic::claim() {
  const std::size_t process = random_() % world_.processes.size();
  Process& receiver = *world_.processes[process];
  PeekRequest request;
  request.pattern = pattern(receiver);
  request.claim = true;
  request.sink = &receiver.log;
  request.context = remember(process, request.pattern, largest);
  receiver.engine.peek(request);
  if (receiver.log.completions.back().status == Status::ok)
    claimed_.push_back(receives_.size() - 1);
  else
    receives_.pop_back();
  receiver.log.completions.pop_back();
}

void Traffic::receive_claimed() {
  if (claimed_.empty()) return;
  const std::size_t index = claimed_.back();
  claimed_.pop_back();
  Process& receiver = *world_.processes[receives_[index].process];
  const iovec piece{.iov_base = receives_[index].bytes.get(), .iov_len = largest};
  ReceiveRequest request;
  request.buffers = {&piece, 1};
  request.sink = &receiver.log;
  request.context = reinterpret_cast<void*>(index);
  ASSERT_EQ(receiver.engine.receive_claimed(request), Status::ok);
}

void Traffic::fault() {
  const std::size_t index = random_() % world_.processes.size();
  SimulatedCarrier& process = world_.processes[index]->carrier;
  const int rail = static_cast<int>(random_() % static_cast<std::uint64_t>(rails_));
  if (chance(2)) {
    world_.network.break_streams(process, rail);
    return;
  }
  world_.network.stall(process, rail);
  stalled_.emplace_back(index, rail);
  if (stalled_.size() > 1) heal();
}

void Traffic::heal() {
  const auto [index, rail] = stalled_.front();
  stalled_.erase(stalled_.begin());
  world_.network.restore(world_.processes[index]->carrier, rail);
}

void Traffic::collect() {
  for (std::size_t process = 0; process < world_.processes.size(); ++process) {
    for (const Completion& completion : world_.processes[process]->log.completions) {
      const auto index = reinterpret_cast<std::size_t>(completion.context);
      if (completion.kind == Completion::Kind::send) {
        ASSERT_EQ(completion.status, Status::ok);
        ++sends_complete_;
        continue;
      }
      ++received_;
      Posted& posted = receives_[index];
      const std::size_t length = completion.envelope.length;
      const bool fits = length <= posted.room;
      ASSERT_EQ(completion.status, fits ? Status::ok : Status::truncated);
      ASSERT_EQ(completion.length, fits ? length : posted.room);
      const Name& source = world_.processes[process]->engine.name(completion.envelope.source);
      ASSERT_LT(completion.envelope.data, messages_.size());
      Message& message = messages_[completion.envelope.data];
      ASSERT_TRUE(message.sent && message.received == 0) << "it came twice, or was never sent";
      ASSERT_EQ(message.target, process);
      ASSERT_EQ(message.tag, completion.envelope.tag);
      ASSERT_EQ(message.bytes.size(), length);
      ASSERT_EQ(world_.processes[message.source]->carrier.name(), source);
      ASSERT_TRUE(std::equal(posted.bytes.get(), posted.bytes.get() + completion.length,
                             message.bytes.begin()));
      ++message.received;
      message.receive = index;
      posted.bytes.reset();
    }
    world_.processes[process]->log.completions.clear();
  }
}

/// Asks for everything that is left, until it is there. One rail may stay down meanwhile.
void Traffic::drain() {
  while (stalled_.size() > 1) heal();
  while (!claimed_.empty()) receive_claimed();
  while (!refused_.empty()) {
    const std::size_t before = refused_.size();
    send();
    if (refused_.size() == before) world_.network.run_until(world_.network.now_ns() + second / 100);
    const auto left = [](const Message& message) { return message.sent && message.received == 0; };
    const auto next = std::ranges::find_if(messages_, left);
    if (refused_.size() == before && next != messages_.end())
      post(next->target, {.source = any_peer, .tag = 0, .ignore = ~std::uint64_t{0}});
    collect();
  }
  for (std::size_t process = 0; process < world_.processes.size(); ++process) {
    const auto to_it = [&](const Message& message) { return message.target == process; };
    const auto count = std::ranges::count_if(messages_, to_it);
    for (std::ptrdiff_t one = 0; one < count; ++one)
      post(process, {.source = any_peer, .tag = 0, .ignore = ~std::uint64_t{0}});
  }
  EXPECT_TRUE(world_.until(
      [&] {
        collect();
        return (received_ == messages_.size() && sends_complete_ == messages_.size()) ||
               ::testing::Test::HasFailure();
      },
      seconds_to_drain))
      << received_ << " received and " << sends_complete_ << " sends complete of "
      << messages_.size();
}

/// Of two messages of a pair, the earlier goes to the earlier of the receives that could take it.
void Traffic::check() {
  for (const Message& first : messages_) {
    ASSERT_EQ(first.received, 1);
    for (const Message& second_one : messages_) {
      if (first.source != second_one.source || first.target != second_one.target) continue;
      if (first.number >= second_one.number) continue;
      const Posted& other = receives_[second_one.receive];
      Process& receiver = *world_.processes[first.target];
      const Envelope envelope{.source = receiver.peer(*world_.processes[first.source]),
                              .tag = first.tag};
      const bool could = other.pattern.matches(envelope);
      ASSERT_FALSE(could && first.receive > second_one.receive) << "a message was overtaken";
    }
  }
}

void Traffic::run() {
  for (int one = 0; one < 300 && !::testing::Test::HasFailure(); ++one) {
    if (chance(2)) send();
    if (chance(3)) receive();
    if (chance(12)) claim();
    if (chance(12)) receive_claimed();
    if (chance(4))
      world_.network.run_until(world_.network.now_ns() +
                               static_cast<std::int64_t>(random_() % 1'000'000));
    if (faults_ && chance(30)) fault();
    if (faults_ && chance(10))
      world_.network.run_until(world_.network.now_ns() +
                               static_cast<std::int64_t>(random_() % second));
    collect();
  }
  drain();
  if (!::testing::Test::HasFailure()) check();
}

void try_seeds(bool faults, std::uint64_t count) {
  const std::uint64_t only = environment("SUIRO_SIM_SEED", 0);
  const std::uint64_t first = only != 0 ? only : 1;
  const std::uint64_t last = only != 0 ? only : environment("SUIRO_SIM_SEEDS", count);
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    Traffic(seed, faults).run();
    ASSERT_FALSE(::testing::Test::HasFailure()) << "repeat with SUIRO_SIM_SEED=" << seed;
  }
}

TEST(Traffic, KeepsOrderAndContent) { try_seeds(false, 500); }

TEST(Traffic, SurvivesRailsThatFail) { try_seeds(true, 1000); }

}  // namespace
}  // namespace suiro::net
