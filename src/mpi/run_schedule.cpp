// SPDX-License-Identifier: BSD-3-Clause
// In place, the blocks to send are overwritten by those that arrive, so they are copied once into a
// mirror of the receive buffer with the same layout: the sends then need no other datatype. Scratch
// is made for the block size of the call. A rank that receives with another size than it sends
// with, which is an error of the program, must not spoil what it carries for others: the size to
// send is taken to be everyone's.
#include "mpi/run_schedule.hpp"

#include <memory>

#include "mpi/workspace.hpp"

namespace suiro::mpi {

namespace {

Scratch make_scratch(const Schedule& schedule, MPI_Count block_bytes, std::vector<char>& memory) {
  memory.resize(static_cast<std::size_t>(schedule.scratch * block_bytes));
  return {memory.data(), block_bytes};
}

/// Where blocks of `bytes` each can arrive, whatever they are.
UserBuffer packed_buffer(int blocks, MPI_Count bytes, std::vector<char>& memory) {
  memory.resize(static_cast<std::size_t>(blocks * bytes));
  return {.base = memory.data(), .unit_bytes = 1, .type = MPI_PACKED, .count = bytes};
}

int unpack(const UserBuffer& packed, const UserBuffer& receive, int blocks, MPI_Comm twin) {
  int first_code = MPI_SUCCESS;
  for (int block = 0; block < blocks; ++block) {
    const int code = deliver(packed.block(block), receive.block(block), twin);
    if (first_code == MPI_SUCCESS) first_code = code;
  }
  return first_code;
}

}  // namespace

int make_mirror(const UserBuffer& receive, int blocks, MPI_Comm twin, std::vector<char>& mirror,
                UserBuffer& send) {
  const Span span = span_of(receive, blocks);
  mirror.resize(static_cast<std::size_t>(span.bytes));
  send = receive;
  // Blocks are addressed relative to the base; the mirror holds only [begin, begin + bytes) of that
  // range.
  send.base = reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(mirror.data()) -
                                      static_cast<std::uintptr_t>(span.begin));
  for (int block = 0; block < blocks; ++block) {
    const int code = local_copy(receive.block(block), send.block(block), twin);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

MPI_Count block_bytes_of(const UserBuffer& buffer) {
  if (buffer.counts || buffer.types != nullptr) return 0;
  MPI_Count size = 0;
  real.Type_size_x(buffer.type, &size);
  return size * buffer.count;
}

WorkspacePointer make_workspace(const Schedule& schedule, int rank) {
  return WorkspacePointer(new Workspace(schedule, rank));
}

bool can_run(const Workspace& workspace, const UserBuffer& receive) {
  return workspace.executor.schedule().scratch == 0 ||
         block_bytes_of(receive) <= merged_block_bytes_maximum;
}

void WorkspaceDeleter::operator()(Workspace* workspace) const { delete workspace; }

Ending run_schedule(Workspace& workspace, MPI_Comm twin, const UserBuffer& send,
                    const UserBuffer& receive, bool in_place, Waiting waiting) {
  UserBuffer source = send;
  if (in_place) {
    const int ranks = workspace.executor.schedule().ranks;
    const int code = make_mirror(receive, ranks, twin, workspace.mirror, source);
    if (code != MPI_SUCCESS) return {code, true, false};
  }
  const Schedule& schedule = workspace.executor.schedule();
  const MPI_Count bytes = block_bytes_of(source);
  const bool unlike = schedule.scratch > 0 && bytes != block_bytes_of(receive);
  const UserBuffer place =
      unlike ? packed_buffer(schedule.ranks, bytes, workspace.arrivals) : receive;
  const Scratch scratch = make_scratch(schedule, bytes, workspace.scratch);
  MpiTransport transport(twin, source, place, scratch, workspace.in_flight, waiting);
  const bool ran = workspace.executor.run(transport);
  const bool undone = !ran && transport.abandon();
  const bool spoiled = !ran && !undone;
  if (spoiled) workspace.leave_behind();
  int code = transport.error();
  if (unlike && ran && code == MPI_SUCCESS) code = unpack(place, receive, schedule.ranks, twin);
  workspace.shrink();
  return {code, undone, spoiled};
}

}  // namespace suiro::mpi
