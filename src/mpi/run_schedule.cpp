// SPDX-License-Identifier: BSD-3-Clause
// In place, the blocks to send are overwritten by those that arrive, so they are copied once into a
// mirror of the receive buffer with the same layout: the sends then need no other datatype.
#include "mpi/run_schedule.hpp"

#include <memory>

#include "execute/executor.hpp"
#include "mpi/mpi_transport.hpp"

namespace suiro::mpi {

class Workspace {
 public:
  Workspace(const Schedule& schedule, int rank) : executor(schedule, rank) {}

  Executor executor;
  InFlight in_flight;
  std::vector<char> mirror;
};

namespace {

// A mirror up to this size is kept between calls.
constexpr std::size_t kept_mirror_bytes = std::size_t{64} << 20;

/// Fills the mirror and returns the user buffer that describes it.
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

}  // namespace

WorkspacePointer make_workspace(const Schedule& schedule, int rank) {
  return WorkspacePointer(new Workspace(schedule, rank));
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
  MpiTransport transport(twin, source, receive, workspace.in_flight, waiting);
  const bool ran = workspace.executor.run(transport);
  const bool undone = !ran && transport.abandon();
  const bool spoiled = !ran && !undone;
  // Sends that were let go may read the mirror for ever after.
  if (spoiled && in_place) new std::vector<char>(std::move(workspace.mirror));
  if (workspace.mirror.size() > kept_mirror_bytes) std::vector<char>().swap(workspace.mirror);
  return {transport.error(), undone, spoiled};
}

}  // namespace suiro::mpi
