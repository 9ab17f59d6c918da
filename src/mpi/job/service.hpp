// SPDX-License-Identifier: BSD-3-Clause
// This rank's line to `suiro run`, which listens where the launcher runs (docs/run.md, "The job
// service"). It tells whether every rank of the job has this library before any collective is
// touched, and takes what the ranks report. A service that is gone never holds up a job. The ranks
// of a node have one connection together (relay.hpp), if that can be had.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/guarded_descriptor.hpp"
#include "mpi/job/provider.hpp"
#include "mpi/job/relay.hpp"

namespace suiro::mpi {

class Service {
 public:
  /// Connects and registers; call it before the real MPI_Init. False when the service cannot be
  /// reached: then it does not count this rank, and tells the others to use native.
  bool enroll(const std::string& addresses, const std::string& token);

  /// Before the real MPI_Init, what is to carry the MPI's messages, the same on all ranks: "suiro";
  /// or its own transport, "net" if suiro's collectives can use suiro's, and "mpi" if not.
  std::string transport(const Obstacle& obstacle);

  /// After the real MPI_Init: true when all `size` ranks of the world have the library.
  bool verdict(int rank, int size);

  /// This process asks for no verdict.
  void leave() { close(); }

  /// Sends one JSON text and waits for the line that answers it, of any length; empty without.
  std::string ask(const std::string& line);

  /// Sends one JSON text; false when there is no service, or no longer. Threads may do so at once.
  bool send(const std::string& line);

  /// Waits until everything sent has been taken, and ends the connection.
  void finish();

  /// Whether other ranks of this node may still report by way of this process. Once it has closed
  /// its own connection, that ends with theirs.
  bool relays() const { return relay_ != nullptr && !relay_->has_ended(); }

  bool connected() const { return static_cast<bool>(socket_); }
  void close();

 private:
  std::optional<int> meet(const std::string& addresses, const std::string& token,
                          const std::string& greeting);
  bool adopt(int socket);  // -1: there is none
  bool exchange(const std::string& line, std::string& answer, double seconds,
                std::size_t answer_bytes_max = 256);
  bool write_all(std::string_view text, double deadline_s);
  bool read_line(std::string& line, double deadline_s, std::size_t bytes_max);

  std::mutex sending_;
  std::unique_ptr<Relay> relay_;  // in this process
  GuardedDescriptor socket_;
};

/// In one line, whatever bytes are in it: names of hosts and files may have any.
std::string text_of(const nlohmann::json& json);

std::string host_name();

/// Of the build that this library is from; ranks with another are noticed by it.
std::string build_id();

}  // namespace suiro::mpi
