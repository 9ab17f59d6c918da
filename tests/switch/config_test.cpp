// SPDX-License-Identifier: BSD-3-Clause
#include "switch/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace suiro {
namespace {

using Json = nlohmann::json;

Json good() {
  return Json::parse(R"({"model": "voq", "buffer_bytes": 4096, "control": "/tmp/c", "ports": [
    {"name": "host0", "tap": "sw0", "mac": "02:00:00:00:00:01", "rate_bps": 50000000},
    {"name": "host1", "tap": "sw1", "mac": "02:00:00:00:00:fF", "rate_bps": 1000000000}]})");
}

std::string problem(const Json& document) {
  try {
    parse_config(document.dump());
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

/// The problem of the good document with one value, named by a JSON pointer, replaced.
std::string problem(const char* pointer, const Json& value) {
  Json document = good();
  document[Json::json_pointer(pointer)] = value;
  return problem(document);
}

TEST(Config, ReadsADocument) {
  const SwitchConfig config = parse_config(good().dump());
  EXPECT_EQ(config.model, Model::voq);
  EXPECT_EQ(config.buffer_bytes, 4096);
  EXPECT_EQ(config.mtu_bytes, 1500);
  EXPECT_TRUE(config.realtime);
  ASSERT_EQ(config.ports.size(), 2U);
  EXPECT_EQ(config.ports[1].address, 0x0200000000ffU);
  EXPECT_EQ(config.ports[1].rate_bps, 1'000'000'000);
}

TEST(Config, SaysWhereItIsWrong) {
  EXPECT_EQ(problem("/model", "fifo"), "model: expected \"hol\", \"voq\", \"shared\" or \"pause\"");
  EXPECT_EQ(problem("/buffer_bytes", 3000),
            "buffer_bytes: expected a whole number from 3028 to 1073741824");
  EXPECT_EQ(problem("/ports/1/rate_bps", "50M"),
            "ports[1].rate_bps: expected a whole number from 100000 to 100000000000");
  EXPECT_EQ(problem("/ports/1/rate_bps", 18446744073709551615U),
            "ports[1].rate_bps: expected a whole number from 100000 to 100000000000");
  for (const char* address : {"02:00:00:00:00", "03:00:00:00:00:01", "02:00:00:00:00:0g", "x"}) {
    EXPECT_EQ(problem("/ports/0/mac", address),
              "ports[0].mac: expected a unicast address such as 02:00:00:00:00:01");
  }
  EXPECT_EQ(problem("/ports/1/mac", "02:00:00:00:00:01"),
            "ports[1].mac: expected an address that no other port has");
  EXPECT_EQ(problem("/ports/1/tap", "sw0"),
            "ports[1].tap: expected a device that no other port has");
  EXPECT_EQ(problem("/ports/0/tap", "a-name-that-is-too-long"),
            "ports[0].tap: expected the name of an interface, of at most 15 characters");
  EXPECT_EQ(problem("/ports", Json::array()), "ports: expected a list of 2 to 64 ports");
  EXPECT_EQ(problem("/realtime", 1), "realtime: expected true or false");
  EXPECT_EQ(problem("/modle", "hol"), "the document: unknown key \"modle\"");
  EXPECT_EQ(problem(Json::array()), "the document: expected an object");
}

TEST(Config, RefusesWhatIsNotJson) {
  EXPECT_THAT([] { parse_config("{\"model\": "); },
              testing::ThrowsMessage<ConfigError>(testing::StartsWith("not JSON, near byte")));
}

}  // namespace
}  // namespace suiro
