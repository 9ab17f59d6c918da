// SPDX-License-Identifier: BSD-3-Clause
// Several switches as one network: MTU frames are handed from one to the next inside the program. A
// link between switches is either a cable, which holds back its sender when the other end has no
// room (or a buffer that drops, if the other end is one), or a WAN. A frame that crosses a switch
// is received there before it is sent on.
#pragma once

#include <memory>
#include <optional>

#include "switch/wan.hpp"
#include "switch/wiring.hpp"

namespace suiro {

class LinkedFabrics final : public Network {
 public:
  LinkedFabrics(const SwitchConfig& config, Hosts& hosts);

  Time next_event() const override { return next_event_; }
  void step() override;
  void wake(int port, Time now) override;
  bool wants(int port) const override;
  const PortCounters& counters(int port) const override;
  std::vector<WayCounters> ways() const override;
  void reset_counters() override;
  void throttle(double share) override;

 private:
  /// What one switch sees around itself.
  class Neighbours final : public Hosts {
   public:
    Neighbours(LinkedFabrics& network, int at_switch) : network_(network), switch_(at_switch) {}
    Run pull(int port) override;
    void deliver(int port, const Segment& segment) override;
    void discard(const Segment& segment) override;
    bool room(int port) override;

   private:
    LinkedFabrics& network_;
    int switch_;
  };

  /// One way of a link, and what has arrived by it but was not taken in yet.
  struct Way {
    std::string name;
    Place from;
    Place to;
    std::optional<Wan> wan;
    std::int64_t room_bytes = 0;
    RingQueue<Segment> arrived;
    std::int64_t arrived_bytes = 0;
    bool refused = false;  // its sender waits for room

    bool has_room(int bytes) const { return arrived_bytes + bytes <= room_bytes; }
    void arrive(const Segment& segment);
    Segment take();
  };
  /// What is at a switch's port: a host, or the link's way in; its way out is the opposite one.
  struct Neighbour {
    int host = -1;
    int way_in = -1;
  };

  void add_link(const SwitchConfig& config, std::size_t link);
  void receive(Way& way);
  void settle();
  bool hand_over(Way& way);
  Time find_next() const;
  Fabric& fabric_at(const Place& place) const;
  const Neighbour& neighbour(int at_switch, int port) const;
  Way& way_out(const Neighbour& neighbour);

  Hosts& hosts_;
  Wiring wiring_;
  int full_frame_bytes_;
  std::vector<std::vector<Neighbour>> neighbours_;  // by switch and port
  std::vector<std::unique_ptr<Neighbours>> views_;  // by switch
  std::vector<std::unique_ptr<Fabric>> fabrics_;
  std::vector<Way> ways_;  // two for each link
  Time now_ = 0;
  Time next_event_ = never;
};

/// One switch, or several.
std::unique_ptr<Network> make_network(const SwitchConfig& config, Hosts& hosts);

}  // namespace suiro
