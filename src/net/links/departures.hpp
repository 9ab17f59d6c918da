// SPDX-License-Identifier: BSD-3-Clause
// What this process has promised one peer, link by link: the other processes of the host see it on
// the board of what leaves it, and whoever is asked to fetch a message hears with the request what
// else its links have to carry. So a receiver does not take a link that is free on its side, and
// that the sender's host needs for others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "net/carrier/carrier.hpp"
#include "net/links/link_board.hpp"
#include "net/operations/operations.hpp"
#include "net/protocol/frames.hpp"

namespace suiro::net {

class Departures {
 public:
  /// `loads`: of what leaves this host by each of `rails` links.
  Departures(LinkLoads& loads, const Carrier& clock, std::size_t rails)
      : loads_(loads), clock_(clock), rails_(rails) {}

  /// `home` is the link on which messages are asked for if all are busy; max_rails: none is.
  void announced(Send& send, std::size_t home);
  void prefers(std::size_t home);
  /// The peer wants so much of a message on this stream. Each but the last two that it wanted there
  /// has arrived, or it would not ask for more.
  void granted(Send& send, std::size_t stream, std::size_t rail, std::uint64_t bytes);
  void ended(Send& send);
  void closed(std::size_t stream);
  void fail();

  /// What this host has under way and in mind to other peers, by link.
  BusyLinks elsewhere() const;

 private:
  struct Part {
    const Send* send;
    std::size_t stream;
    std::size_t rail;
    std::uint64_t bytes;
  };
  void promise(std::uint64_t bytes, std::size_t home);
  void remove(auto which);

  LinkLoads& loads_;
  const Carrier& clock_;
  const std::size_t rails_;
  std::uint64_t promised_ = 0;  // and not asked for yet
  std::size_t home_ = max_rails;
  std::deque<Part> parts_;  // that were asked for, in order
};

}  // namespace suiro::net
