// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/job/relay.hpp"

#include <gmock/gmock.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <random>
#include <string>
#include <system_error>

namespace suiro::mpi {
namespace {

const std::string secret_line = "suiro 1 secret\n";
const std::string greeting = secret_line + "hello\n";

void say(int socket, const std::string& text) {
  pollfd free{socket, POLLOUT, 0};
  poll(&free, 1, -1);
  ASSERT_EQ(send(socket, text.data(), text.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(text.size()));
}

/// The next bytes, as many as are expected; fewer if the stream ends.
std::string heard(int socket, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) {
    pollfd waiting{socket, POLLIN, 0};
    poll(&waiting, 1, -1);
    std::array<char, 4096> next;
    const ssize_t count =
        recv(socket, next.data(), std::min(next.size(), bytes - text.size()), MSG_DONTWAIT);
    if (count == 0 || (count < 0 && errno != EAGAIN)) break;
    if (count > 0) text.append(next.data(), static_cast<std::size_t>(count));
  }
  return text;
}

bool has_ended(int socket) { return heard(socket, 1).empty(); }

/// A relay, and the end of its line that `suiro run` has.
class ARelay : public testing::Test {
 protected:
  ARelay() {
    std::array<int, 2> ends{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()), 0);
    service = Descriptor(ends[0]);
    relay.begin(Descriptor(ends[1]));
  }

  Descriptor rank() const {
    Descriptor socket = connect_to_relay(name);
    EXPECT_TRUE(socket);
    return socket;
  }

  const std::string name = meeting_name("relay_test of " + std::to_string(getpid()));
  Descriptor service;
  Relay relay{name, greeting};
};

TEST_F(ARelay, PassesOnWhatEachSaysAndHears) {
  const Descriptor first = rank();
  say(first.number(), greeting + "{\"a\":1}\n{\"b\"");
  EXPECT_EQ(heard(service.number(), 18), "1 hello\n1 {\"a\":1}\n");
  const Descriptor second = rank();
  say(second.number(), greeting);
  EXPECT_EQ(heard(service.number(), 8), "2 hello\n");
  say(first.number(), ":2}\n");
  EXPECT_EQ(heard(service.number(), 10), "1 {\"b\":2}\n");
  say(service.number(), "2 ok\n1 o");
  EXPECT_EQ(heard(second.number(), 3), "ok\n");
  say(service.number(), "n\n");
  EXPECT_EQ(heard(first.number(), 3), "on\n");
}

TEST_F(ARelay, TellsWhoIsGoneAndLetsGoWhoIsToGo) {
  Descriptor first = rank();
  Descriptor second = rank();
  say(first.number(), greeting);
  EXPECT_EQ(heard(service.number(), 8), "1 hello\n");
  say(second.number(), greeting);
  EXPECT_EQ(heard(service.number(), 8), "2 hello\n");
  first.close();
  EXPECT_EQ(heard(service.number(), 2), "1\n");
  say(service.number(), "2\n");
  EXPECT_TRUE(has_ended(second.number()));
}

TEST_F(ARelay, BelievesNobodyWithoutTheSecret) {
  const Descriptor stranger = rank();
  say(stranger.number(), "suiro 1 secreT\nhello\n");
  EXPECT_TRUE(has_ended(stranger.number()));
  const Descriptor fresh = rank();
  say(fresh.number(), greeting);
  EXPECT_EQ(heard(service.number(), 8), "2 hello\n");  // and nothing of the stranger's
}

TEST_F(ARelay, EndsWithTheLastRank) {
  Descriptor last = rank();
  say(last.number(), greeting);
  EXPECT_EQ(heard(service.number(), 8), "1 hello\n");
  const Descriptor silent = rank();  // says nothing, and holds nobody up
  relay.end_when_empty();
  EXPECT_TRUE(has_ended(silent.number()));
  EXPECT_FALSE(relay.has_ended());
  last.close();
  EXPECT_EQ(heard(service.number(), 2), "1\n");
  EXPECT_TRUE(has_ended(service.number()));
}

TEST_F(ARelay, LetsAllGoWhenTheServiceIsGone) {
  const Descriptor one = rank();
  say(one.number(), greeting);
  EXPECT_EQ(heard(service.number(), 8), "1 hello\n");
  service.close();
  EXPECT_TRUE(has_ended(one.number()));
}

TEST_F(ARelay, TakesAnyBytesFromTheService) {
  const Descriptor one = rank();
  say(one.number(), greeting);
  EXPECT_EQ(heard(service.number(), 8), "1 hello\n");
  std::mt19937 random(1);
  const std::string signs = "023456789 \n-x";
  for (int line = 0; line < 2000; ++line) {
    std::string text;  // of no rank that is there
    while (random() % 8 != 0) text += signs[random() % signs.size()];
    say(service.number(), text + "\n");
  }
  say(service.number(), "99999999999999999999999 ok\n \n\n1 ok\n");
  EXPECT_EQ(heard(one.number(), 3), "ok\n");
}

/// A process that is gone may have left its connection to a child.
TEST_F(ARelay, DoesNotWaitForTheDead) {
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(pipe(pipe_ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const Descriptor mine = connect_to_relay(name);
    (void)!write(mine.number(), greeting.data(), greeting.size());
    if (fork() == 0) {  // keeps all open until the test is over
      close(pipe_ends[1]);
      char end = 0;
      (void)!read(pipe_ends[0], &end, 1);
    }
    _exit(0);
  }
  EXPECT_EQ(heard(service.number(), 8), "1 hello\n");
  waitpid(child, nullptr, 0);
  relay.end_when_empty();
  EXPECT_EQ(heard(service.number(), 2), "1\n");
  EXPECT_TRUE(has_ended(service.number()));
  close(pipe_ends[1]);
}

TEST(MeetingName, IsTakenByOneProcess) {
  const std::string name = meeting_name("another of " + std::to_string(getpid()));
  const Relay first(name, greeting);
  std::optional<int> code;
  try {
    const Relay second(name, greeting);
  } catch (const std::system_error& error) {
    code = error.code().value();
  }
  EXPECT_EQ(code, EADDRINUSE);
}

TEST(MeetingName, DoesNotGiveTheSecretAway) {
  EXPECT_EQ(meeting_name("abc").find("abc"), std::string::npos);
  EXPECT_NE(meeting_name("abc"), meeting_name("abd"));
}

}  // namespace
}  // namespace suiro::mpi
