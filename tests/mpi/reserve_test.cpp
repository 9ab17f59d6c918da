// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/underneath/reserve.hpp"

#include <gtest/gtest.h>

#include <new>

namespace suiro::mpi {
namespace {

TEST(Reserve, IsGivenBackOnceAndHadAgain) {
  keep_reserve();
  EXPECT_TRUE(has_reserve());
  const std::new_handler handler = std::get_new_handler();
  EXPECT_NO_THROW(handler());
  EXPECT_THROW(handler(), std::bad_alloc);
  EXPECT_TRUE(has_reserve());
  EXPECT_NO_THROW(handler());
  std::set_new_handler(nullptr);
}

}  // namespace
}  // namespace suiro::mpi
