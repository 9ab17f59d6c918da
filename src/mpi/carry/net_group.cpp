// SPDX-License-Identifier: BSD-3-Clause
// One endpoint per process serves all communicators; a tag of 64 bits keeps them apart. The names
// are exchanged over the MPI itself, which only the job can read.
#include "mpi/carry/net_group.hpp"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "mpi/job/job.hpp"
#include "net/protocol/settings.hpp"

namespace suiro::mpi {
namespace {

struct OwnEnd {
  std::unique_ptr<net::Endpoint> endpoint;
  std::string failure;                    // why there is none
  std::atomic<std::uint64_t> groups = 0;  // made with this rank as their first
};

OwnEnd& own_end() {
  static OwnEnd& own = *new OwnEnd;  // never destroyed: threads may outlive main()
  if (own.endpoint || !own.failure.empty()) return own;
  try {
    own.endpoint = std::make_unique<net::Endpoint>(net::settings_from_environment());
  } catch (const std::exception& error) {
    own.failure = error.what();
  }
  return own;
}

/// What the ranks of a communicator tell each other.
struct Card {
  net::Name name;
  std::uint64_t groups = 0;
};

/// The first rank's nonce is random, and it counts its groups, so no two groups share a tag but by
/// an accident of one in 2^64.
std::uint64_t tag_of(const Card& first) {
  std::uint64_t low = 0;
  std::memcpy(&low, first.name.nonce.data(), sizeof low);
  return (low ^ first.groups) * 0x9e3779b97f4a7c15U;
}

}  // namespace

const std::string& net_failure() { return own_end().failure; }

std::unique_ptr<NetGroup> make_net_group(MPI_Comm twin) {
  int rank = 0;
  int ranks = 0;
  real.Comm_rank(twin, &rank);
  real.Comm_size(twin, &ranks);
  OwnEnd& own = own_end();
  Card card{own.endpoint->name(), 0};
  if (rank == 0) card.groups = ++own.groups;
  std::vector<Card> cards(static_cast<std::size_t>(ranks));
  if (real.Allgather(&card, sizeof card, MPI_BYTE, cards.data(), sizeof card, MPI_BYTE, twin) !=
      MPI_SUCCESS) {
    return nullptr;
  }
  auto group = std::make_unique<NetGroup>();
  group->endpoint = own.endpoint.get();
  group->tag = tag_of(cards.front());
  for (const Card& other : cards) group->peers.push_back(own.endpoint->peer(other.name));
  return group;
}

void leave_net() {
  if (job.settings.on_net) own_end().endpoint.reset();
}

}  // namespace suiro::mpi
