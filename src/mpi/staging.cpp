// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/staging.hpp"

#include <algorithm>

namespace suiro::mpi {

namespace {

bool all_plain(const UserBuffer& buffer, int blocks) {
  if (buffer.types == nullptr) return is_plain(buffer.type);
  for (int block = 0; block < blocks; ++block) {
    const Part part = buffer.block(block);
    if (part.count > 0 && !is_plain(part.type)) return false;
  }
  return true;
}

/// Elements that are reduced keep their distance, and begin where a cache line does.
MPI_Count padded(MPI_Count bytes) {
  constexpr MPI_Count line = 64;
  return (bytes + line - 1) / line * line;
}

}  // namespace

Staging::Staging(Workspace& workspace, const Carrier& carrier, const Operation& operation,
                 bool joined)
    : workspace_(workspace),
      carrier_(carrier),
      operation_(operation),
      schedule_(workspace.executor.schedule()),
      joined_(joined) {}

std::int64_t Staging::send_blocks() const {
  return workspace_.collective.send_blocks(workspace_.instance, carrier_.rank);
}

std::int64_t Staging::receive_blocks() const {
  return workspace_.collective.receive_blocks(workspace_.instance, carrier_.rank);
}

int Staging::prepare() {
  switch (workspace_.collective.bytes) {
    case Measure::per_pair:
      return prepare_blocks();
    case Measure::vector:
      return workspace_.collective.reduces ? prepare_elements() : prepare_message();
    case Measure::nothing:
      return MPI_SUCCESS;
  }
  return MPI_ERR_INTERN;
}

int Staging::deliver() { return receive_.packed ? unpack(receive_) : MPI_SUCCESS; }

/// In place, the blocks to send are overwritten by those that arrive, so they are copied first. A
/// rank that receives with another size than it sends with, which is an error of the program, must
/// not spoil what it carries for others: the size to send is taken to be everyone's.
int Staging::prepare_blocks() {
  const UserBuffer& source = operation_.in_place ? operation_.receive : operation_.send;
  const int blocks = schedule_.ranks;
  const bool on_net = carrier_.net != nullptr && !joined_;
  send_ = {.outside = source, .inside = source, .blocks = blocks};
  receive_ = {.outside = operation_.receive, .inside = operation_.receive, .blocks = blocks};
  int code = MPI_SUCCESS;
  if (on_net && (operation_.in_place || !all_plain(source, blocks))) {
    lay_out_packed(send_, workspace_.mirror);
    code = pack(send_);
  } else if (operation_.in_place) {
    code = make_mirror(send_.inside);
  }
  if (code != MPI_SUCCESS || joined_) return code;
  const MPI_Count bytes = block_bytes_of(source);
  const bool unlike = schedule_.scratch > 0 && bytes != block_bytes_of(operation_.receive);
  if (unlike) {
    workspace_.arrivals.resize(static_cast<std::size_t>(blocks * bytes));
    receive_.inside = {
        .base = workspace_.arrivals.data(), .unit_bytes = 1, .type = MPI_PACKED, .count = bytes};
    receive_.packed = true;
  } else if (on_net && !all_plain(operation_.receive, blocks)) {
    lay_out_packed(receive_, workspace_.arrivals);
  }
  make_scratch(bytes);
  return MPI_SUCCESS;
}

/// The whole message, wherever the rank has it.
int Staging::prepare_message() {
  const bool sends = send_blocks() > 0;
  Side side{.outside = operation_.send, .inside = operation_.send, .blocks = 1};
  const MPI_Count bytes = bytes_of(operation_.send.block(0));
  if (!is_plain(operation_.send.type)) {
    lay_out_packed(side, workspace_.arrivals);
    if (sends) {
      if (const int code = pack(side); code != MPI_SUCCESS) return code;
    }
  }
  side.inside = {.base = side.inside.base,
                 .unit_bytes = 1,
                 .type = MPI_BYTE,
                 .count = bytes,
                 .cut = {bytes, schedule_.pieces}};
  send_ = side;
  receive_ = side;
  receive_.packed = side.packed && !sends;
  make_scratch(padded(side.inside.cut.largest()));
  return MPI_SUCCESS;
}

int Staging::prepare_elements() {
  const UserBuffer& source = operation_.in_place ? operation_.receive : operation_.send;
  const Pieces cut{source.count, schedule_.pieces};
  send_ = {.outside = source, .inside = source, .blocks = 1};
  receive_ = {.outside = operation_.receive, .inside = operation_.receive, .blocks = 1};
  if (operation_.in_place && !workspace_.in_place && send_blocks() > 0) {
    if (const int code = make_mirror(send_.inside); code != MPI_SUCCESS) return code;
  }
  // Scratch has the type of the elements even on a rank without a receive buffer.
  for (Side* side : {&send_, &receive_}) {
    side->inside.type = source.type;
    side->inside.unit_bytes = source.unit_bytes;
    side->inside.count = source.count;
    side->inside.cut = cut;
  }
  MPI_Aint true_lower = 0;
  MPI_Aint true_extent = 0;
  real.Type_get_true_extent(source.type, &true_lower, &true_extent);
  const MPI_Aint beyond = std::max<MPI_Aint>(true_extent - source.unit_bytes, 0);
  make_scratch(padded(cut.largest() * source.unit_bytes + beyond));
  scratch_.base -= true_lower;
  return MPI_SUCCESS;
}

void Staging::make_scratch(MPI_Count block_bytes) {
  workspace_.scratch.resize(static_cast<std::size_t>(schedule_.scratch * block_bytes));
  scratch_ = {workspace_.scratch.data(), block_bytes};
}

void Staging::lay_out_packed(Side& side, std::vector<char>& storage) {
  MPI_Aint end = 0;
  for (int block = 0; block < side.blocks; ++block) {
    side.places.push_back(end);
    side.counts.push_back(bytes_of(side.outside.block(block)));
    end += static_cast<MPI_Aint>(side.counts.back());
  }
  storage.resize(static_cast<std::size_t>(end));
  side.packed = true;
  const MPI_Count equal = block_bytes_of(side.outside);
  side.inside = {.base = storage.data(), .unit_bytes = 1, .type = MPI_PACKED, .count = equal};
  if (equal > 0 || side.blocks == 0) return;
  side.inside.counts = side.counts.data();
  side.inside.displacements = side.places.data();
}

int Staging::pack(Side& side) {
  int code = MPI_SUCCESS;
  for (int block = 0; block < side.blocks && code == MPI_SUCCESS; ++block) {
    code = local_copy(side.outside.block(block), side.inside.block(block), carrier_.twin);
  }
  return code;
}

int Staging::unpack(const Side& side) {
  int first_code = MPI_SUCCESS;
  const bool whole = bool(side.inside.cut);
  for (int block = 0; block < side.blocks; ++block) {
    Part part = side.inside.block(block);
    if (whole) part.type = MPI_PACKED;
    const int code = mpi::deliver(part, side.outside.block(block), carrier_.twin);
    if (first_code == MPI_SUCCESS) first_code = code;
  }
  return first_code;
}

/// Blocks are addressed relative to the base; the mirror holds only what they touch of it, in the
/// user's layout, so the sends need no other datatype.
int Staging::make_mirror(UserBuffer& send) {
  const UserBuffer& receive = operation_.receive;
  const int blocks = workspace_.collective.bytes == Measure::vector ? 1 : schedule_.ranks;
  const Span span = span_of(receive, blocks);
  workspace_.mirror.resize(static_cast<std::size_t>(span.bytes));
  send = receive;
  send.base = reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(workspace_.mirror.data()) -
                                      static_cast<std::uintptr_t>(span.begin));
  for (int block = 0; block < blocks; ++block) {
    const int code = local_copy(receive.block(block), send.block(block), carrier_.twin);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

ByteBlocks Staging::bytes_of_side(Side& side) const {
  if (side.blocks == 0) return {};
  const UserBuffer& buffer = side.inside;
  ByteBlocks bytes{.base = reinterpret_cast<std::byte*>(buffer.base)};
  if (buffer.cut) {
    bytes.cut = buffer.cut;
    bytes.unit_bytes = static_cast<std::size_t>(buffer.unit_bytes);
    return bytes;
  }
  bytes.block_bytes = static_cast<std::size_t>(block_bytes_of(buffer));
  if (bytes.block_bytes > 0) return bytes;
  for (int block = 0; block < side.blocks; ++block) {
    const Part part = buffer.block(block);
    // Displacements can be negative; the sum with the base comes out right all the same.
    side.offsets.push_back(static_cast<std::size_t>(part.address - buffer.base));
    side.sizes.push_back(static_cast<std::size_t>(bytes_of(part)));
  }
  bytes.offsets = side.offsets;
  bytes.sizes = side.sizes;
  return bytes;
}

ByteBlocks Staging::send_bytes() { return bytes_of_side(send_); }
ByteBlocks Staging::receive_bytes() { return bytes_of_side(receive_); }

ByteBlocks Staging::scratch_bytes() const {
  return {.base = reinterpret_cast<std::byte*>(scratch_.base),
          .block_bytes = static_cast<std::size_t>(scratch_.block_bytes),
          .cut = receive_.inside.cut,
          .unit_bytes = static_cast<std::size_t>(receive_.inside.unit_bytes)};
}

}  // namespace suiro::mpi
