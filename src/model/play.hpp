// SPDX-License-Identifier: BSD-3-Clause
// How a schedule is played (estimate.hpp): executors against a clock, event by event.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "execute/executor.hpp"
#include "model/estimate.hpp"
#include "model/matchings.hpp"
#include "model/processors.hpp"
#include "model/streams.hpp"
#include "model/symmetry.hpp"

namespace suiro {

/// One schedule on one network, once, up to `limit_s`. `executors`: of the ranks that are played,
/// restarted.
class Play {
 public:
  Play(std::vector<Executor>& executors, bool signals, const Topology& topology,
       const Network& network, double block_bytes, double limit_s, std::vector<Transfer>* transfers,
       std::optional<Symmetry> symmetry)
      : topology_(topology),
        network_(network),
        block_bytes_(block_bytes),
        limit_s_(limit_s),
        transfers_(transfers),
        executors_(executors),
        symmetry_(symmetry),
        signals_(signals),
        processors_(nodes_played(topology, symmetry_), network),
        streams_(symmetry_ ? first_and_other(topology) : topology, network) {}

  /// For some `moves` more, from which those are taken that it took; nothing if it is not over.
  std::optional<Estimate> advance(std::int64_t& moves) {
    const std::int64_t before = moves_;
    const auto is_late = [&] { return std::max(now_, processors_.least_s()) > limit_s_; };
    const auto goes_on = [&] { return moves_ - before < moves && now_ < never && !is_late(); };
    for (; begun_ < std::ssize(executors_) && goes_on(); ++begun_) advance(begun_);
    while (goes_on()) now_ = step();
    moves -= moves_ - before;
    if (now_ < never && is_late()) return Estimate{.seconds = never, .ports = ports()};
    if (now_ < never) return std::nullopt;
    return result();
  }

 private:
  static constexpr double never = std::numeric_limits<double>::infinity();
  static std::size_t index(std::int64_t number) { return static_cast<std::size_t>(number); }

  enum class Part : std::uint8_t { data, question, answer };

  struct Message {
    int poster = 0;  // the rank that is played and sends it
    int sender =
        0;  // the same, or its like on the node from which such a message comes to the first
    int receiver = 0;
    double bytes = 0;
    std::int64_t send_token = 0;
    std::int64_t receive_token = -1;  // once it has met its receive
    bool signal = false;              // by a counter in shared memory
    Part part = Part::data;           // what of it is on the way
    double since = 0;                 // when that was posted
    Spent spent = {};                 // until then
  };

  struct Event {
    double time = 0;
    std::int64_t order = 0;
    int message = 0;
    bool arrival = false;  // or it is posted
    friend bool operator>(const Event& a, const Event& b) {
      return a.time != b.time ? a.time > b.time : a.order > b.order;
    }
  };

  /// Of the ranks that are played.
  static std::vector<int> nodes_played(const Topology& topology,
                                       const std::optional<Symmetry>& symmetry) {
    if (symmetry) return std::vector<int>(index(symmetry->ranks_per_node()));
    std::vector<int> nodes(index(topology.ranks()));
    for (int rank = 0; rank < topology.ranks(); ++rank) nodes[index(rank)] = topology.node(rank);
    return nodes;
  }

  /// What the executor of one rank sees as its transport.
  struct Side {
    Play& play;
    int rank;
    int send(const Blocks& blocks, int peer, std::int64_t token) {
      ++play.moves_;
      return play.send(rank, peer, static_cast<double>(blocks.count) * play.block_bytes_, token);
    }
    int send_nothing(const Blocks& /*blocks*/, int peer, std::int64_t token) {
      return play.send(rank, peer, 0, token);
    }
    int receive(const Blocks& /*blocks*/, int peer, std::int64_t token) {
      ++play.moves_;
      play.receive(rank, peer, token);
      return 1;
    }
    bool copy(const Blocks& source, const Blocks& /*target*/, int /*owner*/) {
      play.processors_.copy(
          rank, static_cast<double>(source.count) * play.block_bytes_ / play.network_.copy_Bps);
      return true;
    }
    bool reduce(const Blocks& source, const Blocks& /*target*/, int /*owner*/) {
      play.processors_.copy(
          rank, static_cast<double>(source.count) * play.block_bytes_ / play.network_.reduce_Bps);
      return true;
    }
  };

  Estimate result() const {
    Estimate estimate{.ports = ports()};
    for (int rank = 0; rank < std::ssize(executors_); ++rank) {
      if (!executors_[index(rank)].done()) throw std::runtime_error("the schedule stands still");
      estimate.mean_s += processors_.clock(rank) / static_cast<double>(executors_.size());
      if (processors_.clock(rank) < estimate.seconds) continue;
      estimate.seconds = processors_.clock(rank);
      estimate.spent = processors_.spent(rank);
    }
    if (const double least_s = processors_.least_s(); least_s > estimate.seconds) {
      estimate.spent.processors = least_s - estimate.seconds;
      estimate.mean_s *= least_s / estimate.seconds;
      estimate.seconds = least_s;
    }
    const int alike = symmetry_ ? topology_.nodes() : 1;
    estimate.worked_s = processors_.worked_s() * alike;
    estimate.messages = messages_between_nodes_ * alike;
    estimate.played_ranks = static_cast<int>(executors_.size());
    return estimate;
  }

  /// Where one node stands for all, ports are not seen.
  Ports ports() const { return symmetry_ ? Ports::flooded : streams_.ports(); }

  void advance(int rank) {
    Side side{*this, rank};
    Executor& executor = executors_[index(rank)];
    const std::int64_t before = executor.started();
    executor.advance(side);
    moves_ += executor.started() - before;
  }

  bool local(const Message& message) const {
    return topology_.node(message.sender) == topology_.node(message.receiver);
  }

  void charge(int rank, const Message& message) {
    processors_.message(rank, message.signal   ? network_.signal_s
                              : local(message) ? network_.local_message_s
                                               : network_.message_s);
  }

  /// Both ends of a message between nodes work while its bytes are on the way.
  void move_bytes(int rank, const Message& message) {
    processors_.work(rank, message.bytes / network_.kernel_Bps);
  }

  /// How many operations are to complete: a short message is copied and forgotten.
  int send(int sender, int receiver, double bytes, std::int64_t token) {
    Message message{.poster = sender, .bytes = bytes, .send_token = token};
    std::tie(message.sender, message.receiver) = seen(sender, receiver);
    const bool asks = bytes > network_.eager;
    message.signal = signals_ && bytes == 0 && local(message);
    charge(sender, message);
    if (!asks) processors_.copy(sender, bytes / network_.copy_Bps);
    if (!local(message)) {
      ++messages_between_nodes_;
      move_bytes(sender, message);
      if (asks) message.part = Part::question;
    }
    post(store(message), sender);
    return asks ? 1 : 0;
  }

  /// As those that are played see it: where one node stands for all, it receives what its like
  /// sends to it.
  std::pair<int, int> seen(int sender, int receiver) const {
    if (!symmetry_) return {sender, receiver};
    const Symmetry::Image image = symmetry_->image(sender, receiver);
    return {image.sender, image.receiver};
  }

  int store(const Message& message) {
    if (over_.empty()) {
      messages_.push_back(message);
      return static_cast<int>(messages_.size()) - 1;
    }
    const int number = over_.back();
    over_.pop_back();
    messages_[index(number)] = message;
    return number;
  }

  /// The message's part is ready to go at the clock of `rank`. Inside a node there is no port: the
  /// receiver copies.
  void post(int number, int rank) {
    Message& message = messages_[index(number)];
    message.since = processors_.clock(rank);
    message.spent = processors_.spent(rank);
    double latency = 0;
    if (local(message)) latency = message.signal ? network_.signal_s : network_.local_latency_s;
    message.spent.latency += latency;
    events_.push({message.since + latency, order_++, number, local(message)});
  }

  void receive(int receiver, int sender, std::int64_t token) {
    const std::optional<int> number = matchings_.receive(sender, receiver, token);
    if (!number) return;
    messages_[index(*number)].receive_token = token;
    late_.push_back(*number);
  }

  void start(const Event& event) {
    const Message& message = messages_[index(event.message)];
    streams_.post(way_of(message), wire_bytes(message), event.message, event.time);
  }

  /// Where one node stands for all, its links are shared by what it sends, and by the like that
  /// comes in. An answer goes the other way.
  Streams::Way way_of(const Message& message) const {
    const bool back = message.part == Part::answer;
    if (symmetry_) {
      const auto [sender, receiver] = back ? seen(message.receiver, message.sender)
                                           : std::pair{message.sender, message.receiver};
      return {sender, receiver, 0, 1};
    }
    const int sender = back ? message.receiver : message.sender;
    const int receiver = back ? message.sender : message.receiver;
    return {sender, receiver, topology_.node(sender), topology_.node(receiver)};
  }

  double wire_bytes(const Message& message) const {
    return message_header_bytes + (message.part == Part::data ? message.bytes : 0);
  }

  /// Time goes on to the next event, or the next end of a message on a stream.
  /// Returns when that was; infinity when there is none.
  double step() {
    const double next =
        std::min(events_.empty() ? never : events_.top().time, streams_.next_end_s());
    if (next == never) return never;
    const double together = next + (1e-9 * next) + 1e-12;
    for (const Streams::Ended& ended : streams_.advance(next, together)) finish(ended, next);
    while (!events_.empty() && events_.top().time <= together) {
      const Event event = events_.top();
      events_.pop();
      ++moves_;
      event.arrival ? arrive(event) : start(event);
    }
    return next;
  }

  /// A message has left.
  void finish(const Streams::Ended& ended, double now) {
    Message& message = messages_[index(ended.number)];
    const bool data = message.part == Part::data;
    message.spent.port += now - message.since;
    if (data && transfers_ != nullptr) {
      transfers_->push_back(
          {message.sender, message.receiver, message.bytes, message.since, ended.begin_s, now});
    }
    const Spent left = message.spent;
    const bool far = topology_.site(topology_.node(message.sender)) !=
                     topology_.site(topology_.node(message.receiver));
    const double latency = network_.latency_s + (far ? network_.wan.latency_s : 0);
    message.spent.latency += latency;
    message.spent.repeats += ended.repeat_s;
    events_.push({now + latency + ended.repeat_s, order_++, ended.number, true});
    if (data && message.bytes > network_.eager) {
      complete(message.poster, message.send_token, now, left);
    }
  }

  void arrive(const Event& event) {
    Message& message = messages_[index(event.message)];
    if (message.part == Part::answer) {
      // The sender's processor sees to it.
      processors_.catch_up(message.poster, event.time, message.spent);
      charge(message.poster, message);
      message.part = Part::data;
      post(event.message, message.poster);
      return;
    }
    if (message.receive_token < 0) {
      const auto token = matchings_.arrive(message.sender, message.receiver, event.message);
      if (!token) {
        message.since = event.time;
        return;
      }
      message.receive_token = *token;
    }
    accept(event.message, event.time);
  }

  /// The message has come, all or its question, and its receive is posted.
  void accept(int number, double time) {
    Message& message = messages_[index(number)];
    const int receiver = message.receiver;
    processors_.catch_up(receiver, time, message.spent, message.signal);
    charge(receiver, message);
    if (message.part == Part::question) {
      message.part = Part::answer;
      post(number, receiver);
      return;
    }
    if (local(message)) {
      const bool asked = message.bytes > network_.eager;
      const double rate_Bps = asked ? network_.local_Bps : network_.copy_Bps;
      processors_.copy(receiver, message.bytes / rate_Bps);
    } else {
      move_bytes(receiver, message);
    }
    const double done = processors_.clock(receiver);
    const Spent spent = processors_.spent(receiver);
    const Message over = message;
    over_.push_back(number);
    if (local(over) && over.bytes > network_.eager) {
      complete(over.poster, over.send_token, done, spent);
    }
    complete(receiver, over.receive_token, done, spent);
  }

  void complete(int number, std::int64_t token, double time, Spent spent) {
    processors_.catch_up(number, time, spent);
    executors_[index(number)].complete(token);
    advance(number);
    // What had come before its receive was posted is accepted now.
    while (!late_.empty()) {
      const int late = late_.back();
      late_.pop_back();
      accept(late, messages_[index(late)].since);
    }
  }

  const Topology& topology_;
  const Network network_;
  double block_bytes_;
  double limit_s_;
  std::vector<Transfer>* transfers_;
  std::vector<Executor>& executors_;
  std::deque<Message> messages_;
  std::vector<int> over_;  // messages that are: there may be one for every two ranks
  std::optional<Symmetry> symmetry_;
  bool signals_;
  Processors processors_;
  Streams streams_;
  Matchings matchings_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<int> late_;
  std::int64_t order_ = 0;  // of events
  std::int64_t moves_ = 0;  // events, rounds, sends and receives: what a play is made of
  int begun_ = 0;           // ranks
  double now_ = 0;
  std::int64_t messages_between_nodes_ = 0;
};

}  // namespace suiro
