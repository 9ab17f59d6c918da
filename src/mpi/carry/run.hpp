// SPDX-License-Identifier: BSD-3-Clause
// Runs a schedule for one call of the user, over MPI point-to-point on the private twin of the
// user's communicator, or over suiro's own transport.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "collectives/collectives.hpp"
#include "execute/net_transport.hpp"
#include "mpi/underneath/user_buffer.hpp"
#include "mpi/underneath/waiting.hpp"
#include "schedule/schedule.hpp"

namespace suiro::mpi {

/// Buffers and request arrays that are kept between runs, so that the steady state does not
/// allocate.
class Workspace;
struct WorkspaceDeleter {
  void operator()(Workspace* workspace) const;
};
using WorkspacePointer = std::unique_ptr<Workspace, WorkspaceDeleter>;
WorkspacePointer make_workspace(const Schedule& schedule, int rank);

/// How a run ended. `undone`: it is as if it had never been started. `spoiled`: messages of it may
/// still be under way on the twin, where a later run would take them for its own. `lost`: something
/// that this rank waited for did not come, as another rank had an error. `lacks`: some rank has
/// not what it takes, and nothing was done, on all ranks alike.
struct Ending {
  int code = MPI_SUCCESS;
  bool undone = false;
  bool spoiled = false;
  bool lost = false;
  enum class Lack : std::uint8_t { nothing, memory, node_memory };
  Lack lacks = Lack::nothing;
};

/// One call of the user. In place, `send` and `receive` are in one buffer: what is sent, or what
/// has come, is a part of it or all. A broadcast has its message in both. A vector with a block for
/// each rank is one block of `send`; `counts` has the elements for each rank where they differ.
struct Operation {
  MPI_Comm comm{};
  UserBuffer send = {};
  UserBuffer receive = {};
  PerBlock<MPI_Count> counts = {};
  MPI_Count before = 0;  // elements of the vector in front of those for this rank
  Sizes sizes = Sizes::equal;
  bool in_place = false;
  std::optional<std::int64_t> bytes =
      std::nullopt;  // as the collective counts them, where ranks agree on them
  MPI_Op op{};
  int root = 0;
};

/// Passes the user's call on to the MPI. It refers to a callable that outlives it, and so costs
/// nothing to make, which every call of the user would pay for.
class Native {
 public:
  template <class Callable>
  Native(const Callable& callable)
      : callable_(&callable),
        call_([](const void* made) { return (*static_cast<const Callable*>(made))(); }) {}

  int operator()() const { return call_(callable_); }

 private:
  const void* callable_;
  int (*call_)(const void*);
};

class NodeMemory;

/// What carries the messages: the private communicator with the same ranks in the same order as the
/// user's, and suiro's own transport unless that is nullptr. `node` is there for schedules with
/// shared blocks, unless this rank `lacks_node`: then all are told when they ask each other.
struct Carrier {
  MPI_Comm user{};
  MPI_Comm twin{};
  const NetGroup* net = nullptr;
  NodeMemory* node = nullptr;
  bool lacks_node = false;
  Waiting waiting;
  int rank = 0;
  bool all_wait = true;  // no rank can be done long before the others of its node
};

/// All ranks of the user's communicator ask each other at once for memory of their own and for that
/// of their node. A rank that only says no by all_say() has neither.
Ending::Lack lack_of_any(bool has_memory, bool has_node, MPI_Comm user);

/// False, on all ranks alike, when blocks are too large to be merged, kept on the way or counted,
/// or when the transport, or shared memory, cannot hold their type.
bool can_run(const Workspace& workspace, const Operation& operation, bool on_net);

/// How large a block may be to be joined with others where blocks differ; the same on all ranks.
/// Room for twice what the ranks agreed on, but not for single blocks far above the mean; and for
/// 2 KiB where that is little memory: sizes grow, and a slot that is not full costs nothing on the
/// way.
struct BlockBytes;
std::size_t slot_bytes(const Workspace& workspace, const std::optional<BlockBytes>& agreed);

/// The code is MPI_SUCCESS or the first MPI error code. With `slot_capacity`, which is the same on
/// all ranks, blocks differ and are joined (execute/unequal_blocks.hpp); larger ones go straight.
/// `asks`, the same on all ranks: they ask each other first whether any lacks something.
Ending run(Workspace& workspace, const Carrier& carrier, const Operation& operation,
           std::optional<std::size_t> slot_capacity, bool asks);

}  // namespace suiro::mpi
