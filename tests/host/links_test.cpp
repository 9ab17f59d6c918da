// SPDX-License-Identifier: BSD-3-Clause
// Which interfaces of a machine become rails: of machines made up here, and of a network namespace.
#include "host/links.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

#include "host/interfaces.hpp"

namespace suiro::host {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

using Kind = InterfaceKind;

std::uint32_t address(const char* text) { return inet_addr(text); }

Interface with(const char* name, const char* text, std::uint8_t prefix, Kind kind = Kind::ordinary,
               std::uint32_t megabits = 1000) {
  return {{name, address(text), prefix, megabits}, kind, kind == Kind::unusable ? "down" : ""};
}

const Interface lo = with("lo", "127.0.0.1", 8, Kind::loopback, 0);
const Interface docker = with("docker0", "172.17.0.1", 16, Kind::containers, 10000);
const Interface vpn = with("wg0", "10.9.0.1", 24, Kind::tunnel);

std::vector<std::string> names(const std::vector<Interface>& interfaces,
                               const std::vector<std::string>& networks = {}) {
  std::vector<std::string> result;
  for (const Link& link : choose_links(interfaces, networks)) result.push_back(link.interface);
  return result;
}

std::string refusal(const std::vector<Interface>& interfaces,
                    const std::vector<std::string>& networks) {
  try {
    choose_links(interfaces, networks);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(Links, AreOrdinaryInterfacesTheFastestFirst) {
  EXPECT_THAT(names({lo, docker, with("eth1", "10.0.1.1", 24), with("eth0", "10.0.0.1", 24),
                     with("ib0", "10.0.2.1", 24, Kind::ordinary, 40000), vpn,
                     with("eth5", "10.0.5.1", 24, Kind::unusable)}),
              ElementsAre("ib0", "eth0", "eth1"));
}

TEST(Links, AreOnePerNetworkAndInterface) {
  EXPECT_THAT(names({with("eth0", "10.0.0.1", 24), with("eth1", "10.0.0.2", 24),
                     with("eth0", "10.0.7.1", 24), with("eth2", "10.0.0.9", 8)}),
              ElementsAre("eth0"));
}

TEST(Links, AreAtMostEight) {
  std::vector<Interface> many;
  for (int i = 0; i < 12; ++i) {
    many.push_back(with(("eth" + std::to_string(i)).c_str(),
                        ("10.0." + std::to_string(i) + ".1").c_str(), 24));
  }
  EXPECT_EQ(names(many).size(), 8U);
}

TEST(Links, FallBackToWhatThereIs) {
  const Interface bridge = with("br0", "10.0.0.1", 24, Kind::bridge);
  const Interface radio = with("wlan0", "10.0.1.1", 24, Kind::wireless);
  EXPECT_THAT(names({lo, docker, radio, bridge}), ElementsAre("br0"));
  EXPECT_THAT(names({lo, docker, radio}), ElementsAre("wlan0"));
  EXPECT_THAT(names({docker, vpn, lo}), ElementsAre("lo"));
}

TEST(Links, AreWhatIsAskedForInThatOrder) {
  const std::vector<Interface> machine = {lo,
                                          docker,
                                          vpn,
                                          with("eth0", "10.0.0.1", 24),
                                          with("eth1", "10.0.1.1", 24),
                                          with("eth2", "10.0.1.2", 24)};
  EXPECT_THAT(names(machine, {"10.0.1.0/24", " eth0"}), ElementsAre("eth1", "eth0"));
  EXPECT_THAT(names(machine, {"eth1", "eth2"}), ElementsAre("eth1", "eth2")) << "on one network";
  EXPECT_THAT(names(machine, {"10.0.0.0/16"}), ElementsAre("eth0", "eth1"));
  EXPECT_THAT(names(machine, {"10.0.1.2"}), ElementsAre("eth2"));
  EXPECT_THAT(names(machine, {"127.0.0.0/8"}), ElementsAre("lo"));
  EXPECT_THAT(names(machine, {"wg0", "docker0", "eth9"}), ElementsAre("wg0", "docker0"));
}

TEST(Links, SayWhatThereIsWhenNothingFits) {
  const std::vector<Interface> machine = {with("eth0", "10.0.0.1", 24, Kind::unusable), docker};
  EXPECT_EQ(refusal(machine, {"eth0", "10.3.0.0/16"}),
            "SUIRO_NETS=eth0,10.3.0.0/16 fits no interface that can be used; there are: eth0 "
            "10.0.0.1/24 (down), docker0 172.17.0.1/16 (of containers or virtual machines)");
  EXPECT_EQ(refusal({docker}, {}),
            "no network interface can be used: docker0 172.17.0.1/16 (of containers or virtual "
            "machines); SUIRO_NETS=NAME takes one");
  EXPECT_THAT(refusal({}, {}), HasSubstr("can be used: none;"));
}

TEST(Links, RefuseWishesThatMakeNoSense) {
  for (const char* wish : {"", " ", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/x", "eth0/24", "/"}) {
    EXPECT_THAT(refusal({lo}, {"lo", wish}), HasSubstr("neither an interface nor a network"))
        << wish;
  }
}

TEST(NodeLinks, AreTheFastestOnes) {
  const std::vector<Link> links = {
      {"eth0", 1, 24, 10000}, {"eth1", 2, 24, 1000}, {"eth2", 3, 24, 10000}};
  EXPECT_EQ(fastest_of(links).megabits, 10000U);
  EXPECT_EQ(fastest_of(links).count, 2);
  EXPECT_EQ(fastest_of({{"tap0", 1, 24, 0}, {"tap1", 2, 24, 0}}).count, 2);
  EXPECT_EQ(fastest_of({}).count, 1);
}

/// Runs in a child, which alone enters the namespace: the addresses that were found, as text.
std::string links_in_namespace(const char* commands) {
  if (unshare(CLONE_NEWNET) != 0) return "skip";
  if (std::system(commands) != 0) return "the commands failed";
  std::string text;
  for (const Interface& found : find_interfaces()) {
    text += found.link.interface + "=" + std::to_string(static_cast<int>(found.kind)) + "/" +
            std::to_string(found.link.prefix) + "/" + std::to_string(found.link.megabits) + " ";
  }
  text += ":";
  for (const Link& link : usable_links({})) text += " " + link.interface;
  for (const char* wish : {"", "eth6", "none0"}) {
    setenv("SUIRO_NETS", wish, 1);
    const NodeLinks links = node_links();
    text += fmt::format(" {}:{}x{}", wish, links.count, links.megabits);
  }
  return text;
}

std::string in_child(const char* commands) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    const std::string text = links_in_namespace(commands);
    const auto written = write(ends[1], text.data(), text.size());
    _exit(written == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  close(ends[1]);
  char buffer[1000];
  const ssize_t bytes = read(ends[0], buffer, sizeof buffer);
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return {buffer, bytes > 0 ? static_cast<std::size_t>(bytes) : 0};
}

// What is asked is the namespace that the process is in. A veth is a link like any other, since the
// end that a bridge has carries no address.
TEST(Links, AreFoundInANamespace) {
  const std::string found = in_child(
      "ip link set lo up && "
      "ip link add veth0 type veth peer name veth1 && ip addr add 10.0.0.1/24 dev veth0 && "
      "ip link set veth0 up && ip link set veth1 up && "
      "ip link add eth1 type veth peer name peer1 && ip addr add 169.254.3.1/16 dev eth1 && "
      "ip link set eth1 up && ip link set peer1 up && "
      "ip link add br0 type bridge && ip addr add 10.0.2.1/24 dev br0 && "
      "ip link add peer2 type veth peer name port2 && ip link set port2 master br0 && "
      "ip link set br0 up && ip link set port2 up && ip link set peer2 up && "
      "ip link add eth6 type veth peer name peer6 && ip addr add 10.0.6.1/24 dev eth6 && "
      "ip link set eth6 up && ip link set peer6 up && "
      "ip link add eth3 type veth peer name peer3 && ip addr add 10.0.3.1/24 dev eth3");
  if (found == "skip") GTEST_SKIP() << "needs the rights to make a network namespace";
  EXPECT_THAT(found, AllOf(HasSubstr("lo=3/8/0 "), HasSubstr("veth0=0/24/10000 "),
                           HasSubstr("eth1=4/16/10000 "), HasSubstr("br0=1/24/"),
                           HasSubstr("eth3=7/24/0 "), HasSubstr("peer1=7/0/0 ")));
  EXPECT_THAT(found, testing::EndsWith(": veth0 eth6 :2x10000 eth6:1x10000 none0:1x0"))
      << "collectives, too, have the links that SUIRO_NETS names";
}

}  // namespace
}  // namespace suiro::host
