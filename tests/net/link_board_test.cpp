// SPDX-License-Identifier: BSD-3-Clause
// What processes of a host tell each other of their links, and where.
#include "net/links/link_board.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "net/links/shared_board.hpp"

namespace suiro::net {
namespace {

constexpr std::int64_t millisecond = 1'000'000;

Nonce nonce(std::uint8_t number) {
  Nonce made{};
  made[0] = number;
  return made;
}

TEST(LinkBoard, OthersAreSeenAsLongAsTheyHoldTheirWord) {
  LinkBoard board{};
  LinkLoads one(&board, nonce(1)), other(&board, nonce(2));
  one.asked(3, 1000, 0);
  EXPECT_EQ(one.own(3), 1000);
  EXPECT_EQ(one.others(3, 0), 0);
  EXPECT_EQ(other.others(3, 0), 1000);
  EXPECT_EQ(other.others(2, 0), 0);
  one.arrived(3, 400, millisecond);
  EXPECT_EQ(other.others(3, millisecond), 600);
  EXPECT_EQ(other.others(3, 500 * millisecond), 600);
  EXPECT_EQ(other.others(3, 502 * millisecond), 0);
  one.lost(3, 600, millisecond);
  EXPECT_EQ(one.own(3), 0);
  EXPECT_EQ(other.others(3, millisecond), 0) << "on others' links nobody is expected again";
}

TEST(LinkBoard, WhoseLinkItIsCountsForAWhileLonger) {
  LinkBoard board{};
  LinkLoads owner(&board, nonce(1)), other(&board, nonce(2));
  owner.planned(0, 0, 3000, 0);
  EXPECT_EQ(other.others(0, 0), 3000);
  owner.asked(0, 3000, 0);
  owner.planned(0, 3000, 0, 0);
  owner.arrived(0, 3000, 10 * millisecond);
  EXPECT_EQ(owner.own(0), 0);
  EXPECT_EQ(other.others(0, 10 * millisecond), 3000);
  EXPECT_NEAR(other.others(0, 15 * millisecond), 1500, 1);
  owner.planned(0, 0, 1000, 15 * millisecond);
  EXPECT_NEAR(other.others(0, 16 * millisecond), 1200, 1) << "more may come";
  EXPECT_EQ(other.others(0, 21 * millisecond), 1000);
}

TEST(LinkBoard, RatesAreEverybodys) {
  LinkBoard board{};
  LinkLoads one(&board, nonce(1)), other(&board, nonce(2));
  EXPECT_EQ(one.rate(0), 0);
  constexpr double second = 1e9;
  const auto seconds = [&](double number) { return static_cast<std::int64_t>(number * second); };
  const auto measure = [&](LinkLoads& loads, double rate, double took_s, double now_s) {
    loads.measured(0, rate * took_s * second, seconds(took_s), seconds(now_s));
  };
  measure(one, 8, 0.05, 1);
  EXPECT_NEAR(other.rate(0), 8, 1e-6);
  measure(other, 0.1, 0.05, 1.1);
  EXPECT_NEAR(one.rate(0), 7.9, 0.01) << "a sender that is busy says little about the link";
  measure(one, 1000, 0.05, 1.1);
  EXPECT_LT(one.rate(0), 10);
  measure(one, 1000, 0.001, 1.1);
  EXPECT_LT(one.rate(0), 10.1) << "who was away finds much at once";
  for (int times = 0; times < 1000; ++times) measure(one, 0.1, 0.05, 1.2 + 0.001 * times);
  EXPECT_GT(one.rate(0), 8) << "however many look";
  for (int times = 0; times < 100; ++times) measure(one, 0.1, 0.05, 3 + times);
  EXPECT_NEAR(one.rate(0), 0.1, 0.02);
}

TEST(LinkBoard, NonsenseInItDoesNoHarm) {
  LinkBoard board{};
  std::memset(static_cast<void*>(&board), 0xff, sizeof board);
  LinkLoads one(&board, nonce(1));
  one.asked(0, 10, 0);
  EXPECT_EQ(one.rate(0), 0) << "no number";
  EXPECT_EQ(one.others(0, 0), 0) << "nobody's word holds for ever";
}

TEST(LinkBoard, ACrowdCountsForItself) {
  LinkBoard board{};
  std::vector<std::unique_ptr<LinkLoads>> crowd;
  for (std::size_t one = 0; one <= LinkBoard::places; ++one) {
    Nonce name{};
    name[0] = static_cast<std::uint8_t>(one);
    name[1] = static_cast<std::uint8_t>(1 + one / 256);
    crowd.push_back(std::make_unique<LinkLoads>(&board, name));
    crowd.back()->asked(0, 1, 0);
  }
  EXPECT_EQ(crowd.front()->others(0, 0), LinkBoard::places - 1);
  EXPECT_EQ(crowd.back()->others(0, 0), LinkBoard::places);
  crowd.front().reset();
  crowd.back()->asked(0, 1, 0);
  EXPECT_EQ(crowd[1]->others(0, 0), LinkBoard::places) << "the place that became free";
}

class SharedBoards : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(folder_);
    setenv("XDG_RUNTIME_DIR", folder_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("XDG_RUNTIME_DIR");
    std::filesystem::remove_all(folder_);
  }

  const std::string folder_ = testing::TempDir() + "boards-" + std::to_string(getpid());
  const std::vector<host::Link> links_{{.interface = "a", .address = 1},
                                       {.interface = "b", .address = 2}};
};

TEST_F(SharedBoards, AreSharedAndGoWithTheLast) {
  std::optional<SharedBoard> one(std::in_place, 7, links_);
  ASSERT_NE(one->get(), nullptr);
  const std::string path = one->path();
  {
    const SharedBoard other(7, links_), elsewhere(8, links_);
    one->get()->coming.links[0].received_bytes = 5;
    EXPECT_EQ(other.get()->coming.links[0].received_bytes, 5);
    EXPECT_EQ(elsewhere.get()->coming.links[0].received_bytes, 0);
  }
  EXPECT_TRUE(std::filesystem::exists(path));
  one.reset();
  EXPECT_TRUE(std::filesystem::is_empty(folder_ + "/suiro"));
}

TEST_F(SharedBoards, ThereIsNoneForOneLinkOrWhereNoneCanBe) {
  EXPECT_EQ(SharedBoard(7, {links_[0]}).get(), nullptr);
  const std::string path = SharedBoard(7, links_).path();
  std::filesystem::create_directory(path);
  EXPECT_EQ(SharedBoard(7, links_).get(), nullptr);
  EXPECT_TRUE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace suiro::net
