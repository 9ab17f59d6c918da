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
  EXPECT_EQ(config.ports[1].stream_bps, 0);
  Json cloud = good();
  cloud["ports"][1]["stream_bps"] = 100'000'000;
  EXPECT_EQ(parse_config(cloud.dump()).ports[1].stream_bps, 100'000'000);
}

TEST(Config, SaysWhereItIsWrong) {
  EXPECT_EQ(problem("/model", "fifo"), "model: expected \"hol\", \"voq\", \"shared\" or \"pause\"");
  EXPECT_EQ(problem("/buffer_bytes", 3000),
            "buffer_bytes: expected a whole number from 3028 to 1073741824");
  EXPECT_EQ(problem("/ports/1/rate_bps", "50M"),
            "ports[1].rate_bps: expected a whole number from 100000 to 100000000000");
  EXPECT_EQ(problem("/ports/1/stream_bps", 1),
            "ports[1].stream_bps: expected a whole number from 100000 to 100000000000");
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

Json several() {
  Json document = good();
  document["switches"] = Json::parse(R"([{"name": "here"},
    {"name": "there", "model": "hol", "buffer_bytes": 8192}])");
  document["ports"][1]["switch"] = 1;
  document["links"] = Json::parse(R"([{"ends": [0, 1], "rate_bps": 2000000, "wan":
    {"rate_bps": 1000000, "delay_us": 10000, "buffer_bytes": 4096, "loss": 0.25}}])");
  return document;
}

TEST(Config, ReadsSeveralSwitches) {
  EXPECT_EQ(parse_config(good().dump()).switches.size(), 1U);
  const SwitchConfig config = parse_config(several().dump());
  ASSERT_EQ(config.switches.size(), 2U);
  EXPECT_EQ(config.switches[0].model, Model::voq);
  EXPECT_EQ(config.switches[0].buffer_bytes, 4096);
  EXPECT_EQ(config.switches[1].model, Model::hol);
  EXPECT_EQ(config.ports[1].at_switch, 1);
  ASSERT_EQ(config.links.size(), 1U);
  EXPECT_EQ(config.links[0].wan->delay, second / 100);
  EXPECT_EQ(config.links[0].wan->loss, 0.25);
}

TEST(Config, SaysWhereANetworkIsWrong) {
  const std::tuple<const char*, Json, const char*> wrong[] = {
      {"/switches", Json::array(), "switches: expected a list of 1 to 64 switches"},
      {"/switches/1/model", "x",
       "switches[1].model: expected \"hol\", \"voq\", \"shared\" or \"pause\""},
      {"/ports/0/switch", 2, "ports[0].switch: expected a whole number from 0 to 1"},
      {"/links/0/ends", {0}, "links[0].ends: expected a list of two switches"},
      {"/links/0/ends/1", 0, "links[0].ends: expected two different switches"},
      {"/links/0/wan/loss", 1, "links[0].wan.loss: expected a fraction below 1"},
      {"/links/0/wan/delay", 1, "links[0].wan: unknown key \"delay\""}};
  for (const auto& [pointer, value, message] : wrong) {
    Json document = several();
    document[Json::json_pointer(pointer)] = value;
    EXPECT_EQ(problem(document), message);
  }
}

TEST(Config, RefusesWhatIsNotJson) {
  EXPECT_THAT([] { parse_config("{\"model\": "); },
              testing::ThrowsMessage<ConfigError>(testing::StartsWith("not JSON, near byte")));
}

}  // namespace
}  // namespace suiro
