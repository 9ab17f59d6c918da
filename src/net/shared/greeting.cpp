// SPDX-License-Identifier: BSD-3-Clause
#include "net/shared/greeting.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "base/local_sockets.hpp"

namespace suiro::net {
namespace {

constexpr int most_waiting_ranks = 1024;  // the ranks of a large node may come at once
constexpr std::size_t max_descriptors = 3;

AbstractAddress address_of(const Nonce& nonce) {
  return AbstractAddress(name_from_secret("suiro-", "suiro shared memory", nonce));
}

Descriptor local_socket() {
  return Descriptor(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

/// Room for the descriptors beside a message.
struct Ancillary {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(max_descriptors * sizeof(int))> bytes{};
};

msghdr message_of(iovec& part, Ancillary& ancillary) {
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = ancillary.bytes.data();
  message.msg_controllen = ancillary.bytes.size();
  return message;
}

/// The descriptors in a message, all of them, so that none is left open.
std::vector<Descriptor> descriptors_in(msghdr& message) {
  std::vector<Descriptor> result;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
       part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int number;
      std::memcpy(&number, CMSG_DATA(part) + i * sizeof number, sizeof number);
      result.emplace_back(number);
    }
  }
  return result;
}

std::optional<ReceivedGreeting> examine(const Greeting& greeting,
                                        std::vector<Descriptor> descriptors, bool with_segment) {
  if (greeting.magic != Greeting::expected_magic || greeting.segment_bytes != sizeof(Segment) ||
      greeting.slot >= max_slots || descriptors.size() != (with_segment ? 3U : 2U))
    return std::nullopt;
  std::optional<Bell> bell = Bell::adopt(std::move(descriptors[0]), std::move(descriptors[1]));
  if (!bell) return std::nullopt;
  ReceivedGreeting received{greeting, *std::move(bell), std::nullopt};
  if (with_segment) {
    received.segment = SharedMemory::adopt(std::move(descriptors[2]), sizeof(Segment));
    if (!received.segment) return std::nullopt;
  }
  return received;
}

}  // namespace

Descriptor listen_for(const Nonce& own) {
  const AbstractAddress local = address_of(own);
  Descriptor socket = local_socket();
  if (!socket || bind(socket.number(), local.generic(), local.length) < 0 ||
      listen(socket.number(), most_waiting_ranks) < 0)
    throw std::runtime_error(std::string("cannot listen for processes of this host: ") +
                             std::strerror(errno));
  return socket;
}

Descriptor connect_to(const Nonce& peer, std::string& reason) {
  const AbstractAddress local = address_of(peer);
  Descriptor socket = local_socket();
  if (!socket || connect(socket.number(), local.generic(), local.length) < 0) {
    reason = errno == ECONNREFUSED ? "no such process on this host"
                                   : std::string("shared memory: ") + std::strerror(errno);
    return {};
  }
  if (is_same_user(socket.number())) return socket;
  reason = "the process belongs to another user";
  return {};
}

bool send_greeting(int socket, const Greeting& greeting, const Doorbell& own,
                   const SharedMemory* segment) {
  const std::array<int, max_descriptors> descriptors{own.page_descriptor(), own.event_descriptor(),
                                                     segment ? segment->descriptor() : -1};
  const std::size_t bytes = (segment ? 3 : 2) * sizeof(int);
  Greeting copy = greeting;
  iovec part{&copy, sizeof copy};
  Ancillary ancillary;
  msghdr message = message_of(part, ancillary);
  message.msg_controllen = CMSG_SPACE(bytes);
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(bytes);
  std::memcpy(CMSG_DATA(header), descriptors.data(), bytes);
  return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof copy;
}

GreetingState receive_greeting(int socket, bool with_segment,
                               std::optional<ReceivedGreeting>& received) {
  Greeting greeting;
  iovec part{&greeting, sizeof greeting};
  Ancillary ancillary;
  msghdr message = message_of(part, ancillary);
  const ssize_t count = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return GreetingState::none_yet;
  std::vector<Descriptor> descriptors;
  if (count >= 0) descriptors = descriptors_in(message);
  if (count != sizeof greeting || (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0)
    return GreetingState::failed;
  received = examine(greeting, std::move(descriptors), with_segment);
  return received ? GreetingState::received : GreetingState::failed;
}

}  // namespace suiro::net
