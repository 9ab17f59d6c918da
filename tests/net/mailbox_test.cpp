// SPDX-License-Identifier: BSD-3-Clause
// Messages and receives that meet, with nobody at the other end but a list of what it was told.
#include "net/operations/mailbox.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace suiro::net {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Sender : public Origin {
 public:
  void fetch(Receive& receive, std::uint64_t transfer, std::uint64_t) override {
    heard.push_back("fetch " + std::to_string(transfer));
    fetched = &receive;
    receive.origin = this;
  }
  void came_ahead(Receive&) override { heard.emplace_back("came ahead"); }
  void decline(std::uint64_t transfer) override {
    heard.push_back("decline " + std::to_string(transfer));
  }
  void abandon(Receive&) override { heard.emplace_back("abandon"); }
  void consumed(std::uint64_t bytes) override { free += bytes; }

  std::vector<std::string> heard;
  Receive* fetched = nullptr;
  std::uint64_t free = 0;
};

struct Told : CompletionSink {
  void complete(const Completion& completion) override { list.push_back(completion); }
  std::vector<Completion> list;
};

struct MailboxTest : testing::Test {
  static constexpr Peer peer = 3;

  Envelope envelope(std::uint64_t tag, std::uint64_t length) const {
    return {.source = peer, .tag = tag, .length = length};
  }

  Unexpected& arrive(std::uint64_t tag, const std::string& text) {
    Header header;
    header.kind = FrameKind::eager;
    header.payload_bytes = static_cast<std::uint32_t>(text.size());
    Unexpected& message = mailbox.keep(envelope(tag, text.size()), header, sender);
    std::memcpy(message.payload.bytes.get(), text.data(), text.size());
    mailbox.arrived(message);
    return message;
  }

  void announce(std::uint64_t tag, std::uint64_t length, std::uint64_t number) {
    Header header;
    header.kind = FrameKind::request;
    header.transfer = number;
    mailbox.arrived(mailbox.keep(envelope(tag, length), header, sender));
  }

  ReceiveRequest request(std::uint64_t tag) {
    ReceiveRequest request;
    request.pattern = {.source = peer, .tag = tag};
    request.buffers = {&place, 1};
    request.sink = &told;
    request.context = this;
    return request;
  }

  Settings settings;
  Statistics statistics;
  Sends sends{settings, statistics};
  Mailbox mailbox{settings, statistics, sends};
  Sender sender;
  Told told;
  std::string buffer = std::string(10, '.');
  iovec place{buffer.data(), buffer.size()};
};

TEST_F(MailboxTest, KeepsWhatComesBeforeItsReceive) {
  arrive(1, "hello");
  EXPECT_EQ(sender.free, 0U);
  ASSERT_EQ(mailbox.receive(request(1)), Status::ok);
  EXPECT_EQ(buffer, "hello.....");
  EXPECT_EQ(sender.free, cost(5));
  ASSERT_EQ(told.list.size(), 1U);
  EXPECT_EQ(told.list[0].length, 5U);
}

TEST_F(MailboxTest, FetchesALongMessageOnceThereIsAReceive) {
  announce(1, 1 << 20, 77);
  EXPECT_THAT(sender.heard, IsEmpty());
  mailbox.receive(request(1));
  EXPECT_THAT(sender.heard, ElementsAre("fetch 77"));
  EXPECT_THAT(told.list, IsEmpty());
  mailbox.finish(*sender.fetched, Status::ok);
  EXPECT_EQ(told.list.at(0).status, Status::truncated);
  EXPECT_EQ(told.list.at(0).excess, (1U << 20) - 10);
}

TEST_F(MailboxTest, DeclinesWhatNobodyWants) {
  announce(1, 1 << 20, 77);
  arrive(2, "hello");
  mailbox.close();
  EXPECT_THAT(sender.heard, ElementsAre("decline 77"));
  announce(3, 1 << 20, 78);
  EXPECT_THAT(sender.heard, ElementsAre("decline 77", "decline 78"));
}

TEST_F(MailboxTest, TellsOfThoseWhoWaitForALostPeer) {
  mailbox.receive(request(1));
  mailbox.lose(sender, peer);
  ASSERT_EQ(told.list.size(), 1U);
  EXPECT_EQ(told.list[0].status, Status::unreachable);
  mailbox.receive(request(1));
  EXPECT_EQ(told.list.at(1).status, Status::unreachable) << "at once from now on";
  EXPECT_EQ(mailbox.unreachable(), 2U);
}

TEST_F(MailboxTest, GivesWhatALostPeerHadSent) {
  arrive(1, "hello");
  announce(2, 1 << 20, 77);
  mailbox.lose(sender, peer);
  mailbox.receive(request(1));
  EXPECT_EQ(buffer, "hello.....");
  mailbox.receive(request(2));
  EXPECT_EQ(told.list.at(1).status, Status::unreachable);
}

TEST_F(MailboxTest, KeepsAClaimedMessageForItsContext) {
  arrive(1, "hello");
  PeekRequest peek;
  peek.pattern = {.source = peer, .tag = 1};
  peek.claim = true;
  peek.context = this;
  peek.sink = &told;
  mailbox.peek(peek);
  ASSERT_EQ(told.list.at(0).length, 5U);
  mailbox.receive(request(1));
  EXPECT_EQ(told.list.size(), 1U) << "it cannot be matched";
  EXPECT_EQ(mailbox.receive_claimed(request(0)), Status::ok);
  EXPECT_EQ(buffer, "hello.....");
  EXPECT_EQ(mailbox.receive_claimed(request(0)), Status::invalid);
}

TEST_F(MailboxTest, CutsOneBufferForSeveralMessages) {
  ReceiveRequest multi = request(0);
  multi.pattern.ignore = ~std::uint64_t{0};
  multi.multi = true;
  multi.multi_minimum = 4;
  mailbox.receive(multi);
  for (const char* text : {"abc", "defg"}) {
    Receive* part = mailbox.match(envelope(9, std::strlen(text)));
    ASSERT_NE(part, nullptr);
    part->buffers.put(0, std::as_bytes(std::span(text, std::strlen(text))));
    mailbox.finish(*part, Status::ok);
  }
  EXPECT_EQ(buffer, "abcdefg...");
  EXPECT_FALSE(told.list.at(0).buffer_released);
  EXPECT_TRUE(told.list.at(1).buffer_released) << "less than the minimum is left";
  EXPECT_EQ(mailbox.match(envelope(9, 1)), nullptr);
}

TEST_F(MailboxTest, CancelsTheFirstOfAContext) {
  mailbox.receive(request(1));
  EXPECT_TRUE(mailbox.cancel(this));
  EXPECT_EQ(told.list.at(0).status, Status::cancelled);
  EXPECT_FALSE(mailbox.cancel(this));
}

TEST_F(MailboxTest, ForgetsASinkAndLetsGoOfItsMemory) {
  announce(1, 1 << 20, 77);
  mailbox.receive(request(1));
  mailbox.receive(request(2));
  sender.fetched->transfer = reinterpret_cast<Transfer*>(1);  // the engine's, for whoever is not it
  mailbox.forget(&told);
  EXPECT_THAT(sender.heard, ElementsAre("fetch 77", "abandon"));
  EXPECT_EQ(sender.fetched->buffers.bytes(), 0U);
  EXPECT_EQ(mailbox.match(envelope(2, 1)), nullptr);
  EXPECT_THAT(told.list, IsEmpty());
  sender.fetched->transfer = nullptr;
}

}  // namespace
}  // namespace suiro::net
