// SPDX-License-Identifier: BSD-3-Clause
// Two processes that talk through libfabric and the provider, as MPI's ranks do. Each test forks
// both, so that the process of the tests itself never loads libfabric.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace suiro::fabric {

/// Ends the process of a side with a message; the test fails.
#define REQUIRE(condition)                                                   \
  do {                                                                       \
    if (!(condition)) ::suiro::fabric::fail(#condition, __FILE__, __LINE__); \
  } while (false)
[[noreturn]] void fail(const char* condition, const char* file, int line);

struct PairOptions {
  std::uint32_t version = FI_VERSION(1, 5);
  std::uint64_t send_flags = FI_COMPLETION;
  std::uint64_t bind_flags = 0;  // FI_SELECTIVE_COMPLETION
  fi_av_type vector_type = FI_AV_MAP;
  fi_wait_obj wait_object = FI_WAIT_NONE;
  bool counters = false;
  int endpoints = 1;  // of each process
};

struct Result {
  fi_cq_tagged_entry entry{};
  fi_cq_err_entry error{};
  fi_addr_t source = FI_ADDR_NOTAVAIL;
};

/// One process: its endpoints, and the addresses of all endpoints, the own process's first.
class Side {
 public:
  Side(int rank, int channel, const PairOptions& options);
  ~Side();

  /// Both sides have come here.
  void meet() const;
  /// The next completion or error; fails after some seconds.
  Result next();
  /// Nothing to read after a while.
  bool quiet();

  fi_addr_t peer(int endpoint = 0) const { return peers_[endpoint]; }
  fid_ep* endpoint(int number = 0) const { return endpoints_[number]; }
  fid_cntr* sends() const { return sends_; }
  fid_cntr* receives() const { return receives_; }

  const int rank;
  fid_fabric* fabric = nullptr;
  fid_domain* domain = nullptr;
  fid_cq* queue = nullptr;
  fid_av* vector = nullptr;

 private:
  void open_endpoint(fi_info* info, const PairOptions& options);
  void exchange_names();

  int channel_;
  fid_cntr* sends_ = nullptr;
  fid_cntr* receives_ = nullptr;
  std::vector<fid_ep*> endpoints_;
  std::vector<fi_addr_t> peers_;
};

/// Runs `act` as both sides; true when both ended well.
bool as_pair(const PairOptions& options, void (*act)(Side&));
/// Runs `act` in one process.
bool alone(void (*act)());

std::vector<std::byte> pattern(std::size_t bytes, unsigned seed);

}  // namespace suiro::fabric
