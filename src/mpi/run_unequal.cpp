// SPDX-License-Identifier: BSD-3-Clause
// Blocks are packed into slots first, so in place nothing is lost when others arrive; those that
// are too large for a slot are sent from the user's buffer, or, in place, from a mirror of it.
#include "mpi/run_unequal.hpp"

#include <algorithm>
#include <limits>

#include "mpi/workspace.hpp"

namespace suiro::mpi {

namespace {

Part slot_part(Slots& slots, int block, std::size_t capacity, MPI_Count bytes) {
  return {reinterpret_cast<char*>(slots.block(block, capacity)), bytes, MPI_PACKED};
}

int pack(const UserBuffer& send, int ranks, MPI_Comm twin, UnequalBlocks& blocks) {
  Slots& slots = blocks[Buffer::send];
  int code = MPI_SUCCESS;
  for (int block = 0; block < ranks && code == MPI_SUCCESS; ++block) {
    const Part part = send.block(block);
    const MPI_Count bytes = bytes_of(part);
    const bool fits = bytes <= static_cast<MPI_Count>(blocks.capacity);
    slots.lengths[static_cast<std::size_t>(block)] =
        fits ? static_cast<Slots::Length>(bytes) : Slots::elsewhere;
    if (fits) code = local_copy(part, slot_part(slots, block, blocks.capacity, bytes), twin);
  }
  return code;
}

int unpack(UnequalBlocks& blocks, const UserBuffer& receive, int ranks, MPI_Comm twin) {
  Slots& slots = blocks[Buffer::receive];
  int first_code = MPI_SUCCESS;
  for (int block = 0; block < ranks; ++block) {
    const Slots::Length length = slots.lengths[static_cast<std::size_t>(block)];
    if (length == Slots::elsewhere) continue;
    const Part arrived = slot_part(slots, block, blocks.capacity, length);
    const int code = deliver(arrived, receive.block(block), twin);
    if (first_code == MPI_SUCCESS) first_code = code;
  }
  return first_code;
}

}  // namespace

std::size_t slot_bytes(const Workspace& workspace, const std::optional<BlockBytes>& agreed) {
  const Schedule& schedule = workspace.executor.schedule();
  constexpr std::size_t memory = std::size_t{16} << 20;
  constexpr std::size_t roomy = 2048;
  const auto blocks = static_cast<std::size_t>(std::int64_t{2} * schedule.ranks + schedule.scratch);
  std::size_t bytes = std::min(roomy, memory / blocks);
  if (agreed && agreed->mean != uneven) {
    constexpr std::int64_t means = 4;
    constexpr std::int64_t growth = 2;
    constexpr std::int64_t mean_max = std::int64_t{1} << 30;
    const std::int64_t usual = means * std::min(agreed->mean, mean_max);
    bytes = std::max(bytes, static_cast<std::size_t>(growth * std::min(agreed->largest, usual)));
  }
  constexpr auto message_max = static_cast<std::size_t>(std::numeric_limits<int>::max());
  return std::min(bytes, UnequalBlocks::capacity_max(schedule, message_max));
}

Ending run_unequal(Workspace& workspace, int rank, std::size_t slot_capacity, MPI_Comm twin,
                   const UserBuffer& send, const UserBuffer& receive, bool in_place,
                   Waiting waiting) {
  const Schedule& schedule = workspace.executor.schedule();
  UserBuffer source = send;
  if (in_place) {
    const int code = make_mirror(receive, schedule.ranks, twin, workspace.mirror, source);
    if (code != MPI_SUCCESS) return {code, true, false};
  }
  if (!workspace.unequal) workspace.unequal.emplace(schedule, rank);
  UnequalBlocks& blocks = *workspace.unequal;
  blocks.prepare(slot_capacity);
  if (const int code = pack(source, schedule.ranks, twin, blocks); code != MPI_SUCCESS) {
    return {code, true, false};
  }
  const Scratch staging{reinterpret_cast<char*>(blocks.staging.data()), 1};
  MpiTransport inner(twin, source, receive, staging, workspace.in_flight, waiting);
  UnequalTransport transport(inner, blocks);
  const bool ran = workspace.executor.run(transport) && transport.finish(rank);
  const bool undone = !ran && inner.abandon();
  const bool spoiled = !ran && !undone;
  if (spoiled) workspace.leave_behind();
  int code = inner.error();
  if (ran) {
    const int unpacked = unpack(blocks, receive, schedule.ranks, twin);
    if (code == MPI_SUCCESS) code = unpacked;
  }
  workspace.shrink();
  return {!ran && code == MPI_SUCCESS ? MPI_ERR_INTERN : code, undone, spoiled};
}

}  // namespace suiro::mpi
