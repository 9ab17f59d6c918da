// SPDX-License-Identifier: BSD-3-Clause
// What carries suiro's messages on one of the user's communicators: a private communicator of the
// same ranks, a group on suiro's transport where that is asked for, and memory that the ranks of a
// node share. All ranks make each of these together, and give them back before the user's goes.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "mpi/carry/net_group.hpp"
#include "mpi/carry/node_memory.hpp"
#include "mpi/carry/run.hpp"
#include "topology/topology.hpp"

namespace suiro::mpi {

/// Why native runs where some rank could not have what suiro's algorithm needs.
inline constexpr std::string_view out_of_memory = "a rank has not the memory that it takes";
inline constexpr std::string_view no_node_memory = "the ranks of a node cannot share memory";

/// Empty where nothing is lacking.
constexpr std::string_view text_of(Ending::Lack lack) {
  if (lack == Ending::Lack::nothing) return "";
  return lack == Ending::Lack::memory ? out_of_memory : no_node_memory;
}

class Twin {
 public:
  void make(MPI_Comm user, int rank);
  bool is_made() const { return communicator_ != MPI_COMM_NULL; }
  /// Why there is none and will be none, the same on all ranks, or empty.
  std::string_view obstacle() const { return obstacle_; }

  /// MPI_COMM_NULL: it is not made.
  MPI_Comm communicator() const { return communicator_; }
  bool has_net() const { return net_ != nullptr; }

  /// Made when it is asked for, once there is a twin. Why it cannot be had, the same on all ranks,
  /// or empty; then what needs it asks whether all ranks have it.
  std::string_view prepare_node_memory(const Topology& topology, int rank);
  /// This rank has not what prepare_node_memory() should have made.
  bool lacks_node_memory() const { return lacks_node_; }
  /// All ranks have asked each other.
  void note_lack(Ending::Lack lack);

  /// For a run.
  Carrier carrier(MPI_Comm user, int rank, bool over_net, bool shares_blocks) const;

  void free();

 private:
  bool create(MPI_Comm user);
  void make_node_memory(const Topology& topology, int rank);

  MPI_Comm communicator_ = MPI_COMM_NULL;
  std::string_view obstacle_;
  std::unique_ptr<NetGroup> net_;
  std::unique_ptr<NodeMemory> node_;
  std::optional<std::string_view> no_node_;  // once it was tried
  bool lacks_node_ = false;
};

}  // namespace suiro::mpi
