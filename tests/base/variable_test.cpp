// SPDX-License-Identifier: BSD-3-Clause
// What a variable takes, and what is said of anything else.
#include "base/variable.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <stdexcept>

#include "base/variables.hpp"

namespace suiro {
namespace {

constexpr Switch light{{"SUIRO_TEST", "on or off"}, true};
constexpr std::array<std::string_view, 2> colours{"red", "blue"};
constexpr Choice colour{{"SUIRO_TEST", "red or blue"}, "red", colours};
constexpr Number size{{"SUIRO_TEST", "a size from 1K to 1M"}, 4096, 1024, 1 << 20, true};
constexpr Number count{{"SUIRO_TEST", "a number from 1"}, 0, 1, INT32_MAX, false};
constexpr Variable secret{"SUIRO_TEST", "letters", true};

class VariableTest : public testing::Test {
 protected:
  ~VariableTest() override { unsetenv("SUIRO_TEST"); }

  static void set(const char* value) { setenv("SUIRO_TEST", value, 1); }

  template <typename Read>
  static std::string refused(Read read) {
    try {
      read();
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(VariableTest, WhatIsUsualHoldsWithoutOne) {
  EXPECT_TRUE(is_on(light));
  EXPECT_EQ(choice_of(colour), "red");
  EXPECT_EQ(number_of(size), 4096);
  set("");
  EXPECT_EQ(number_of(count), 0);
  EXPECT_EQ(value_of(secret), nullptr);
}

TEST_F(VariableTest, WhatIsSetHolds) {
  set("off");
  EXPECT_FALSE(is_on(light));
  set("1");
  EXPECT_TRUE(is_on(light));
  set("blue");
  EXPECT_EQ(choice_of(colour), "blue");
  set("64K");
  EXPECT_EQ(number_of(size), 65536);
  set("1M");
  EXPECT_EQ(number_of(size), 1 << 20);
}

TEST_F(VariableTest, AnythingElseIsToldInOneLine) {
  set("perhaps\n");
  EXPECT_EQ(refused([] { is_on(light); }), "SUIRO_TEST=perhaps?: expected on or off");
  EXPECT_EQ(refused([] { choice_of(colour); }), "SUIRO_TEST=perhaps?: expected red or blue");
  for (const char* value : {"1", "2M", "1Q", "-1K", "99999999999999999999", "9999999999G", "K"}) {
    set(value);
    EXPECT_EQ(refused([] { number_of(size); }),
              std::string("SUIRO_TEST=") + value + ": expected a size from 1K to 1M");
  }
  set("1K");
  EXPECT_EQ(refused([] { number_of(count); }), "SUIRO_TEST=1K: expected a number from 1");
  EXPECT_EQ(refused([] { refuse(secret, "abc"); }), "SUIRO_TEST=(hidden): expected letters");
}

TEST(Variables, AreThoseOfTheFile) {
  EXPECT_EQ(variables::net_eager.usual, 64 << 10);
  EXPECT_STREQ(variables::net_rails.expected, "balanced, static or striped");
  EXPECT_TRUE(variables::job_secret.secret);
}

}  // namespace
}  // namespace suiro
