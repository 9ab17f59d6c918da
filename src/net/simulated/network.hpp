// SPDX-License-Identifier: BSD-3-Clause
// A network of several engines in one process, with a virtual clock: hours of traffic in seconds,
// and everything that happens follows from a seed. Streams deliver in order, with random delays,
// cut into pieces as it happens; rails can stall, break and come back, processes can die.
#pragma once

#include <sys/uio.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <random>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "host/links.hpp"
#include "net/carrier/carrier.hpp"
#include "net/protocol/name.hpp"

namespace suiro::net {

class SimulatedCarrier;

struct Conditions {
  std::int64_t shortest_delay_ns = 5'000;
  std::int64_t longest_delay_ns = 50'000;
  std::size_t buffer_bytes = 256 << 10;  // that a stream holds before its writer has to wait
  bool cut = true;                       // reads and writes may be short at any time
  double bytes_per_ns = 1.25;            // of each rail of each host, each way
  std::int64_t look_ns = 0;              // that pass when a process looks at the clock
};

class SimulatedNetwork {
 public:
  SimulatedNetwork(std::uint64_t seed, const Conditions& conditions);
  ~SimulatedNetwork();

  /// A new process on a host; its rail r is on the network of all rails r.
  SimulatedCarrier& add(std::uint64_t host, int rails, std::uint32_t local_rank = 0);

  std::int64_t now_ns() const { return now_ns_; }
  /// As a process does, which takes some time.
  std::int64_t look() { return now_ns_ += conditions_.look_ns; }
  /// Lets the next thing happen, whenever that is; false if nothing ever will.
  bool step();
  /// Lets things happen until then.
  void run_until(std::int64_t at_ns);
  std::mt19937_64& random() { return random_; }

  /// Nothing passes on this rail of this process's host until it is restored; nobody is told.
  void stall(SimulatedCarrier& process, int rail);
  void restore(SimulatedCarrier& process, int rail);
  /// All streams on this rail of this process end at once, or those of one kind.
  void break_streams(SimulatedCarrier& process, int rail, std::optional<StreamKind> kind = {});
  /// The process is no more, and those who talked to it are told.
  void kill(SimulatedCarrier& process);
  void set_cut(bool cut) { conditions_.cut = cut; }
  void set_rate(SimulatedCarrier& process, int rail, double bytes_per_ns);

 private:
  friend class SimulatedCarrier;
  struct Pipe;
  struct End;
  struct Rail {
    bool stalled = false;
    double bytes_per_ns = 0;
    std::int64_t sends_until_ns = 0;
    std::int64_t receives_until_ns = 0;
  };
  using Rails = std::map<int, Rail>;
  enum class What : std::uint8_t { opened, accepted, closed, writable, readable, alarm };
  struct Notice {
    std::int64_t at_ns;
    std::uint64_t order;
    What what;
    SimulatedCarrier* process;
    StreamId stream;
    std::shared_ptr<Pipe> pipe;  // accepted: what is accepted
    bool operator>(const Notice& other) const {
      return std::tie(at_ns, order) > std::tie(other.at_ns, other.order);
    }
  };

  std::int64_t delay();
  bool passes(const Pipe& pipe) const;
  void notify(std::int64_t at_ns, What what, SimulatedCarrier& process, StreamId stream,
              std::shared_ptr<Pipe> pipe = nullptr);
  SimulatedCarrier* process_of(const Name& name) const;

  std::mt19937_64 random_;
  Conditions conditions_;
  std::int64_t now_ns_ = 0;
  std::uint64_t order_ = 0;
  std::map<std::uint64_t, std::shared_ptr<Rails>> rails_of_host_;
  std::vector<std::unique_ptr<SimulatedCarrier>> processes_;
  std::priority_queue<Notice, std::vector<Notice>, std::greater<>> notices_;
  std::vector<Notice> held_;  // by rails that are stalled
};

/// One process's end of the network.
class SimulatedCarrier : public Carrier {
 public:
  SimulatedCarrier(SimulatedNetwork& network, const Name& name, std::vector<host::Link> links,
                   std::shared_ptr<SimulatedNetwork::Rails> rails);
  ~SimulatedCarrier() override;

  const Name& name() const { return name_; }
  const std::vector<host::Link>& links() const { return links_; }
  /// Who hears the events.
  void attach(Events& events) { events_ = &events; }
  std::uint64_t writes() const { return writes_; }

  std::int64_t now_ns() const override { return network_.look(); }
  StreamId open(const Name& peer, const Route& route) override;
  void establish(StreamId stream, StreamKind kind) override;
  std::size_t write(StreamId stream, std::span<const iovec> bytes) override;
  void arm(StreamId stream) override;
  void close(StreamId stream) override;
  void set_alarm(std::int64_t at_ns) override;

 private:
  friend class SimulatedNetwork;
  using End = SimulatedNetwork::End;
  using Pipe = SimulatedNetwork::Pipe;
  using What = SimulatedNetwork::What;

  using Rail = SimulatedNetwork::Rail;

  End* find(StreamId stream);
  Rail* rail_of(const Route& route);
  End& add_end(const std::shared_ptr<Pipe>& pipe, int side);
  void handle(const SimulatedNetwork::Notice& notice);
  void accept(const std::shared_ptr<Pipe>& pipe);
  void read(StreamId stream);
  std::size_t read_once(End& end);
  void end_stream(StreamId stream);
  std::int64_t arrival(const End& from, End& to, std::size_t bytes);

  SimulatedNetwork& network_;
  const Name name_;
  const std::vector<host::Link> links_;
  Events* events_ = nullptr;
  bool dead_ = false;
  const std::shared_ptr<SimulatedNetwork::Rails> rails_;  // of its host
  std::unordered_map<StreamId, std::unique_ptr<End>> ends_;
  StreamId last_id_ = no_stream;
  std::int64_t alarm_ns_ = 0;
  std::uint64_t writes_ = 0;
};

}  // namespace suiro::net
