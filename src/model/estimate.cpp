// SPDX-License-Identifier: BSD-3-Clause
#include "model/estimate.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <queue>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "execute/executor.hpp"
#include "model/fair_shares.hpp"

namespace suiro {

std::optional<SwitchKind> switch_kind_of(std::string_view name) {
  for (std::size_t i = 0; i < switch_kind_names.size(); ++i) {
    if (switch_kind_names[i] == name) return static_cast<SwitchKind>(i);
  }
  return std::nullopt;
}

namespace {

constexpr double header_bytes = 96;  // of a message: frame, IP, TCP and MPI
constexpr double never = std::numeric_limits<double>::infinity();

std::size_t index(std::int64_t number) { return static_cast<std::size_t>(number); }

enum class Part : std::uint8_t { data, question, answer };

struct Message {
  int sender = 0;
  int receiver = 0;
  double bytes = 0;
  std::int64_t send_token = 0;
  std::int64_t receive_token = -1;  // once it has met its receive
  Part part = Part::data;           // what of it is on the way
  double since = 0;                 // when that was posted
  Spent spent = {};                 // until then
};

/// Messages from one rank to another on different nodes, in order.
struct Stream {
  int pair = 0;
  std::deque<int> queue = {};
  double begin = 0;  // when the first began
};

/// The active streams between two nodes, which all have the same rate: so the order in which they
/// end is known, and time goes on for all of them at once.
struct Pair {
  double served = 0;                   // bytes that a stream would have got that was always active
  using End = std::pair<double, int>;  // the value of `served` at which a stream's message ends
  std::priority_queue<End, std::vector<End>, std::greater<>> ends = {};
};

/// Receives of one rank from another, in order, and what came before it was wanted.
struct Matching {
  std::deque<std::int64_t> posted;
  std::deque<int> arrived;
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

/// A copy that costs nothing: what a builder has made may grow with the ranks, and each rank's
/// executor has a schedule of its own.
Schedule referring_to(const Schedule& schedule) {
  Schedule light;
  light.ranks = schedule.ranks;
  light.rounds = schedule.rounds;
  light.window = schedule.window;
  light.receive_window = schedule.receive_window;
  light.overtaking = schedule.overtaking;
  light.lookahead = schedule.lookahead;
  light.function = [original = &schedule](int rank, std::int64_t round, Round& out) {
    original->function(rank, round, out);
  };
  return light;
}

class Play {
 public:
  Play(const Schedule& schedule, const Topology& topology, const Network& network,
       double block_bytes, std::vector<Transfer>* transfers)
      : topology_(topology),
        network_(network),
        block_bytes_(block_bytes),
        transfers_(transfers),
        shares_(topology, network),
        overflow_(index(topology.nodes())) {
    const Schedule light = referring_to(schedule);
    ranks_.reserve(index(schedule.ranks));
    for (int rank = 0; rank < schedule.ranks; ++rank) ranks_.push_back({Executor(light, rank)});
  }

  Estimate run() {
    for (int rank = 0; rank < std::ssize(ranks_); ++rank) advance(rank);
    while (step()) {
    }
    Estimate estimate;
    for (const Rank& rank : ranks_) {
      if (!rank.executor.done()) throw std::runtime_error("the schedule stands still");
      if (rank.clock < estimate.seconds) continue;
      estimate.seconds = rank.clock;
      estimate.spent = rank.spent;
    }
    estimate.messages = messages_between_nodes_;
    return estimate;
  }

 private:
  struct Rank {
    Executor executor;
    double clock = 0;
    Spent spent = {};  // adds up to the clock
  };

  /// What the executor of one rank sees as its transport.
  struct Side {
    Play& play;
    int rank;
    int send(const Blocks& blocks, int peer, std::int64_t token) {
      return play.send(rank, peer, static_cast<double>(blocks.count) * play.block_bytes_, token);
    }
    int receive(const Blocks& /*blocks*/, int peer, std::int64_t token) {
      play.receive(rank, peer, token);
      return 1;
    }
    bool copy(const Blocks& source, const Blocks& /*target*/) {
      play.work(rank,
                static_cast<double>(source.count) * play.block_bytes_ / play.network_.copy_Bps);
      return true;
    }
    bool reduce(const Blocks& source, const Blocks& /*target*/) {
      play.work(rank,
                static_cast<double>(source.count) * play.block_bytes_ / play.network_.reduce_Bps);
      return true;
    }
  };

  void advance(int rank) {
    Side side{*this, rank};
    ranks_[index(rank)].executor.advance(side);
  }

  void work(int rank, double seconds) {
    ranks_[index(rank)].clock += seconds;
    ranks_[index(rank)].spent.copies += seconds;
  }

  bool local(const Message& message) const {
    return topology_.node(message.sender) == topology_.node(message.receiver);
  }

  void charge(int rank, bool local) {
    const double seconds = local ? network_.local_message_s : network_.message_s;
    ranks_[index(rank)].clock += seconds;
    ranks_[index(rank)].spent.messages += seconds;
  }

  static std::uint64_t key(int sender, int receiver) {
    return (static_cast<std::uint64_t>(sender) << 32) | static_cast<std::uint32_t>(receiver);
  }

  /// How many operations are to complete: a short message is copied and forgotten.
  int send(int sender, int receiver, double bytes, std::int64_t token) {
    Message message{.sender = sender, .receiver = receiver, .bytes = bytes, .send_token = token};
    const bool asks = bytes > network_.eager;
    charge(sender, local(message));
    if (!asks) work(sender, bytes / network_.copy_Bps);
    if (!local(message)) {
      ++messages_between_nodes_;
      if (asks) message.part = Part::question;
    }
    messages_.push_back(message);
    post(static_cast<int>(messages_.size()) - 1, sender);
    return asks ? 1 : 0;
  }

  /// The message's part is ready to go at the clock of `rank`.
  void post(int number, int rank) {
    Message& message = messages_[index(number)];
    message.since = ranks_[index(rank)].clock;
    message.spent = ranks_[index(rank)].spent;
    events_.push({message.since, order_++, number, false});
  }

  void receive(int receiver, int sender, std::int64_t token) {
    Matching& matching = matchings_[key(sender, receiver)];
    if (matching.arrived.empty()) {
      matching.posted.push_back(token);
      return;
    }
    const int number = matching.arrived.front();
    matching.arrived.pop_front();
    messages_[index(number)].receive_token = token;
    late_.push_back(number);
  }

  // Inside a node there is no port: the receiver copies. An answer goes the other way.
  void start(const Event& event) {
    Message& message = messages_[index(event.message)];
    if (local(message)) {
      message.spent.latency += network_.local_latency_s;
      events_.push({event.time + network_.local_latency_s, order_++, event.message, true});
      return;
    }
    const bool back = message.part == Part::answer;
    Stream& stream = stream_of(back ? message.receiver : message.sender,
                               back ? message.sender : message.receiver);
    stream.queue.push_back(event.message);
    if (stream.queue.size() == 1) activate(stream, event.time);
  }

  Stream& stream_of(int from, int to) {
    const auto [found, fresh] = stream_numbers_.try_emplace(key(from, to), streams_.size());
    if (fresh) streams_.push_back({shares_.pair(topology_.node(from), topology_.node(to))});
    return streams_[found->second];
  }

  double wire_bytes(const Message& message) const {
    return header_bytes + (message.part == Part::data ? message.bytes : 0);
  }

  void activate(Stream& stream, double now) {
    const double bytes = wire_bytes(messages_[index(stream.queue.front())]);
    stream.begin = now;
    shares_.add(stream.pair);
    if (index(stream.pair) >= pairs_.size()) pairs_.resize(index(stream.pair) + 1);
    Pair& pair = pairs_[index(stream.pair)];
    if (pair.ends.empty()) busy_.push_back(stream.pair);
    pair.ends.emplace(pair.served + bytes, static_cast<int>(&stream - streams_.data()));
    if (network_.kind == SwitchKind::shared) flood(stream, bytes);
  }

  /// More on the way to one port, and from several nodes, than its buffer takes: something is lost.
  void flood(const Stream& stream, double bytes) {
    const Message& message = messages_[index(stream.queue.front())];
    Overflow& port = overflow_[index(topology_.node(target_of(message)))];
    port.bytes += bytes;
    const FairShares::Incast incast = shares_.incast(stream.pair);
    if (incast.nodes > 1 && port.bytes > network_.buffer) port.lost = true;
  }

  static int target_of(const Message& message) {
    return message.part == Part::answer ? message.sender : message.receiver;
  }

  /// Time goes on to the next event, or the next end of a message on a stream.
  bool step() {
    double next = events_.empty() ? never : events_.top().time;
    for (const int number : busy_) {
      const Pair& pair = pairs_[index(number)];
      next = std::min(next, now_ + ((pair.ends.top().first - pair.served) / shares_.rate(number)));
    }
    if (next == never) return false;
    const double together =
        next + (1e-9 * next) + 1e-12;  // rounding does not make two events of one
    finished_.clear();
    std::erase_if(busy_, [&](int number) {
      Pair& pair = pairs_[index(number)];
      const double rate = shares_.rate(number);
      const double reached = pair.served + (rate * (together - now_));
      while (!pair.ends.empty() && pair.ends.top().first <= reached) {
        finished_.push_back(pair.ends.top().second);
        pair.ends.pop();
      }
      pair.served += rate * (next - now_);
      return pair.ends.empty();
    });
    now_ = next;
    for (const int number : finished_) finish(number);
    while (!events_.empty() && events_.top().time <= together) {
      const Event event = events_.top();
      events_.pop();
      event.arrival ? arrive(event) : start(event);
    }
    return true;
  }

  /// The first message of the stream has left.
  void finish(int number) {
    Stream& stream = streams_[index(number)];
    shares_.remove(stream.pair);
    const int first = stream.queue.front();
    stream.queue.pop_front();
    Message& message = messages_[index(first)];
    message.spent.port += now_ - message.since;
    const bool far = topology_.site(topology_.node(message.sender)) !=
                     topology_.site(topology_.node(message.receiver));
    const double latency = network_.latency_s + (far ? network_.wan.latency_s : 0);
    const double repeat = network_.kind == SwitchKind::shared ? repeat_of(stream, message) : 0;
    message.spent.latency += latency;
    message.spent.repeats += repeat;
    events_.push({now_ + latency + repeat, order_++, first, true});
    if (message.part == Part::data && transfers_ != nullptr) {
      transfers_->push_back(
          {message.sender, message.receiver, message.bytes, message.since, stream.begin, now_});
    }
    if (message.part == Part::data && message.bytes > network_.eager) {
      Spent spent = message.spent;
      spent.latency -= latency;
      spent.repeats -= repeat;
      complete(message.sender, message.send_token, now_, spent);
    }
    if (!stream.queue.empty()) activate(stream, now_);
  }

  /// The last message of a flood waits for TCP's timer: nothing comes after it that would tell its
  /// receiver what is missing.
  double repeat_of(const Stream& stream, const Message& message) {
    Overflow& port = overflow_[index(topology_.node(target_of(message)))];
    port.bytes -= wire_bytes(message);
    const bool last = shares_.incast(stream.pair).streams == 0 && port.lost;
    if (last) port.lost = false;
    return last ? network_.retransmit_s : 0;
  }

  void arrive(const Event& event) {
    Message& message = messages_[index(event.message)];
    if (message.part == Part::answer) {
      // The sender's processor sees to it.
      catch_up(message.sender, event.time, message.spent);
      charge(message.sender, false);
      message.part = Part::data;
      post(event.message, message.sender);
      return;
    }
    if (message.receive_token < 0) {
      Matching& matching = matchings_[key(message.sender, message.receiver)];
      if (matching.posted.empty()) {
        message.since = event.time;
        matching.arrived.push_back(event.message);
        return;
      }
      message.receive_token = matching.posted.front();
      matching.posted.pop_front();
    }
    accept(event.message, event.time);
  }

  /// The message has come, all or its question, and its receive is posted.
  void accept(int number, double time) {
    Message& message = messages_[index(number)];
    const int receiver = message.receiver;
    catch_up(receiver, time, message.spent);
    charge(receiver, local(message));
    if (message.part == Part::question) {
      message.part = Part::answer;
      post(number, receiver);
      return;
    }
    if (local(message)) work(receiver, message.bytes / network_.copy_Bps);
    const double done = ranks_[index(receiver)].clock;
    const Spent spent = ranks_[index(receiver)].spent;
    if (local(message) && message.bytes > network_.eager) {
      complete(message.sender, message.send_token, done, spent);
    }
    complete(receiver, message.receive_token, done, spent);
  }

  /// A rank that waited for this goes on from its time.
  void catch_up(int number, double time, const Spent& spent) {
    Rank& rank = ranks_[index(number)];
    if (rank.clock >= time) return;
    rank.clock = time;
    rank.spent = spent;
  }

  void complete(int number, std::int64_t token, double time, Spent spent) {
    catch_up(number, time, spent);
    ranks_[index(number)].executor.complete(token);
    advance(number);
    // What had come before its receive was posted is accepted now.
    while (!late_.empty()) {
      const int late = late_.back();
      late_.pop_back();
      accept(late, messages_[index(late)].since);
    }
  }

  struct Overflow {
    double bytes = 0;
    bool lost = false;
  };

  const Topology& topology_;
  const Network& network_;
  double block_bytes_;
  std::vector<Transfer>* transfers_;
  FairShares shares_;
  std::vector<Overflow> overflow_;
  std::vector<Rank> ranks_;
  std::deque<Message> messages_;
  std::vector<Stream> streams_;
  std::unordered_map<std::uint64_t, std::size_t> stream_numbers_;
  std::unordered_map<std::uint64_t, Matching> matchings_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<Pair> pairs_;
  std::vector<int> busy_;  // pairs with active streams
  std::vector<int> finished_;
  std::vector<int> late_;
  std::int64_t order_ = 0;
  std::int64_t messages_between_nodes_ = 0;
  double now_ = 0;
};

}  // namespace

Estimate estimate(const Schedule& schedule, const Topology& topology, const Network& network,
                  double block_bytes, std::vector<Transfer>* transfers) {
  if (schedule.ranks != topology.ranks()) {
    throw std::invalid_argument("the schedule is for " + std::to_string(schedule.ranks) +
                                " ranks, the topology has " + std::to_string(topology.ranks()));
  }
  return Play(schedule, topology, network, block_bytes, transfers).run();
}

}  // namespace suiro
