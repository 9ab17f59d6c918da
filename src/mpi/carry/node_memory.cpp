// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/carry/node_memory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <exception>
#include <limits>
#include <span>
#include <string>

#include "base/random.hpp"
#include "mpi/underneath/load.hpp"

namespace suiro::mpi {

namespace {

constexpr int setup_tag = 2;

/// Where the others of a node find its memory: in the table of files of the rank that made it,
/// which only processes of the same user can read. The token tells that it is this one.
struct Offer {
  std::int64_t process = 0;  // 0: there is none
  std::int64_t descriptor = -1;
  std::uint64_t token = 0;
};

std::optional<SharedMemory> adopted(const Offer& offer, std::size_t bytes) {
  if (offer.process == 0) return std::nullopt;
  const std::string path =
      "/proc/" + std::to_string(offer.process) + "/fd/" + std::to_string(offer.descriptor);
  Descriptor descriptor(open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!descriptor) return std::nullopt;
  return SharedMemory::adopt(std::move(descriptor), bytes);
}

std::optional<SharedMemory> offered(Offer& offer, std::size_t bytes) {
  try {
    SharedMemory memory = SharedMemory::create("suiro-node", bytes);
    std::uint8_t token[sizeof offer.token];
    random_bytes(token);
    std::memcpy(&offer.token, token, sizeof token);
    std::memcpy(memory.data(), token, sizeof token);
    offer.process = getpid();
    offer.descriptor = memory.descriptor();
    return memory;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace

std::size_t NodeMemory::row_bytes(std::size_t ranks) {
  return (ranks * sizeof(Signals) + line - 1) / line * line;
}

std::size_t NodeMemory::blocks_begin(std::size_t ranks) {
  constexpr std::size_t page = 4096;
  const std::size_t end = line + ranks * sizeof(Progress) + ranks * row_bytes(ranks);
  return (end + page - 1) / page * page;
}

std::size_t NodeMemory::bytes(std::size_t ranks) { return blocks_begin(ranks) + ranks * room; }

NodeMemory::Progress& NodeMemory::progress(std::size_t place) const {
  return reinterpret_cast<Progress*>(base() + line)[place];
}

NodeMemory::Signals& NodeMemory::signals(std::size_t from, std::size_t to) const {
  std::byte* const row = base() + line + ranks_ * sizeof(Progress) + from * row_bytes(ranks_);
  return reinterpret_cast<Signals*>(row)[to];
}

std::unique_ptr<NodeMemory> NodeMemory::make(MPI_Comm twin, const Topology& topology, int rank,
                                             Waiting waiting) {
  const std::span<const int> near = topology.ranks_of(topology.node(rank));
  const std::size_t size = bytes(near.size());
  Offer offer;
  std::optional<SharedMemory> memory;
  if (near.front() == rank) {
    memory = offered(offer, size);
    for (const int other : near.subspan(1)) {
      real.Send(&offer, sizeof offer, MPI_BYTE, other, setup_tag, twin);
    }
  } else {
    const int code =
        real.Recv(&offer, sizeof offer, MPI_BYTE, near.front(), setup_tag, twin, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS) memory = adopted(offer, size);
  }
  if (!memory) return nullptr;
  std::unique_ptr<NodeMemory> found(new NodeMemory(std::move(*memory), topology, rank, waiting));
  return found->header().token == offer.token ? std::move(found) : nullptr;
}

NodeMemory::NodeMemory(SharedMemory memory, const Topology& topology, int rank, Waiting waiting)
    : memory_(std::move(memory)),
      waiting_(waiting),
      ranks_(topology.ranks_of(topology.node(rank)).size()),
      me_(static_cast<std::size_t>(topology.local(rank))),
      place_of_rank_(static_cast<std::size_t>(topology.ranks()), -1),
      awaited_(ranks_) {
  for (const int near : topology.ranks_of(topology.node(rank))) {
    place_of_rank_[static_cast<std::size_t>(near)] = topology.local(near);
  }
}

void NodeMemory::end() { tell_ended(run_); }

void NodeMemory::give_up() { tell_ended(std::numeric_limits<std::uint64_t>::max()); }

void NodeMemory::tell_ended(std::uint64_t runs) {
  Progress& mine = progress(me_);
  mine.ended.store(runs, std::memory_order_seq_cst);
  mine.another.ring(runs);
}

char* NodeMemory::blocks(int rank) const {
  const auto place = static_cast<std::size_t>(place_of_rank_[static_cast<std::size_t>(rank)]);
  std::byte* const first = base() + blocks_begin(ranks_);
  return reinterpret_cast<char*>(first + place * room + ring_.begin());
}

void NodeMemory::signal(int rank, bool lost) {
  const auto place = static_cast<std::size_t>(place_of_rank_[static_cast<std::size_t>(rank)]);
  Signals& to = signals(me_, place);
  const std::uint64_t number = to.count.load(std::memory_order_relaxed) + 1;
  if (lost) to.lost.store(number, std::memory_order_relaxed);
  to.count.store(number, std::memory_order_seq_cst);
  progress(place).told.ring(signalled);
}

}  // namespace suiro::mpi
