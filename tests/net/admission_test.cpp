// SPDX-License-Identifier: BSD-3-Clause
// Which messages go at once: by what a peer says, without any peer.
#include "net/frames/admission.hpp"

#include <gtest/gtest.h>

namespace suiro::net {
namespace {

constexpr std::uint64_t kilo = 1 << 10;

struct AdmissionTest : testing::Test {
  AdmissionTest() { settings.cores = 2; }

  /// The peer lets so much more be sent.
  void give(std::uint64_t bytes) {
    given += bytes;
    EXPECT_TRUE(admission.hear_credit(static_cast<std::uint32_t>(first_credit + given)));
  }

  Settings settings;
  Admission admission{settings};
  std::uint64_t given = 0;
};

TEST_F(AdmissionTest, GivesNothingWithoutCredit) {
  EXPECT_FALSE(admission.may_be_eager(0));
  give(cost(100));
  EXPECT_TRUE(admission.may_be_eager(100));
  EXPECT_FALSE(admission.may_be_eager(101));
  admission.send_eager(100);
  EXPECT_EQ(admission.credit_left(), 0U);
  EXPECT_FALSE(admission.hear_credit(static_cast<std::uint32_t>(first_credit + given)));
}

TEST_F(AdmissionTest, CountsCreditPastTheEndOfItsFourBytes) {
  for (int i = 0; i < 10; ++i) {
    give(100 * kilo);
    ASSERT_TRUE(admission.may_be_eager(60 * kilo));
    admission.send_eager(60 * kilo);
  }
  EXPECT_EQ(admission.credit_left(), 10 * (100 * kilo - cost(60 * kilo)));
}

TEST_F(AdmissionTest, AsksForLongMessages) {
  give(kilo * kilo);
  EXPECT_TRUE(admission.may_be_eager(64 * kilo));
  EXPECT_FALSE(admission.may_be_eager(64 * kilo + 1));
  EXPECT_EQ(admission.request(128 * kilo).ahead_bytes, 0U);
  EXPECT_EQ(admission.credit_left(), kilo * kilo) << "the request itself costs nothing";
}

TEST_F(AdmissionTest, SendsAPartAheadOverAFarLink) {
  give(kilo * kilo);
  admission.set_ahead({.bytes = 200 * kilo, .only_whole = false});
  EXPECT_TRUE(admission.may_be_eager(200 * kilo));
  EXPECT_EQ(admission.request(500 * kilo).ahead_bytes, 200 * kilo);
  EXPECT_EQ(admission.credit_left(), kilo * kilo - cost(200 * kilo));
}

TEST_F(AdmissionTest, TellsWhatWouldHaveGoneAhead) {
  give(100 * kilo);
  admission.set_ahead({.bytes = 200 * kilo, .only_whole = false});
  const Admission::Request request = admission.request(500 * kilo);
  EXPECT_EQ(request.wished_bytes, 200 * kilo);
  EXPECT_EQ(request.ahead_bytes, 100 * kilo - cost(0));
}

TEST_F(AdmissionTest, SendsAWholeMessageOverANearLinkWhenTheLastIsTaken) {
  give(kilo * kilo);
  admission.set_ahead({.bytes = 100 * kilo, .only_whole = true});
  ASSERT_TRUE(admission.may_be_eager(100 * kilo));
  EXPECT_EQ(admission.request(101 * kilo).ahead_bytes, 0U) << "no part of a longer one";
  admission.send_eager(100 * kilo);
  EXPECT_FALSE(admission.may_be_eager(100 * kilo));
  EXPECT_TRUE(admission.may_be_eager(64 * kilo)) << "short ones do not wait";
  give(cost(100 * kilo));
  EXPECT_TRUE(admission.may_be_eager(100 * kilo));
}

TEST_F(AdmissionTest, SendsLongerOnesInTurns) {
  give(4 * kilo * kilo);
  admission.set_ahead({.bytes = 100 * kilo, .only_whole = true});
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_FALSE(admission.may_be_eager(800 * kilo));
    admission.hear_answer();
    admission.request(800 * kilo);
  }
  admission.hear_answer();
  EXPECT_TRUE(admission.may_be_eager(800 * kilo));
  settings.local_ranks = 3;  // more than cores
  EXPECT_FALSE(admission.may_be_eager(800 * kilo)) << "the peer may be away";
}

TEST_F(AdmissionTest, AsksNowAndThenAnyway) {
  admission.set_ahead({.bytes = 100 * kilo, .only_whole = false});
  int eager = 0;
  for (;; ++eager) {
    give(cost(100 * kilo));
    if (!admission.may_be_eager(100 * kilo)) break;
    admission.send_eager(100 * kilo);
  }
  EXPECT_EQ(eager, 64);
  admission.request(100 * kilo);
  EXPECT_TRUE(admission.may_be_eager(100 * kilo));
}

TEST_F(AdmissionTest, LetsShortMessagesWaitAsLongAsThereIsHope) {
  give(100 * kilo);
  for (int i = 0; i < 99; ++i) admission.send_eager(kilo - 64);
  EXPECT_TRUE(admission.should_wait(4 * kilo));
  EXPECT_FALSE(admission.should_wait(60 * kilo)) << "half of the most there was is less";
  admission.give_up_hope();
  for (int i = 0; i < 16; ++i) {
    ASSERT_FALSE(admission.should_wait(4 * kilo));
    admission.request(4 * kilo);
  }
  EXPECT_TRUE(admission.should_wait(4 * kilo));
  admission.leave();
  EXPECT_FALSE(admission.should_wait(4 * kilo));
}

}  // namespace
}  // namespace suiro::net
