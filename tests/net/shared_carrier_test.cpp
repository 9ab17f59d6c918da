// SPDX-License-Identifier: BSD-3-Clause
// Shared memory between processes: nothing is lost when both sides sleep and wake all the time, and
// a death is noticed.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>

#include <random>

#include "net/shared/carrier.hpp"
#include "shared_use.hpp"

namespace suiro::net {
namespace {

constexpr std::uint32_t messages = 100'000;

/// Runs `function` in a child, whose result is its exit status.
template <typename Function>
pid_t in_child(Function function) {
  const pid_t child = fork();
  if (child == 0) _exit(function());
  return child;
}

int status_of(pid_t child) {
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

StreamId open_to(SharedCarrier& carrier, Recorder& events, const Name& peer) {
  for (;;) {
    const StreamId stream = carrier.open(peer, {.shared_memory = true});
    const auto& state = events.streams[stream];
    if (!until(carrier, [&] { return state.opened + state.closed > 0; })) return no_stream;
    if (state.opened > 0) return stream;
  }
}

/// Sends numbers, checks those that come, and sleeps whenever there is nothing to do.
class Exchange {
 public:
  Exchange(const Nonce& own, bool may_pull, unsigned seed)
      : carrier_(own, may_pull), random_(seed) {
    carrier_.attach(events_);
    events_.on_event = [this](StreamId stream, const std::string& event) {
      if (event == "received") check();
      if (event == "writable") blocked_ = false;
      if (event == "closed") closed_ = stream == stream_;
    };
  }

  /// 0 if everything came and nobody slept through it.
  int run(const Name* peer) {
    stream_ = peer != nullptr ? open_to(carrier_, events_, *peer) : accept();
    if (stream_ == no_stream) return 2;
    carrier_.establish(stream_, StreamKind::control);
    while (sent_ < messages || next_ < messages) {
      if (closed_ || wrong_) return wrong_ ? 3 : 4;
      send();
      if (!carrier_.poll() && (blocked_ || random_() % 4 == 0) && !sleep()) return 5;
    }
    // Until the other side has everything, too.
    carrier_.close(stream_);
    return 0;
  }

 private:
  StreamId accept() {
    return until(carrier_, [&] { return events_.last_accepted != no_stream; })
               ? events_.last_accepted
               : no_stream;
  }

  void send() {
    for (unsigned burst = random_() % 64; burst > 0 && !blocked_ && sent_ < messages; --burst) {
      // A message is its number, and so many times more that rings fill up now and then.
      if (pending_.empty()) pending_.assign(1 + (sent_ % 100 == 0 ? 5000 : sent_ % 7), sent_);
      const std::size_t bytes = pending_.size() * 4 - offset_;
      const iovec part = part_of(reinterpret_cast<const char*>(pending_.data()) + offset_, bytes);
      const std::size_t written = carrier_.write(stream_, std::span(&part, 1));
      offset_ += written;
      blocked_ = written < bytes;
      if (blocked_) return;
      pending_.clear();
      offset_ = 0;
      ++sent_;
    }
  }

  void check() {
    auto& bytes = events_.streams[stream_].received;
    std::size_t at = 0;
    for (; at + 4 <= bytes.size(); at += 4) {
      std::uint32_t number;
      std::memcpy(&number, &bytes[at], 4);
      const std::uint32_t copies = 1 + (next_ % 100 == 0 ? 5000 : next_ % 7);
      wrong_ |= number != next_;
      if (++copies_ == copies) {
        copies_ = 0;
        ++next_;
      }
    }
    bytes.erase(bytes.begin(), bytes.begin() + static_cast<long>(at));
  }

  /// False if it was not woken: the other side always has something for us, or waits for us.
  bool sleep() {
    if (!carrier_.prepare_sleep()) return true;
    pollfd descriptor{carrier_.wait_descriptor(), POLLIN, 0};
    return ::poll(&descriptor, 1, blocked_ || sent_ == messages ? 5000 : 1) == 1 ||
           (!blocked_ && sent_ < messages);
  }

  SharedCarrier carrier_;
  Recorder events_;
  std::minstd_rand random_;
  StreamId stream_ = no_stream;
  std::vector<std::uint32_t> pending_;
  std::size_t offset_ = 0;
  std::uint32_t sent_ = 0, next_ = 0, copies_ = 0;
  bool blocked_ = false, closed_ = false, wrong_ = false;
};

TEST(SharedCarrierTest, LosesNeitherBytesNorWakeups) {
  const Name name = new_name();
  const pid_t child = in_child([&] {
    Exchange opener(new_name().nonce, true, 1);
    return opener.run(&name);
  });
  Exchange acceptor(name.nonce, true, 2);
  EXPECT_EQ(acceptor.run(nullptr), 0);
  EXPECT_EQ(status_of(child), 0);
}

/// Bulk from a child into memory of ours, in places of uneven size.
void move_bulk(bool may_pull) {
  constexpr std::size_t bytes = 64 << 20;
  const Name name = new_name();
  const pid_t child = in_child([&] {
    SharedCarrier carrier(new_name().nonce);
    Recorder events;
    carrier.attach(events);
    const StreamId stream = open_to(carrier, events, name);
    carrier.establish(stream, StreamKind::bulk);
    std::vector<std::uint32_t> numbers(bytes / 4);
    for (std::uint32_t i = 0; i < numbers.size(); ++i) numbers[i] = i * 2654435761U;
    std::size_t sent = 0;
    return until(carrier,
                 [&] {
                   const iovec parts[2] = {
                       part_of(reinterpret_cast<char*>(numbers.data()) + sent, bytes - sent),
                       part_of(nullptr, 0)};
                   sent += carrier.write(stream, parts);
                   return sent == bytes;
                 })
               ? 0
               : 2;
  });
  SharedCarrier carrier(name.nonce, may_pull);
  Recorder events;
  carrier.attach(events);
  events.on_event = [&](StreamId stream, const std::string& event) {
    if (event == "accepted") carrier.establish(stream, StreamKind::bulk);
  };
  ASSERT_TRUE(until(carrier, [&] { return events.last_accepted != no_stream; }));
  const StreamId id = events.last_accepted;
  std::vector<std::uint32_t> numbers(bytes / 4);
  const auto place = std::as_writable_bytes(std::span(numbers));
  auto& stream = events.streams[id];
  std::minstd_rand random(3);
  while (stream.placed < bytes && stream.closed == 0) {
    const std::size_t count =
        std::min<std::size_t>(1 + random() % 3'000'000, bytes - stream.placed);
    stream.wanted = place.subspan(stream.placed, count);
    carrier.arm(id);
    ASSERT_TRUE(until(carrier, [&] { return stream.wanted.empty() || stream.closed > 0; }));
  }
  EXPECT_EQ(stream.placed, bytes);
  for (std::uint32_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(numbers[i], i * 2654435761U);
  EXPECT_EQ(status_of(child), 0);
}

TEST(SharedCarrierTest, TakesBulkOutOfTheWritersMemory) { move_bulk(true); }
TEST(SharedCarrierTest, MovesBulkThroughRings) { move_bulk(false); }

TEST(SharedCarrierTest, NoticesADeathAfterTheLastBytes) {
  for (const StreamKind kind : {StreamKind::control, StreamKind::bulk}) {
    const Name name = new_name();
    const pid_t child = in_child([&] {
      SharedCarrier carrier(new_name().nonce);
      Recorder events;
      carrier.attach(events);
      const StreamId stream = open_to(carrier, events, name);
      carrier.establish(stream, kind);
      const std::vector<char> bytes(100'000, 'x');
      const iovec part = part_of(bytes.data(), bytes.size());
      carrier.write(stream, std::span(&part, 1));
      return raise(SIGKILL);
    });
    SharedCarrier carrier(name.nonce);
    Recorder events;
    carrier.attach(events);
    events.on_event = [&](StreamId stream, const std::string& event) {
      if (event == "accepted") carrier.establish(stream, kind);
    };
    ASSERT_TRUE(until(carrier, [&] { return events.last_accepted != no_stream; }));
    auto& stream = events.streams[events.last_accepted];
    EXPECT_TRUE(until(carrier, [&] { return stream.closed == 1; }));
    EXPECT_EQ(stream.received.size(), kind == StreamKind::control ? 100'000U : 0U);
    EXPECT_EQ(status_of(child), -1);
  }
}

TEST(SharedCarrierTest, RingsForASleeperWhateverOthersPoll) {
  const Name name = new_name();
  SharedCarrier sleeper(name.nonce), writer(new_name().nonce);
  Recorder events, writer_events;
  sleeper.attach(events);
  writer.attach(writer_events);
  const StreamId stream = writer.open(name, {.shared_memory = true});
  ASSERT_TRUE(until(sleeper, [&] { return events.last_accepted != no_stream; }));
  ASSERT_TRUE(until(writer, [&] { return writer_events.streams[stream].opened == 1; }));
  while (!sleeper.prepare_sleep()) sleeper.poll();
  const iovec part = part_of("news", 4);
  for (int round = 0; round < 3; ++round) {
    writer.write(stream, std::span(&part, 1));
    for (int polls = 0; polls < 200; ++polls) sleeper.poll();
    pollfd descriptor{sleeper.wait_descriptor(), POLLIN, 0};
    EXPECT_EQ(::poll(&descriptor, 1, 0), 1) << "somebody may have slept since before";
  }
}

}  // namespace
}  // namespace suiro::net
