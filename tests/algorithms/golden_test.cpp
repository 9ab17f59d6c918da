// SPDX-License-Identifier: BSD-3-Clause
// Every algorithm on 4 ranks, as text that a person has read. After a wanted change, write the
// files anew with
//   suiro-schedule show ALGORITHM --nodes N --ppn P --order ORDER
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "algorithms/catalog.hpp"

namespace suiro {
namespace {

struct Shape {
  const char* name;
  Topology topology;
};

std::vector<Shape> four_rank_shapes() {
  return {{"4x1", Topology::block(4, 1)},
          {"2x2", Topology::block(2, 2)},
          {"2x2-round_robin", Topology::round_robin(2, 2)}};
}

TEST(Golden, SchedulesOfFourRanks) {
  for (const Algorithm& algorithm : catalog()) {
    for (const Shape& shape : four_rank_shapes()) {
      const std::string path = std::string(SUIRO_GOLDEN "/") + std::string(algorithm.collective) +
                               "-" + std::string(algorithm.name) + "-" + shape.name + ".txt";
      std::ifstream file(path);
      ASSERT_TRUE(file) << path;
      std::ostringstream golden;
      golden << file.rdbuf();
      const Schedule schedule = build(algorithm, shape.topology);
      EXPECT_EQ(print(schedule), golden.str()) << path;
      EXPECT_TRUE(equal(parse(golden.str()), schedule)) << path;
    }
  }
}

}  // namespace
}  // namespace suiro
