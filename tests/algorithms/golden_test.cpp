// SPDX-License-Identifier: BSD-3-Clause
// Every algorithm on 4 ranks. On two nodes of two ranks it is a text that a person has read; after
// a wanted change, write the file anew with
//   suiro-schedule show ALGORITHM --nodes 2 --ppn 2
// For other placements a hash of such a text is kept; the test tells the line that it should be.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "algorithms/catalog.hpp"
#include "base/hash.hpp"

namespace suiro {
namespace {

std::string name_of(const Algorithm& algorithm) {
  return fmt::format("{}-{}", algorithm.collective, algorithm.name);
}

std::string contents(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Golden, TextsOfFourRanks) {
  for (const Algorithm& algorithm : catalog()) {
    const std::string path = fmt::format("{}/schedules/{}.txt", SUIRO_GOLDEN, name_of(algorithm));
    const std::string golden = contents(path);
    const Schedule schedule = build(algorithm, Topology::block(2, 2));
    EXPECT_EQ(print(schedule), golden) << path;
    EXPECT_TRUE(equal(parse(golden), schedule)) << path;
  }
}

std::string line_of(const Algorithm& algorithm, const char* shape, const Topology& topology) {
  std::uint64_t hash = hash_begin;
  for (const char byte : print(build(algorithm, topology))) {
    hash = hash_with(hash, static_cast<std::uint8_t>(byte));
  }
  return fmt::format("{} {} {:016x}", name_of(algorithm), shape, hash);
}

TEST(Golden, HashesOfFourRanks) {
  std::istringstream text(contents(SUIRO_GOLDEN "/hashes.txt"));
  std::set<std::string> known;
  for (std::string line; std::getline(text, line);) known.insert(line);
  std::set<std::string> now;
  for (const Algorithm& algorithm : catalog()) {
    now.insert(line_of(algorithm, "4x1", Topology::block(4, 1)));
    now.insert(line_of(algorithm, "2x2-round_robin", Topology::round_robin(2, 2)));
  }
  for (const std::string& line : now) EXPECT_TRUE(known.contains(line)) << "should be: " << line;
  for (const std::string& line : known) EXPECT_TRUE(now.contains(line)) << "is no more: " << line;
}

}  // namespace
}  // namespace suiro
