// SPDX-License-Identifier: BSD-3-Clause
// Processes of the same user that do not keep the rules of shared memory: nonsense in the memory
// ends a stream, not the process, and nobody keeps the others out.
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <atomic>
#include <thread>

#include "net/shared/greeting.hpp"
#include "net/shared/pull.hpp"
#include "shared_use.hpp"

namespace suiro::net {
namespace {

/// A peer that does not keep the rules: opens streams by hand.
class Intruder {
 public:
  explicit Intruder(const Name& victim) {
    std::string reason;
    socket = connect_to(victim.nonce, reason);
    greeting.probe_address = reinterpret_cast<std::uint64_t>(&greeting.probe_value);
    greeting.probe_value = 42;
  }
  bool greet(const SharedMemory& with) {
    return send_greeting(socket.number(), greeting, doorbell, &with);
  }
  /// The victim's answer.
  void be_greeted() {
    while (receive_greeting(socket.number(), false, answer) == GreetingState::none_yet)
      std::this_thread::sleep_for(1ms);
  }
  Segment& segment() { return *static_cast<Segment*>(memory.data()); }

  Descriptor socket;
  Doorbell doorbell;
  Greeting greeting;
  SharedMemory memory = SharedMemory::create("test", sizeof(Segment));
  std::optional<ReceivedGreeting> answer;
};

class AttackedTest : public testing::Test {
 protected:
  AttackedTest() { carrier.attach(events); }
  void let_in() {
    Intruder& one = intruder.emplace(name);
    ASSERT_TRUE(one.greet(one.memory));
    ASSERT_TRUE(until(carrier, [&] { return events.last_accepted != no_stream; }));
    one.be_greeted();
  }
  void expect_end(const std::string& reason) {
    intruder->answer->bell.ring(static_cast<Slot>(intruder->answer->greeting.slot));
    auto& stream = events.streams[events.last_accepted];
    EXPECT_TRUE(until(carrier, [&] { return stream.closed == 1; }));
    EXPECT_THAT(stream.reason, testing::HasSubstr(reason));
  }

  Name name = new_name();
  SharedCarrier carrier{name.nonce};
  Recorder events;
  std::optional<Intruder> intruder;
};

TEST_F(AttackedTest, EndsAStreamWhosePositionsCannotBe) {
  let_in();
  intruder->segment().lanes[0].written = ring_bytes + 1;
  expect_end("damaged");
  events.last_accepted = no_stream;
  let_in();
  intruder->segment().lanes[1].taken = 77;
  const std::string much(ring_bytes + 1, 'm');  // so that the position is looked at
  const iovec part = part_of(much.data(), much.size());
  carrier.write(events.last_accepted, std::span(&part, 1));
  expect_end("damaged");
}

TEST_F(AttackedTest, EndsABulkStreamWhoseAddressesAreNonsense) {
  const std::uint64_t value = 42;
  if (!can_pull(getpid(), reinterpret_cast<std::uint64_t>(&value), value))
    GTEST_SKIP() << "process_vm_readv is forbidden here";
  const std::uint64_t nonsense[][2] = {{0, 0}, {0, 100}, {~0ULL, ~0ULL}};
  std::vector<std::byte> place(1000);
  for (const auto& piece : nonsense) {
    events.last_accepted = no_stream;
    let_in();
    carrier.establish(events.last_accepted, StreamKind::bulk);
    events.streams[events.last_accepted].wanted = place;
    std::memcpy(intruder->segment().rings[0], piece, sizeof piece);
    intruder->segment().lanes[0].written = sizeof piece;
    expect_end(piece[1] == 0 ? "damaged" : "cannot read");
  }
  events.last_accepted = no_stream;
  let_in();
  intruder->segment().lanes[1].reader_pulls = 1;
  carrier.establish(events.last_accepted, StreamKind::bulk);
  const iovec part = part_of(place.data(), place.size());
  events.on_event = [&](StreamId stream, const std::string& event) {
    if (event == "writable") carrier.write(stream, std::span(&part, 1));
  };
  EXPECT_EQ(carrier.write(events.last_accepted, std::span(&part, 1)), 0U);
  intruder->segment().lanes[1].pulled = 1001;
  expect_end("damaged");
}

TEST_F(AttackedTest, TurnsAwayWhoeverDoesNotGreetProperly) {
  std::vector<Intruder> intruders;
  for (int i = 0; i < 5; ++i) intruders.emplace_back(name);
  intruders[0].greeting.magic ^= 1;
  intruders[1].greeting.slot = max_slots;
  intruders[2].greeting.segment_bytes += 1;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(intruders[i].greet(intruders[i].memory));
  const SharedMemory small = SharedMemory::create("test", 4096);
  ASSERT_TRUE(intruders[3].greet(small));
  // Memory that could be taken away under our feet.
  Descriptor unsealed(memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(ftruncate(unsealed.number(), sizeof(Segment)), 0);
  EXPECT_FALSE(SharedMemory::adopt(std::move(unsealed), sizeof(Segment)));
  ASSERT_EQ(send(intruders[4].socket.number(), "hello", 5, 0), 5);
  for (const Intruder& one : intruders) {
    char byte;
    EXPECT_TRUE(until(carrier, [&] {
      return recv(one.socket.number(), &byte, 1, MSG_DONTWAIT) == 0 || errno == ECONNRESET;
    }));
  }
  EXPECT_EQ(events.last_accepted, no_stream);
}

TEST_F(AttackedTest, LetsNobodyInTheWayOfTheOthers) {
  std::vector<Descriptor> silent;
  for (std::string reason; silent.size() < 300; carrier.poll())
    silent.push_back(connect_to(name.nonce, reason));
  let_in();
}

TEST_F(AttackedTest, RingsNothingButBells) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  close(ends[0]);
  const Doorbell other;
  EXPECT_FALSE(Bell::adopt(Descriptor(dup(other.page_descriptor())), Descriptor(ends[1])));
}

/// A reader that has taken everything before it could see that the writer waits does not ring. A
/// thread that sleeps must go on then: the one that wrote may compute from now on.
TEST_F(AttackedTest, LeavesNothingToBeDoneByNobody) {
  let_in();
  Lane& lane = intruder->segment().lanes[1];
  const auto is_woken = [&] {
    pollfd descriptor{carrier.wait_descriptor(), POLLIN, 0};
    return ::poll(&descriptor, 1, 2000);
  };
  while (!carrier.prepare_sleep()) carrier.poll();
  carrier.open(new_name(), {.shared_memory = true});  // which nobody has
  EXPECT_EQ(is_woken(), 1);
  std::atomic<bool> over = false;
  std::thread reader([&] {
    while (!over) {
      const std::uint64_t before = lane.taken.exchange(lane.written);
      if (before != lane.taken && lane.writer_waits.exchange(0) != 0)
        intruder->answer->bell.ring(static_cast<Slot>(intruder->answer->greeting.slot));
    }
  });
  const std::vector<std::byte> bytes(1 << 20);
  const iovec part = part_of(bytes.data(), bytes.size());
  int woken = 0;
  for (int round = 1; round <= 10000 && woken == round - 1; ++round) {
    while (!carrier.prepare_sleep()) carrier.poll();
    carrier.write(events.last_accepted, std::span(&part, 1));
    woken += is_woken();
  }
  EXPECT_EQ(woken, 10000);
  over = true;
  reader.join();
}

TEST_F(AttackedTest, MindsNobodyWhoRingsWithoutReason) {
  let_in();
  for (Slot slot = 0; slot <= max_slots; ++slot) intruder->answer->bell.ring(slot);
  for (int i = 0; i < 100; ++i) carrier.poll();
  EXPECT_EQ(events.streams[events.last_accepted].closed, 0);
}

}  // namespace
}  // namespace suiro::net
