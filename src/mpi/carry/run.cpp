// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/carry/run.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include "mpi/carry/arguments.hpp"
#include "mpi/carry/node_memory.hpp"
#include "mpi/carry/run_memory.hpp"
#include "mpi/carry/size_agreement.hpp"
#include "mpi/carry/staging.hpp"
#include "mpi/underneath/copies.hpp"
#include "mpi/underneath/fault_tolerance.hpp"
#include "mpi/underneath/point_to_point.hpp"
#include "net/endpoint/complaint.hpp"

namespace suiro::mpi {

namespace {

// Blocks that are joined are packed into slots first, so in place nothing is lost when others
// arrive; those that are too large for a slot are sent from the user's buffer, or, in place, from a
// mirror of it.

Part slot_part(Slots& slots, int block, std::size_t capacity, MPI_Count bytes) {
  return {reinterpret_cast<char*>(slots.block(block, capacity)), bytes, MPI_PACKED};
}

int fill_slots(const UserBuffer& send, int ranks, MPI_Comm twin, UnequalBlocks& blocks) {
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

int empty_slots(UnequalBlocks& blocks, const UserBuffer& receive, int ranks, MPI_Comm twin) {
  Slots& slots = blocks[Buffer::receive];
  int first_code = MPI_SUCCESS;
  for (int block = 0; block < ranks; ++block) {
    const Slots::Length length = slots.lengths[static_cast<std::size_t>(block)];
    if (!Slots::is_here(length)) continue;
    const Part arrived = slot_part(slots, block, blocks.capacity, length);
    const int code = deliver(arrived, receive.block(block), twin);
    if (first_code == MPI_SUCCESS) first_code = code;
  }
  return first_code;
}

/// The user's own messages may have to arrive at others before these come here: MPI must go on.
/// False when the user's communicator was revoked.
bool idle(void* argument) {
  const auto& carrier = *static_cast<const Carrier*>(argument);
  let_mpi_progress(carrier.twin, carrier.rank);
  return !is_revoked(carrier.user);
}

struct Elements {
  MPI_Op op{};
  MPI_Datatype type{};
  std::size_t extent = 1;
};

bool reduce_bytes(void* argument, const std::byte* in, std::byte* inout, std::size_t bytes) {
  const auto& elements = *static_cast<const Elements*>(argument);
  const auto count = static_cast<MPI_Count>(bytes / elements.extent);
  return reduce_local(in, inout, count, elements.type, elements.op) == MPI_SUCCESS;
}

/// False when the run ended early, for want of memory too: then `code` says so.
template <class Run>
bool run_to_end(Run&& run, int& code) {
  code = MPI_ERR_INTERN;
  try {
    return run();
  } catch (const std::bad_alloc&) {
    code = MPI_ERR_NO_MEM;
    return false;
  }
}

/// A run that ended early: what may still be under way is left alone.
Ending ending_of(Workspace& workspace, RunMemory& memory, MpiTransport& transport, bool ran,
                 int code) {
  const bool undone = !ran && transport.abandon();
  const bool spoiled = !ran && !undone;
  if (spoiled) memory.leave_behind();
  if (ran || transport.error() != MPI_SUCCESS) code = transport.error();
  return {code, undone, spoiled, ran && workspace.executor.lost()};
}

/// What a rank shares in this call, at most; the same on all ranks.
std::int64_t shared_bytes_of(const Schedule& schedule, const Operation& operation) {
  const std::int64_t pieces = std::max<std::int64_t>(schedule.pieces, 1);
  return shared_bytes(schedule, operation.bytes.value_or(0) / pieces);
}

/// The turn of a run with shared blocks: its memory may still be read.
void begin_turn(Carrier carrier, const Schedule& schedule, const Operation& operation) {
  if (carrier.node == nullptr) return;
  const auto bytes = static_cast<std::size_t>(shared_bytes_of(schedule, operation));
  carrier.node->begin(bytes, [&] { return idle(&carrier); });
}

void end_turn(NodeMemory* node, const Ending& ending) {
  if (node == nullptr) return;
  if (ending.undone) {
    node->take_back();
  } else if (ending.spoiled) {
    node->give_up();
  } else {
    node->end();
  }
}

Ending run_over_mpi(Workspace& workspace, const Carrier& carrier, const Operation& operation,
                    Staging& staging, RunMemory& memory) {
  begin_turn(carrier, workspace.executor.schedule(), operation);
  MpiTransport transport(carrier, staging.places(), operation.op, workspace.in_flight,
                         workspace.direct);
  int code = MPI_SUCCESS;
  const bool ran = run_to_end([&] { return workspace.executor.run(transport); }, code);
  Ending ending = ending_of(workspace, memory, transport, ran, code);
  end_turn(carrier.node, ending);
  if (ran && ending.code == MPI_SUCCESS && !ending.lost) ending.code = staging.deliver();
  return ending;
}

Ending run_over_net(Workspace& workspace, const Carrier& carrier, const Operation& operation,
                    Staging& staging) {
  Ending ending;
  {
    Carrier mine = carrier;
    const UserBuffer& work = staging.places().work;
    Elements elements{operation.op, work.type,
                      static_cast<std::size_t>(std::max<MPI_Aint>(work.unit_bytes, 1))};
    NetTransport transport(*carrier.net, staging.bytes(), {idle, &mine}, {reduce_bytes, &elements},
                           workspace.direct);
    const bool ran = run_to_end([&] { return workspace.executor.run(transport); }, ending.code);
    ending.lost = workspace.executor.lost();
    ending.spoiled = !ran || !transport.error().empty();
    if (!ending.spoiled) {
      ending.code = MPI_SUCCESS;
    } else if (is_revoked(carrier.user)) {
      ending.code = revoked_code();
    } else if (!transport.error().empty()) {
      net::complain("a collective failed on suiro's transport: " + transport.error());
      ending.code = MPI_ERR_OTHER;
    }
  }
  if (ending.code == MPI_SUCCESS && !ending.lost) ending.code = staging.deliver();
  return ending;
}

std::size_t joined_bytes(Workspace& workspace, int rank, std::size_t slot_capacity) {
  if (!workspace.unequal) workspace.unequal.emplace(workspace.executor.schedule(), rank);
  return workspace.unequal->bytes(slot_capacity);
}

Ending run_joined(Workspace& workspace, const Carrier& carrier, const Operation& operation,
                  Staging& staging, RunMemory& memory, std::size_t slot_capacity) {
  const Schedule& schedule = workspace.executor.schedule();
  UnequalBlocks& blocks = *workspace.unequal;
  blocks.prepare(slot_capacity, memory[Use::joined]);
  const int packed = fill_slots(staging.places().send, schedule.ranks, carrier.twin, blocks);
  if (packed != MPI_SUCCESS) return {packed, true, false};
  const Places places{.send = staging.places().send,
                      .receive = operation.receive,
                      .work = {},
                      .scratch = {reinterpret_cast<char*>(blocks.staging.data()), 1}};
  MpiTransport inner(carrier, places, operation.op, workspace.in_flight, false);
  UnequalTransport transport(inner, blocks);
  const auto has_room = [&](int from) {
    return bytes_of(operation.receive.block(from)) > static_cast<MPI_Count>(slot_capacity);
  };
  int code = MPI_SUCCESS;
  const bool ran = run_to_end(
      [&] { return workspace.executor.run(transport) && transport.finish(carrier.rank, has_room); },
      code);
  Ending ending = ending_of(workspace, memory, inner, ran, code);
  ending.lost = ran && transport.lost();
  if (ran) {
    const int unpacked = empty_slots(blocks, operation.receive, schedule.ranks, carrier.twin);
    if (ending.code == MPI_SUCCESS) ending.code = unpacked;
  }
  return ending;
}

}  // namespace

MPI_Count block_bytes_of(const UserBuffer& buffer) {
  if (buffer.counts || buffer.types != nullptr) return 0;
  MPI_Count size = 0;
  real.Type_size_x(buffer.type, &size);
  return size * buffer.count;
}

WorkspacePointer make_workspace(const Schedule& schedule, int rank) {
  return WorkspacePointer(new Workspace(schedule, rank));
}

void WorkspaceDeleter::operator()(Workspace* workspace) const { delete workspace; }

Ending::Lack lack_of_any(bool has_memory, bool has_node, MPI_Comm user) {
  constexpr unsigned node_bit = yes_bit << 1;
  const unsigned all = what_all_say((has_memory ? yes_bit : 0) | (has_node ? node_bit : 0), user);
  if ((all & yes_bit) == 0) return Ending::Lack::memory;
  return (all & node_bit) == 0 ? Ending::Lack::node_memory : Ending::Lack::nothing;
}

bool can_run(const Workspace& workspace, const Operation& operation, bool on_net) {
  const Schedule& schedule = workspace.executor.schedule();
  const bool shares = schedule.shared > 0;
  if (shares && (on_net || shared_bytes_of(schedule, operation) > shared_bytes_max)) return false;
  if (workspace.collective.reduces) return !(on_net || shares) || is_plain(operation.send.type);
  if (!operation.bytes || (!workspace.collective.cut() && schedule.scratch == 0)) return true;
  if (on_net && workspace.collective.cut()) return true;
  return largest_bytes(operation, schedule.ranks) <= merged_block_bytes_maximum;
}

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

Ending run(Workspace& workspace, const Carrier& carrier, const Operation& operation,
           std::optional<std::size_t> slot_capacity, bool asks) {
  std::optional<Staging> staging;
  std::optional<RunMemory> memory;
  try {
    staging.emplace(workspace, carrier, operation, slot_capacity.has_value());
    Needs needs = staging->needs();
    if (slot_capacity) needs[Use::joined] = joined_bytes(workspace, carrier.rank, *slot_capacity);
    memory.emplace(needs);
  } catch (const std::bad_alloc&) {
    if (!asks) throw;
  }
  if (asks) {
    const Ending::Lack lack = lack_of_any(memory.has_value(), !carrier.lacks_node, carrier.user);
    if (lack != Ending::Lack::nothing) return {.lacks = lack};
  }
  if (const int code = staging->fill(*memory); code != MPI_SUCCESS) return {code, true, false};
  if (slot_capacity) {
    return run_joined(workspace, carrier, operation, *staging, *memory, *slot_capacity);
  }
  if (carrier.net != nullptr) return run_over_net(workspace, carrier, operation, *staging);
  return run_over_mpi(workspace, carrier, operation, *staging, *memory);
}

}  // namespace suiro::mpi
