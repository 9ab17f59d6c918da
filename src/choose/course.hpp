// SPDX-License-Identifier: BSD-3-Clause
// The plays of one schedule, on one network that this may be after the other.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "model/estimate.hpp"

namespace suiro {

/// On one network. `mean_s` is a rank's own time in the mean, `nodes_s` what is neither links nor
/// the way of the rank that is done last, `worked_s` of all processors; `by_processors`: what they
/// have to do takes twice as long as all else; `by_turns`: ranks wait for each other's turns more
/// than for the wire.
struct Foretold {
  double seconds = std::numeric_limits<double>::infinity();
  double mean_s = std::numeric_limits<double>::infinity();
  double nodes_s = 0;
  double worked_s = 0;
  bool by_processors = false;
  bool by_turns = false;
  bool is_known() const { return seconds < std::numeric_limits<double>::infinity(); }
};

/// Refers to topology and networks. The last networks, which are the hardest, come first.
class Course {
 public:
  /// `block_bytes`: of one block. What the model says is multiplied by `residual`.
  Course(Schedule schedule, double block_bytes, double residual, const Topology& topology,
         const std::vector<Network>& networks);

  const Schedule& schedule() const { return schedule_; }
  double block_bytes() const { return block_bytes_; }
  /// About how many steps all ranks take together.
  std::int64_t steps() const { return steps_; }
  /// Steps that differ by less than a quarter or so are of the same class, or of the next.
  int class_of_steps() const;

  bool has_begun() const { return player_ != nullptr; }

  /// How many networks are left; the next is the last of these.
  std::size_t networks_left() const { return networks_left_; }

  /// On the next network, for some `moves` more, from which those are taken that it took; nothing
  /// if it is not over then, else the network is done. More than `limit_s` takes infinite time.
  std::optional<Foretold> advance(double limit_s, std::int64_t& moves);

  /// Nothing more is asked.
  void stop();

 private:
  /// What a play on one network has shown, perhaps of another, too.
  struct Played {
    std::size_t network = 0;
    double limit_s = 0;
    Ports ports = Ports::flooded;
    Foretold its;
  };
  const Played* known(std::size_t network, double limit_s) const;

  Schedule schedule_;
  double block_bytes_;
  double residual_;
  const Topology* topology_;
  const std::vector<Network>* networks_;
  std::int64_t steps_;
  std::size_t networks_left_;
  std::unique_ptr<Player> player_;  // once it plays: then this stays where it is
  std::vector<Played> played_;
};

}  // namespace suiro
