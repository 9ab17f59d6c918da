// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/carry/size_agreement.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include "mpi/underneath/usual_arithmetic.hpp"

namespace suiro::mpi {

namespace {

/// Sums over a rank's blocks to, or from, the ranks of other nodes.
struct Sums {
  double bytes = 0;
  double squares = 0;
  double largest = 0;
};

Sums sums_of(const UserBuffer& buffer, const Topology& topology, int rank) {
  Sums sums;
  MPI_Datatype type{};
  MPI_Count size = 0;
  for (int peer = 0; peer < topology.ranks(); ++peer) {
    if (topology.node(peer) == topology.node(rank)) continue;
    const Part part = buffer.block(peer);
    if (part.type != type) real.Type_size_x(part.type, &size);
    type = part.type;
    const double bytes = static_cast<double>(part.count) * static_cast<double>(size);
    sums.bytes += bytes;
    sums.squares += bytes * bytes;
    sums.largest = std::max(sums.largest, bytes);
  }
  return sums;
}

/// Jain's index is 1 when all blocks are equal, and the share of those that there are when the rest
/// is empty. The limit is no measurement: it keeps native what has not been measured.
bool is_even(const Sums& sums, int blocks) {
  constexpr double index_min = 0.5;
  return sums.bytes == 0 || sums.bytes * sums.bytes > index_min * blocks * sums.squares;
}

}  // namespace

BlockBytes vouched_bytes(const UserBuffer& send, const UserBuffer& receive,
                         const Topology& topology, int rank) {
  const UsualArithmetic usual;
  const int blocks = topology.ranks() - topology.ppn(topology.node(rank));
  const Sums sent = sums_of(send, topology, rank);
  const Sums received = sums_of(receive, topology, rank);
  const auto rounded = [](double bytes) {
    constexpr double bytes_max = 1e18;
    return static_cast<std::int64_t>(std::min(bytes, bytes_max));
  };
  if (!is_even(sent, blocks) || !is_even(received, blocks)) return {uneven, rounded(sent.largest)};
  const double mean = std::min(sent.bytes, received.bytes) / std::max(blocks, 1);
  return {rounded(mean), rounded(sent.largest)};
}

bool SizeAgreement::is_due() const {
  const std::int64_t call = calls_ + 1;
  if (call < 2 || call == exchanged_at_) return false;
  return call <= interval_max ? std::has_single_bit(static_cast<std::uint64_t>(call))
                              : call % interval_max == 0;
}

int SizeAgreement::exchange(MPI_Comm communicator, const BlockBytes& vouched, Waiting waiting) {
  if (const int code = finish(waiting); code != MPI_SUCCESS) return code;
  exchanged_at_ = calls_ + 1;
  const std::array<std::int64_t, 2> mine = {vouched.mean, -vouched.largest};
  return reduction_.start(mine, MPI_MIN, communicator);
}

int SizeAgreement::finish(Waiting waiting) {
  if (!reduction_.is_open()) return MPI_SUCCESS;
  const int code = reduction_.finish(waiting);
  const std::span<const std::int64_t> smallest = reduction_.of_all();
  if (code == MPI_SUCCESS) agreed_ = BlockBytes{smallest[0], -smallest[1]};
  return code;
}

}  // namespace suiro::mpi
