// SPDX-License-Identifier: BSD-3-Clause
// Counters as `suiro top` and --explain show them, and the socket over which they are asked for.
#include "net/protocol/statistics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "net/endpoint/statistics_report.hpp"
#include "net/endpoint/stats_socket.hpp"

namespace suiro::net {
namespace {

Statistics some_statistics() {
  Statistics statistics;
  statistics.eager_sent = 1234;
  statistics.eager_bytes_sent = 99'999'999;
  statistics.messages_received = 1000;
  statistics.unexpected = 125;
  statistics.rails[0] = {.sent_bytes = 1'500'000, .streams_opened = 3, .streams_lost = 1};
  return statistics;
}

const Reporter reporter{"node0", "a \xff \"b\"", 4711, 3, {"eth0 10.0.0.1", "eth1 10.0.1.1"}};

TEST(Statistics, AreOneJsonObjectOnOneLine) {
  const std::string text = to_json(reporter, some_statistics());
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const auto document = nlohmann::json::parse(text);
  EXPECT_EQ(document["rank"], 3);
  EXPECT_EQ(document["counters"]["unexpected"], 125);
  ASSERT_EQ(document["rails"].size(), 2U) << "shared memory was not used";
  EXPECT_EQ(document["rails"][0]["streams_lost"], 1);
}

TEST(Statistics, FitAScreen) {
  Statistics statistics = some_statistics();
  statistics.rails[max_rails].streams_opened = 1;
  const std::string text = to_text(reporter, statistics);
  EXPECT_THAT(text, testing::StartsWith("suiro: transport of rank 3 on node0"));
  EXPECT_THAT(text,
              testing::HasSubstr("eth0 10.0.0.1                1.5 MB        0 B        3     1"));
  EXPECT_THAT(text, testing::HasSubstr("shared memory"));
  EXPECT_THAT(text, testing::HasSubstr("1234 short messages (100.0 MB)"));
  EXPECT_THAT(text, testing::HasSubstr("12.5 % before their receive"));
  EXPECT_LT(std::ranges::count(text, '\n'), 24);
}

TEST(Statistics, NameThisProcess) {
  setenv("PMIX_RANK", "17", 1);
  const Reporter own = this_process({{"eth0", 0x0100000a, 24, 0}});
  EXPECT_EQ(own.rank, 17);
  EXPECT_EQ(own.process, getpid());
  EXPECT_THAT(own.rails, testing::ElementsAre("eth0 10.0.0.1"));
  unsetenv("PMIX_RANK");
}

/// A runtime folder for one test.
class StatsSockets : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/suiro-test-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
    setenv("XDG_RUNTIME_DIR", name, 1);
  }
  void TearDown() override {
    unsetenv("XDG_RUNTIME_DIR");
    std::filesystem::remove_all(folder_);
  }

  static Descriptor ask(const std::string& path) {
    Descriptor asker(socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    const auto* generic = reinterpret_cast<const sockaddr*>(&address);
    return connect(asker.number(), generic, sizeof address) == 0 ? std::move(asker) : Descriptor();
  }

  static int descriptor_now() {
    const StatsSocket socket([] { return "nothing"; });
    return socket.descriptor();
  }

  static std::string rest(const Descriptor& asker) {
    char bytes[100];
    const ssize_t count = read(asker.number(), bytes, sizeof bytes);
    return {bytes, count > 0 ? static_cast<std::size_t>(count) : 0};
  }

  std::string folder_;
};

TEST_F(StatsSockets, AnswerAllWhoAskAndVanish) {
  std::string path;
  {
    std::string text = "nobody asked";
    StatsSocket socket([&] { return text; });
    path = socket.path();
    EXPECT_THAT(path, testing::StartsWith(folder_ + "/suiro/"));
    struct stat status {};
    ASSERT_EQ(stat((folder_ + "/suiro").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700U);
    socket.answer();
    text = "counters";
    const Descriptor one = ask(path);
    const Descriptor other = ask(path);
    { const Descriptor impatient = ask(path); }
    ASSERT_TRUE(one && other);
    socket.answer();
    EXPECT_EQ(rest(one), "counters");
    EXPECT_EQ(rest(one), "") << "the end";
    EXPECT_EQ(rest(other), "counters");
    const pid_t child = fork();
    if (child == 0) {
      socket.~StatsSocket();
      _exit(0);
    }
    waitpid(child, nullptr, 0);
    EXPECT_TRUE(std::filesystem::exists(path)) << "a child that ends leaves it to its parent";
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(StatsSockets, DoNotTrustAFolderOfOthers) {
  ASSERT_EQ(mkdir((folder_ + "/suiro").c_str(), 0755), 0);
  ASSERT_EQ(chmod((folder_ + "/suiro").c_str(), 0755), 0);
  EXPECT_EQ(descriptor_now(), -1) << "others can enter";
  std::filesystem::remove(folder_ + "/suiro");
  std::filesystem::create_directory_symlink("/tmp", folder_ + "/suiro");
  EXPECT_EQ(descriptor_now(), -1) << "a link";
  setenv("XDG_RUNTIME_DIR", (folder_ + std::string(120, 'x')).c_str(), 1);
  EXPECT_EQ(descriptor_now(), -1) << "no folder, and no room for its name";
}

}  // namespace
}  // namespace suiro::net
