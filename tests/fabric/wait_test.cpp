// SPDX-License-Identifier: BSD-3-Clause
// How an application learns that something ended: counters, chosen completions, waiting.
#include <gtest/gtest.h>
#include <poll.h>

#include "pair.hpp"

namespace suiro::fabric {
namespace {

TEST(Wait, Counters) {
  EXPECT_TRUE(as_pair({.counters = true}, [](Side& side) {
    constexpr int count = 50;
    if (side.rank == 0) {
      for (int i = 0; i < count; ++i)
        REQUIRE(fi_tinject(side.endpoint(), &i, sizeof i, side.peer(), 1) == 0);
      REQUIRE(fi_cntr_wait(side.sends(), count, 5000) == 0);
      REQUIRE(fi_cntr_read(side.sends()) == count && fi_cntr_readerr(side.sends()) == 0);
      REQUIRE(fi_cntr_read(side.receives()) == 0);
      REQUIRE(side.quiet());
      return;
    }
    REQUIRE(fi_cntr_wait(side.receives(), 1, 10) == -FI_ETIMEDOUT);
    std::array<int, count> values{};
    for (int& value : values)
      REQUIRE(fi_trecv(side.endpoint(), &value, sizeof value, nullptr, FI_ADDR_UNSPEC, 1, 0,
                       &value) == 0);
    REQUIRE(fi_cntr_wait(side.receives(), count, 5000) == 0);
    for (int i = 0; i < count; ++i) REQUIRE(values[i] == i);
    int more = 0;
    REQUIRE(fi_trecv(side.endpoint(), &more, sizeof more, nullptr, FI_ADDR_UNSPEC, 2, 0, &more) ==
            0);
    REQUIRE(fi_cancel(&side.endpoint()->fid, &more) == 0);
    REQUIRE(fi_cntr_wait(side.receives(), count + 1, 10) != 0);
    REQUIRE(fi_cntr_readerr(side.receives()) == 1);
    REQUIRE(side.next().error.err == FI_ECANCELED);
    for (int i = 0; i < count; ++i) REQUIRE(side.next().error.err == 0);
  }));
}

/// Calls without flags follow the endpoint's, those with flags only their own.
TEST(Wait, SelectiveCompletion) {
  const PairOptions options{.send_flags = 0, .bind_flags = FI_SELECTIVE_COMPLETION};
  EXPECT_TRUE(as_pair(options, [](Side& side) {
    if (side.rank == 1) {
      int value = 0;
      const iovec place{&value, sizeof value};
      for (const std::uint64_t flags : {std::uint64_t{0}, std::uint64_t{FI_COMPLETION}}) {
        const fi_msg_tagged message{.msg_iov = &place,
                                    .desc = nullptr,
                                    .iov_count = 1,
                                    .addr = FI_ADDR_UNSPEC,
                                    .tag = 1,
                                    .ignore = 0,
                                    .context = &value,
                                    .data = 0};
        REQUIRE(fi_trecvmsg(side.endpoint(), &message, flags) == 0);
      }
      REQUIRE(side.next().entry.op_context == &value);
      REQUIRE(side.quiet());
      return;
    }
    int value = 5;
    REQUIRE(fi_tsend(side.endpoint(), &value, sizeof value, nullptr, side.peer(), 1, nullptr) == 0);
    REQUIRE(side.quiet());
    const iovec place{&value, sizeof value};
    const fi_msg_tagged message{.msg_iov = &place,
                                .desc = nullptr,
                                .iov_count = 1,
                                .addr = side.peer(),
                                .tag = 1,
                                .ignore = 0,
                                .context = &value,
                                .data = 0};
    REQUIRE(fi_tsendmsg(side.endpoint(), &message, FI_COMPLETION) == 0);
    REQUIRE(side.next().entry.op_context == &value);
  }));
}

TEST(Wait, SleepsUntilSomethingEnds) {
  EXPECT_TRUE(as_pair({.wait_object = FI_WAIT_FD}, [](Side& side) {
    if (side.rank == 0) {
      for (int i = 0; i < 2; ++i) {
        side.meet();
        poll(nullptr, 0, 30);
        REQUIRE(fi_tinject(side.endpoint(), &i, sizeof i, side.peer(), 1) == 0);
      }
      return;
    }
    fi_cq_tagged_entry entry{};
    REQUIRE(fi_cq_sread(side.queue, &entry, 1, nullptr, 5) == -FI_EAGAIN);
    int value = 0;
    REQUIRE(fi_trecv(side.endpoint(), &value, 4, nullptr, FI_ADDR_UNSPEC, 1, 0, &value) == 0);
    side.meet();
    REQUIRE(fi_cq_sread(side.queue, &entry, 1, nullptr, -1) == 1 && entry.op_context == &value);
    pollfd descriptor{.fd = -1, .events = POLLIN, .revents = 0};
    REQUIRE(fi_control(&side.queue->fid, FI_GETWAIT, &descriptor.fd) == 0);
    REQUIRE(fi_trecv(side.endpoint(), &value, 4, nullptr, FI_ADDR_UNSPEC, 1, 0, &value) == 0);
    fid* queue = &side.queue->fid;
    REQUIRE(fi_trywait(side.fabric, &queue, 1) == 0);
    side.meet();
    REQUIRE(poll(&descriptor, 1, 5000) == 1);
    REQUIRE(side.next().entry.op_context == &value && value == 1);
  }));
}

TEST(Wait, AddressesAreKeptAsGiven) {
  EXPECT_TRUE(as_pair({}, [](Side& side) {
    std::array<std::byte, 64> name{};
    std::size_t length = name.size();
    REQUIRE(fi_av_lookup(side.vector, side.peer(), name.data(), &length) == 0 && length == 64);
    std::array<char, 64> text{};
    length = text.size();
    REQUIRE(fi_av_straddr(side.vector, name.data(), text.data(), &length) == text.data());
    REQUIRE(std::string_view(text.data()).starts_with("suiro://"));
    std::array<fi_addr_t, 2> addresses{};
    const std::array twice{name, name};
    REQUIRE(fi_av_insert(side.vector, twice.data(), 2, addresses.data(), 0, nullptr) == 2);
    REQUIRE(addresses[0] == 1 && addresses[1] == 2);
    REQUIRE(fi_av_remove(side.vector, &addresses[1], 1, 0) == 0);
    REQUIRE(fi_av_lookup(side.vector, addresses[1], name.data(), &length) == -FI_EINVAL);
    REQUIRE(fi_tinject(side.endpoint(), nullptr, 0, addresses[1], 1) == -FI_EINVAL);
    REQUIRE(fi_av_insert(side.vector, name.data(), 1, addresses.data(), 0, nullptr) == 1);
    REQUIRE(addresses[0] == 2);  // the lowest that is free
    name[0] = std::byte{0xee};
    REQUIRE(fi_av_insert(side.vector, name.data(), 1, addresses.data(), 0, nullptr) == 0);
    REQUIRE(addresses[0] == FI_ADDR_NOTAVAIL);
    REQUIRE(fi_tinject(side.endpoint(), nullptr, 0, 77, 1) == -FI_EINVAL);
  }));
}

TEST(Wait, WhatAnEndpointUsesStaysOpen) {
  EXPECT_TRUE(as_pair({.counters = true}, [](Side& side) {
    for (fid* used : {&side.queue->fid, &side.vector->fid, &side.sends()->fid, &side.domain->fid})
      REQUIRE(fi_close(used) == -FI_EBUSY);
    if (side.rank == 0) REQUIRE(fi_tinject(side.endpoint(), nullptr, 0, side.peer(), 1) == 0);
    if (side.rank == 1) {
      int value = 0;
      REQUIRE(fi_trecv(side.endpoint(), nullptr, 0, nullptr, FI_ADDR_UNSPEC, 1, 0, &value) == 0);
      while (fi_cntr_read(side.receives()) == 0) REQUIRE(fi_cq_read(side.queue, nullptr, 0) <= 0);
      REQUIRE(fi_cq_read(side.queue, nullptr, 0) == 0);  // there is something, and nothing is taken
      REQUIRE(side.next().entry.op_context == &value);
    }
  }));
}

}  // namespace
}  // namespace suiro::fabric
