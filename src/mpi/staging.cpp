// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/staging.hpp"

#include <algorithm>
#include <optional>

namespace suiro::mpi {

namespace {

/// A buffer of no blocks is not the user's, and has no type.
bool all_plain(const UserBuffer& buffer, int blocks) {
  if (blocks == 0) return true;
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

/// Where the data begin when blocks follow each other without gaps, each as large as it is known to
/// be; else nothing.
std::optional<char*> dense_begin(const UserBuffer& buffer, int blocks, const Pieces& cut) {
  if (!is_plain(buffer.type)) return std::nullopt;
  std::optional<char*> begin;
  const auto at = [&](std::int64_t block) {
    return cut.begin(buffer.first_piece + block * cut.pieces);
  };
  const bool alike = !buffer.counts && cut.begins.empty();
  for (int block = 0; block < (alike ? 1 : blocks); ++block) {
    const Part part = buffer.block(block);
    if (bytes_of(part) != at(block + 1) - at(block)) return std::nullopt;
    if (part.count == 0) continue;
    char* const found = part.address - (at(block) - at(0));
    if (begin.value_or(found) != found) return std::nullopt;
    begin = found;
  }
  return begin.value_or(buffer.base);
}

}  // namespace

Staging::Staging(Workspace& workspace, const Carrier& carrier, const Operation& operation,
                 bool joined)
    : workspace_(workspace),
      carrier_(carrier),
      operation_(operation),
      schedule_(workspace.executor.schedule()),
      collective_(workspace.collective),
      joined_(joined) {
  const Instance whole{schedule_.ranks, schedule_.root, 1};
  send_ = {.outside = operation.send, .inside = operation.send};
  receive_ = {.outside = operation.receive, .inside = operation.receive};
  send_.blocks = static_cast<int>(collective_.send_blocks(whole, carrier.rank));
  receive_.blocks = static_cast<int>(collective_.receive_blocks(whole, carrier.rank));
  if (!collective_.cut()) return;
  const Instance cut{schedule_.ranks, schedule_.root, schedule_.pieces};
  for (Side* side : {&send_, &receive_}) {
    if (side->blocks == 0) continue;
    const std::int64_t first = side == &send_ ? collective_.piece(cut, carrier.rank, 0)
                                              : collective_.received_piece(cut, carrier.rank, 0);
    side->outside.first_piece = side->inside.first_piece = first;
  }
}

int Staging::prepare() {
  int code = MPI_SUCCESS;
  const bool sizes_known = operation_.sizes == Sizes::equal || operation_.sizes == Sizes::known;
  if (collective_.cut() && sizes_known) {
    code = collective_.reduces ? prepare_elements() : prepare_bytes();
  } else if (collective_.bytes != Measure::nothing) {
    code = prepare_blocks();
  }
  places_.send = send_.inside;
  places_.receive = receive_.inside;
  return code;
}

int Staging::deliver() { return receive_.packed ? unpack(receive_) : MPI_SUCCESS; }

/// In place, the blocks to send are overwritten by those that arrive, so they are copied first. A
/// rank that receives with another size than it sends with, which is an error of the program, must
/// not spoil what it carries for others: the size to send is taken to be everyone's.
int Staging::prepare_blocks() {
  const bool on_net = carrier_.net != nullptr && !joined_;
  const bool overwritten = operation_.in_place && collective_.bytes == Measure::per_pair;
  int code = MPI_SUCCESS;
  if (on_net && (overwritten || !all_plain(send_.outside, send_.blocks))) {
    lay_out_packed(send_, workspace_.mirror);
    code = pack(send_);
  } else if (overwritten) {
    code = make_mirror(send_);
  }
  if (code != MPI_SUCCESS || joined_) return code;
  if (schedule_.scratch > 0) {
    const MPI_Count bytes = block_bytes_of(send_.outside);
    if (bytes != block_bytes_of(receive_.outside)) {
      workspace_.arrivals.resize(static_cast<std::size_t>(receive_.blocks * bytes));
      receive_.inside = {
          .base = workspace_.arrivals.data(), .unit_bytes = 1, .type = MPI_PACKED, .count = bytes};
      receive_.packed = true;
    }
    make_scratch(bytes);
  }
  if (on_net && !receive_.packed && !all_plain(receive_.outside, receive_.blocks)) {
    lay_out_packed(receive_, workspace_.arrivals);
  }
  return MPI_SUCCESS;
}

/// Of how many units each block is, and where in all it begins.
Pieces Staging::cut_of(const UserBuffer& block, MPI_Count unit_bytes) {
  Pieces cut{.units = block.count * unit_bytes, .pieces = schedule_.pieces};
  if (operation_.sizes != Sizes::known) return cut;
  std::vector<std::int64_t>& begins = workspace_.begins;
  begins.assign(1, 0);
  for (int rank = 0; rank < schedule_.ranks; ++rank) {
    begins.push_back(begins.back() + operation_.counts[rank] * unit_bytes);
  }
  cut.begins = begins;
  return cut;
}

int Staging::prepare_bytes() {
  const Side& known = send_.blocks > 0 && operation_.sizes == Sizes::equal ? send_ : receive_;
  MPI_Count element = 0;
  real.Type_size_x(known.outside.type, &element);
  const Pieces cut = cut_of(known.outside, element);
  places_.work = {.unit_bytes = 1, .type = MPI_BYTE, .cut = cut};
  int code = lay_bytes(send_, cut, workspace_.mirror, true);
  if (code != MPI_SUCCESS) return code;
  code = lay_bytes(receive_, cut, workspace_.arrivals, false);
  // In place at the root of a scatter, what is for itself stays where it is.
  if (operation_.in_place && receive_.blocks < send_.blocks) receive_.packed = false;
  make_scratch(padded(cut.largest()));
  places_.work.base = make_work(cut.begin(collective_.blocks(schedule_.ranks) * cut.pieces));
  return code;
}

/// From where the data are, if they lie there as the transport needs them.
int Staging::lay_bytes(Side& side, const Pieces& cut, std::vector<char>& storage, bool sends) {
  if (side.blocks == 0) return MPI_SUCCESS;
  const std::int64_t first = side.outside.first_piece;
  const std::optional<char*> begin = dense_begin(side.outside, side.blocks, cut);
  side.packed = !begin;
  if (side.packed)
    storage.resize(static_cast<std::size_t>(cut.size(first, side.blocks * cut.pieces)));
  side.inside = {.base = begin.value_or(storage.data()),
                 .unit_bytes = 1,
                 .type = MPI_BYTE,
                 .cut = cut,
                 .first_piece = first};
  return side.packed && sends ? pack(side) : MPI_SUCCESS;
}

int Staging::prepare_elements() {
  const UserBuffer& source = operation_.send;
  UserBuffer block = collective_.for_each_rank ? operation_.receive : source;
  const Pieces cut = cut_of(block, 1);
  const bool overwritten = operation_.in_place && !workspace_.in_place && receive_.blocks > 0;
  send_.blocks = std::min(send_.blocks, 1);
  if (overwritten) {
    if (const int code = make_mirror(send_); code != MPI_SUCCESS) return code;
  }
  places_.work = {.unit_bytes = source.unit_bytes, .type = source.type, .cut = cut};
  for (Side* side : {&send_, &receive_}) {
    side->inside.type = source.type;
    side->inside.unit_bytes = source.unit_bytes;
    side->inside.cut = cut;
  }
  MPI_Aint true_lower = 0;
  MPI_Aint true_extent = 0;
  real.Type_get_true_extent(source.type, &true_lower, &true_extent);
  const MPI_Aint beyond = std::max<MPI_Aint>(true_extent - source.unit_bytes, 0);
  make_scratch(padded(cut.largest() * source.unit_bytes + beyond));
  places_.scratch.base -= true_lower;
  const std::int64_t all = cut.begin(collective_.blocks(schedule_.ranks) * cut.pieces);
  places_.work.base = make_work(all * source.unit_bytes + beyond) - true_lower;
  return MPI_SUCCESS;
}

void Staging::make_scratch(MPI_Count block_bytes) {
  workspace_.scratch.resize(static_cast<std::size_t>(schedule_.scratch * block_bytes));
  places_.scratch = {workspace_.scratch.data(), block_bytes};
}

/// Not written when it is made: what no rank uses of it takes up no pages.
char* Staging::make_work(MPI_Count bytes) {
  if (schedule_.work) workspace_.work.reserve(static_cast<std::size_t>(bytes));
  return reinterpret_cast<char*>(workspace_.work.data());
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

/// A block of a copy.
Part Staging::packed_block(const Side& side, int block) {
  if (!side.inside.cut) return side.inside.block(block);
  const std::int64_t pieces = side.inside.cut.pieces;
  Part part = side.inside.blocks(block * pieces, pieces);
  part.type = MPI_PACKED;
  return part;
}

int Staging::pack(Side& side) {
  int code = MPI_SUCCESS;
  for (int block = 0; block < side.blocks && code == MPI_SUCCESS; ++block) {
    code = local_copy(side.outside.block(block), packed_block(side, block), carrier_.twin);
  }
  return code;
}

int Staging::unpack(const Side& side) {
  int first_code = MPI_SUCCESS;
  for (int block = 0; block < side.blocks; ++block) {
    const int code =
        mpi::deliver(packed_block(side, block), side.outside.block(block), carrier_.twin);
    if (first_code == MPI_SUCCESS) first_code = code;
  }
  return first_code;
}

/// Blocks are addressed relative to the base; the mirror holds only what they touch of it, in the
/// user's layout, so the sends need no other datatype.
int Staging::make_mirror(Side& send) {
  const Span span = span_of(send.outside, send.blocks);
  workspace_.mirror.resize(static_cast<std::size_t>(span.bytes));
  send.inside.base =
      reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(workspace_.mirror.data()) -
                              static_cast<std::uintptr_t>(span.begin));
  for (int block = 0; block < send.blocks; ++block) {
    const int code = local_copy(send.outside.block(block), send.inside.block(block), carrier_.twin);
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
    bytes.first_piece = buffer.first_piece;
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

BytesOfBuffers Staging::bytes() {
  BytesOfBuffers all{bytes_of_side(send_), bytes_of_side(receive_)};
  ByteBlocks& scratch = all[static_cast<std::size_t>(Buffer::scratch)];
  ByteBlocks& work = all[static_cast<std::size_t>(Buffer::work)];
  work = {.base = reinterpret_cast<std::byte*>(places_.work.base),
          .cut = places_.work.cut,
          .unit_bytes = static_cast<std::size_t>(places_.work.unit_bytes)};
  scratch = work;
  scratch.base = reinterpret_cast<std::byte*>(places_.scratch.base);
  scratch.block_bytes = static_cast<std::size_t>(places_.scratch.block_bytes);
  return all;
}

}  // namespace suiro::mpi
