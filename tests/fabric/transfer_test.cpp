// SPDX-License-Identifier: BSD-3-Clause
// Messages from one process to another, in all the ways in which MPIs send and receive them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "pair.hpp"

namespace suiro::fabric {
namespace {

constexpr std::array<std::size_t, 9> sizes{
    0, 1, 4096, 4097, 65536, 65537, 1 << 20, 3'000'001, std::size_t{8} << 20};

/// What the application gives as an operation's context.
void* context_of(std::size_t number) { return reinterpret_cast<void*>(number + 1); }
std::size_t number_of(const void* context) { return reinterpret_cast<std::size_t>(context) - 1; }

void send(Side& side, const std::vector<std::byte>& bytes, std::uint64_t tag, std::size_t number) {
  REQUIRE(fi_tsend(side.endpoint(), bytes.data(), bytes.size(), nullptr, side.peer(), tag,
                   context_of(number)) == 0);
}

void receive(Side& side, std::vector<std::byte>& bytes, std::uint64_t tag, std::size_t number,
             std::uint64_t ignore = 0, fi_addr_t from = FI_ADDR_UNSPEC) {
  REQUIRE(fi_trecv(side.endpoint(), bytes.data(), bytes.size(), nullptr, from, tag, ignore,
                   context_of(number)) == 0);
}

/// All sizes at once, received under their tags in an order of its own.
void exchange_all_sizes(Side& side, bool receive_first) {
  std::array<std::vector<std::byte>, sizes.size()> buffers;
  const auto receive_all = [&] {
    for (std::size_t i = sizes.size(); i-- > 0;) {
      buffers[i].assign(sizes[i], std::byte{0});
      receive(side, buffers[i], 100 + i, i);
    }
  };
  if (side.rank == 1 && receive_first) receive_all();
  side.meet();
  if (side.rank == 0) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      buffers[i] = pattern(sizes[i], static_cast<unsigned>(i));
      send(side, buffers[i], 100 + i, i);
    }
  } else if (!receive_first) {
    receive_all();
  }
  std::array<bool, sizes.size()> ended{};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const Result result = side.next();
    REQUIRE(result.error.err == 0);
    const std::size_t number = number_of(result.entry.op_context);
    REQUIRE(!ended[number]);
    ended[number] = true;
    if (side.rank == 0) {
      REQUIRE((result.entry.flags & (FI_SEND | FI_TAGGED)) == (FI_SEND | FI_TAGGED));
      continue;
    }
    REQUIRE((result.entry.flags & (FI_RECV | FI_TAGGED)) == (FI_RECV | FI_TAGGED));
    REQUIRE(result.entry.tag == 100 + number && result.entry.len == sizes[number]);
    REQUIRE(result.source == side.peer());
    REQUIRE(buffers[number] == pattern(sizes[number], static_cast<unsigned>(number)));
  }
}

TEST(Transfer, AllSizesExpected) {
  EXPECT_TRUE(as_pair({}, [](Side& side) { exchange_all_sizes(side, true); }));
}

TEST(Transfer, AllSizesUnexpected) {
  EXPECT_TRUE(as_pair({}, [](Side& side) { exchange_all_sizes(side, false); }));
}

TEST(Transfer, DeliveryCompleteAndTable) {
  const PairOptions options{.version = FI_VERSION(1, 17),
                            .send_flags = FI_COMPLETION | FI_DELIVERY_COMPLETE,
                            .vector_type = FI_AV_TABLE};
  EXPECT_TRUE(as_pair(options, [](Side& side) { exchange_all_sizes(side, false); }));
}

/// The receiver asks for the last message first and then again from the beginning; nothing is lost
/// although its queue was opened for 100 completions.
TEST(Transfer, ThousandsOfCompletionsInOrder) {
  EXPECT_TRUE(as_pair({}, [](Side& side) {
    constexpr std::size_t count = 5000;
    std::vector<std::uint64_t> values(count);
    if (side.rank == 0) {
      for (std::size_t i = 0; i < count; ++i) {
        values[i] = i;
        REQUIRE(fi_tsend(side.endpoint(), &values[i], 8, nullptr, side.peer(), i == count - 1,
                         context_of(i)) == 0);
      }
    } else {
      for (std::size_t i = 0; i < count; ++i)
        REQUIRE(fi_trecv(side.endpoint(), &values[i], 8, nullptr, side.peer(), i == 0, 0,
                         context_of(i)) == 0);
    }
    for (std::size_t i = 0; i < count; ++i) REQUIRE(side.next().error.err == 0);
    if (side.rank == 1)
      for (std::size_t i = 0; i < count; ++i) REQUIRE(values[i] == (i == 0 ? count - 1 : i - 1));
  }));
}

TEST(Transfer, InjectedWithData) {
  EXPECT_TRUE(as_pair({}, [](Side& side) {
    std::vector<std::byte> buffer = pattern(4096, 7);
    if (side.rank == 0) {
      REQUIRE(fi_tinjectdata(side.endpoint(), buffer.data(), 4096, 0x1234, side.peer(), 5) == 0);
      std::fill(buffer.begin(), buffer.end(), std::byte{0});
      REQUIRE(fi_tinject(side.endpoint(), nullptr, 0, side.peer(), 6) == 0);
      REQUIRE(fi_inject(side.endpoint(), "seven", 5, side.peer()) == 0);
      REQUIRE(fi_tinject(side.endpoint(), buffer.data(), 4097, side.peer(), 5) == -FI_EINVAL);
      REQUIRE(side.quiet());
      return;
    }
    std::vector<std::byte> received(4096);
    receive(side, received, 5, 0);
    Result result = side.next();
    REQUIRE((result.entry.flags & FI_REMOTE_CQ_DATA) != 0 && result.entry.data == 0x1234);
    REQUIRE(received == buffer);
    receive(side, received, 0, 1, ~0ULL);
    result = side.next();
    REQUIRE(result.entry.len == 0 && result.entry.tag == 6);
    REQUIRE((result.entry.flags & FI_REMOTE_CQ_DATA) == 0);
    REQUIRE(fi_recv(side.endpoint(), received.data(), 4096, nullptr, FI_ADDR_UNSPEC,
                    context_of(2)) == 0);
    result = side.next();
    REQUIRE((result.entry.flags & FI_MSG) != 0 && result.entry.len == 5);
    REQUIRE(std::memcmp(received.data(), "seven", 5) == 0);
  }));
}

ssize_t ask(Side& side, std::uint64_t tag, std::uint64_t flags, std::size_t number,
            std::vector<std::byte>* buffer = nullptr) {
  const iovec place{buffer != nullptr ? buffer->data() : nullptr,
                    buffer != nullptr ? buffer->size() : 0};
  const fi_msg_tagged message{.msg_iov = &place,
                              .desc = nullptr,
                              .iov_count = buffer != nullptr ? 1u : 0u,
                              .addr = FI_ADDR_UNSPEC,
                              .tag = tag,
                              .ignore = 0,
                              .context = context_of(number),
                              .data = 0};
  return fi_trecvmsg(side.endpoint(), &message, flags);
}

/// Until a peek with these flags finds something.
Result peek(Side& side, std::uint64_t tag, std::uint64_t flags, std::size_t number) {
  while (true) {
    REQUIRE(ask(side, tag, FI_PEEK | flags, number) == 0);
    const Result result = side.next();
    if (result.error.err == 0) return result;
    REQUIRE(result.error.err == FI_ENOMSG && result.error.op_context == context_of(number));
  }
}

TEST(Transfer, PeekClaimDiscard) {
  EXPECT_TRUE(as_pair({}, [](Side& side) {
    constexpr std::size_t large = 300'000;
    if (side.rank == 0) {
      const std::vector<std::byte> more = pattern(large, 4);
      for (std::size_t i = 0; i < 4; ++i)
        REQUIRE(fi_tsenddata(side.endpoint(), more.data(), 100, nullptr, 40 + i, side.peer(), i,
                             context_of(i)) == 0);
      send(side, more, 4, 4);
      for (std::size_t i = 0; i < 5; ++i) REQUIRE(side.next().error.err == 0);
      return;
    }
    Result found = peek(side, 1, 0, 0);
    REQUIRE(found.entry.len == 100 && found.entry.data == 41 && found.entry.tag == 1);
    REQUIRE((found.entry.flags & FI_REMOTE_CQ_DATA) != 0 && found.source == side.peer());
    peek(side, 1, 0, 0);  // it is still there
    peek(side, 1, FI_CLAIM, 1);
    REQUIRE(ask(side, 1, FI_PEEK, 2) == 0);
    REQUIRE(side.next().error.err == FI_ENOMSG);  // and now it is not
    std::vector<std::byte> buffer(large);
    REQUIRE(ask(side, 1, FI_CLAIM, 1, &buffer) == 0);
    found = side.next();
    REQUIRE(found.entry.op_context == context_of(1) && found.entry.len == 100);
    peek(side, 2, FI_CLAIM, 3);
    REQUIRE(ask(side, 2, FI_CLAIM | FI_DISCARD, 3) == 0);
    REQUIRE(side.next().entry.op_context == context_of(3));
    peek(side, 3, FI_DISCARD, 4);
    REQUIRE(ask(side, 3, FI_PEEK, 4) == 0);
    REQUIRE(side.next().error.err == FI_ENOMSG);
    peek(side, 4, FI_CLAIM, 5);
    REQUIRE(ask(side, 4, FI_CLAIM, 5, &buffer) == 0);
    REQUIRE(side.next().entry.len == large && buffer == pattern(large, 4));
    receive(side, buffer, 0, 6);
    REQUIRE(side.next().entry.data == 40);
  }));
}

TEST(Transfer, CancelAndTruncate) {
  EXPECT_TRUE(as_pair({}, [](Side& side) {
    const std::vector<std::byte> whole = pattern(200'000, 1);
    if (side.rank == 0) {
      for (const std::size_t bytes : {std::size_t{1000}, whole.size()})
        REQUIRE(fi_tsenddata(side.endpoint(), whole.data(), bytes, nullptr, 99, side.peer(), 3,
                             context_of(0)) == 0);
      for (int i = 0; i < 2; ++i) REQUIRE(side.next().error.err == 0);
      return;
    }
    std::vector<std::byte> buffer(600);
    receive(side, buffer, 2, 0);
    REQUIRE(fi_cancel(&side.endpoint()->fid, context_of(0)) == 0);
    Result result = side.next();
    REQUIRE(result.error.err == FI_ECANCELED && result.error.op_context == context_of(0));
    REQUIRE(fi_cancel(&side.endpoint()->fid, context_of(0)) == -FI_ENOENT);
    for (const std::size_t bytes : {std::size_t{1000}, whole.size()}) {
      receive(side, buffer, 3, 1);
      result = side.next();
      REQUIRE(result.error.err == FI_ETRUNC && result.error.op_context == context_of(1));
      REQUIRE(result.error.len == 600 && result.error.olen == bytes - 600);
      REQUIRE(result.error.data == 99 && result.error.tag == 3);
      REQUIRE(std::equal(buffer.begin(), buffer.end(), whole.begin()));
    }
  }));
}

/// As MPICH receives its active messages: of any length up to a bound, into large buffers that are
/// posted again when they are released.
constexpr std::size_t active_bytes_max = 16384, active_count = 4000;

std::size_t active_bytes(std::size_t number) {
  return number % 3 == 0 ? active_bytes_max : number * 7919 % active_bytes_max;
}

void send_active_messages(Side& side) {
  std::vector<std::vector<std::byte>> sent(active_count);
  std::size_t under_way = 0;
  for (std::size_t i = 0; i < active_count; ++i) {
    sent[i] = pattern(active_bytes(i), static_cast<unsigned>(i));
    REQUIRE(fi_senddata(side.endpoint(), sent[i].data(), sent[i].size(), nullptr, i, side.peer(),
                        context_of(i)) == 0);
    if (++under_way < 100 && i + 1 < active_count) continue;
    for (; under_way > 0; --under_way) {
      const Result result = side.next();
      REQUIRE(result.error.err == 0);
      // Now the memory is the user's again.
      std::vector<std::byte>& free = sent[number_of(result.entry.op_context)];
      std::fill(free.begin(), free.end(), std::byte{0xee});
    }
  }
}

void receive_active_messages(Side& side) {
  constexpr std::size_t buffer_bytes = 100'000;
  REQUIRE(fi_setopt(&side.endpoint()->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV,
                    &active_bytes_max, sizeof active_bytes_max) == 0);
  std::array<std::vector<std::byte>, 3> buffers;
  const auto post = [&](std::size_t number) {
    buffers[number].assign(buffer_bytes, std::byte{0});
    const iovec place{buffers[number].data(), buffer_bytes};
    const fi_msg message{.msg_iov = &place,
                         .desc = nullptr,
                         .iov_count = 1,
                         .addr = FI_ADDR_UNSPEC,
                         .context = context_of(number),
                         .data = 0};
    REQUIRE(fi_recvmsg(side.endpoint(), &message, FI_MULTI_RECV) == 0);
  };
  for (std::size_t number = 0; number < buffers.size(); ++number) post(number);
  std::size_t released = 0;
  std::vector<bool> arrived(active_count);
  for (std::size_t i = 0; i < active_count; ++i) {
    const Result result = side.next();
    const std::size_t number = result.entry.data;  // they are told when they are whole
    REQUIRE(result.error.err == 0 && number < active_count && !arrived[number]);
    arrived[number] = true;
    const std::vector<std::byte> wanted = pattern(active_bytes(number), number);
    REQUIRE(result.entry.len == wanted.size());
    REQUIRE(std::equal(wanted.begin(), wanted.end(), static_cast<std::byte*>(result.entry.buf)));
    if ((result.entry.flags & FI_MULTI_RECV) == 0) continue;
    ++released;
    post(number_of(result.entry.op_context));
  }
  REQUIRE(released > active_count / 20);
}

TEST(Transfer, MultiReceive) {
  EXPECT_TRUE(as_pair({.send_flags = FI_COMPLETION | FI_DELIVERY_COMPLETE}, [](Side& side) {
    side.rank == 0 ? send_active_messages(side) : receive_active_messages(side);
  }));
}

/// Two endpoints per process are two peers: receives tell them apart.
TEST(Transfer, DirectedReceive) {
  EXPECT_TRUE(as_pair({.endpoints = 2}, [](Side& side) {
    if (side.rank == 0) {
      for (const int from : {0, 1})
        REQUIRE(fi_tinjectdata(side.endpoint(from), nullptr, 0, from, side.peer(0), 8) == 0);
      REQUIRE(fi_tinject(side.endpoint(0), nullptr, 0, side.peer(1), 9) == 0);
      return;
    }
    std::vector<std::byte> nothing;
    receive(side, nothing, 8, 0, 0, side.peer(1));
    Result result = side.next();
    REQUIRE(result.source == side.peer(1) && result.entry.data == 1);
    receive(side, nothing, 8, 0, 0, side.peer(0));
    result = side.next();
    REQUIRE(result.source == side.peer(0) && result.entry.data == 0);
    REQUIRE(fi_trecv(side.endpoint(1), nullptr, 0, nullptr, FI_ADDR_UNSPEC, 9, 0, context_of(1)) ==
            0);
    REQUIRE(side.next().entry.op_context == context_of(1));
  }));
}

TEST(Transfer, GathersAndScatters) {
  EXPECT_TRUE(as_pair({}, [](Side& side) {
    std::vector<std::byte> bytes = pattern(90'000, 3);
    if (side.rank == 1) std::fill(bytes.begin(), bytes.end(), std::byte{0});
    const std::array<std::size_t, 4> cuts{0, 1, 70'000, 90'000};
    std::array<iovec, 3> places{};
    for (std::size_t i = 0; i < 3; ++i) places[i] = {&bytes[cuts[i]], cuts[i + 1] - cuts[i]};
    if (side.rank == 0)
      REQUIRE(fi_tsendv(side.endpoint(), places.data(), nullptr, 3, side.peer(), 1, nullptr) == 0);
    else
      REQUIRE(fi_trecvv(side.endpoint(), places.data(), nullptr, 3, side.peer(), 1, 0, nullptr) ==
              0);
    REQUIRE(side.next().error.err == 0);
    REQUIRE(bytes == pattern(90'000, 3));
  }));
}

}  // namespace
}  // namespace suiro::fabric
