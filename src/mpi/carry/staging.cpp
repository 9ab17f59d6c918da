// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/carry/staging.hpp"

#include <algorithm>
#include <optional>

#include "mpi/underneath/copies.hpp"

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

/// The base of a buffer whose part from `begin` on is in this memory.
char* base_of(std::byte* memory, MPI_Aint begin) {
  return reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(memory) -
                                 static_cast<std::uintptr_t>(begin));
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
  find_blocks();
  const bool sizes_known = operation_.sizes == Sizes::equal || operation_.sizes == Sizes::known;
  if (collective_.cut() && sizes_known) {
    collective_.reduces ? lay_out_elements() : lay_out_bytes();
  } else if (collective_.bytes != Measure::nothing) {
    lay_out_blocks();
  }
}

void Staging::find_blocks() {
  const Instance whole{schedule_.ranks, schedule_.root, 1};
  send_ = {.outside = operation_.send, .inside = operation_.send};
  receive_ = {.outside = operation_.receive, .inside = operation_.receive};
  send_.blocks = static_cast<int>(collective_.send_blocks(whole, carrier_.rank));
  receive_.blocks = static_cast<int>(collective_.receive_blocks(whole, carrier_.rank));
  if (!collective_.cut()) return;
  const Instance cut{schedule_.ranks, schedule_.root, schedule_.pieces};
  for (Side* side : {&send_, &receive_}) {
    if (side->blocks == 0) continue;
    const std::int64_t first = side == &send_ ? collective_.piece(cut, carrier_.rank, 0)
                                              : collective_.received_piece(cut, carrier_.rank, 0);
    side->outside.first_piece = side->inside.first_piece = first;
  }
}

int Staging::fill(const RunMemory& memory) {
  if (send_.copy != Copy::none) send_.inside.base = base_of(memory[Use::mirror], send_.copy_begin);
  if (receive_.copy != Copy::none) {
    receive_.inside.base = base_of(memory[Use::arrivals], receive_.copy_begin);
  }
  places_.send = send_.inside;
  places_.receive = receive_.inside;
  places_.scratch.base = base_of(memory[Use::scratch], element_begin_);
  places_.work.base = base_of(memory[Use::work], work_begin_ + element_begin_);
  return send_.copy == Copy::none ? MPI_SUCCESS : copy_out(send_);
}

int Staging::deliver() {
  return receive_.copy != Copy::none && receive_.delivered ? unpack(receive_) : MPI_SUCCESS;
}

/// In place, the blocks to send are overwritten by those that arrive, so they are copied first. A
/// rank that receives with another size than it sends with, which is an error of the program, must
/// not spoil what it carries for others: the size to send is taken to be everyone's.
void Staging::lay_out_blocks() {
  const bool on_net = carrier_.net != nullptr && !joined_;
  const bool overwritten = operation_.in_place && collective_.bytes == Measure::per_pair;
  if (on_net && (overwritten || !all_plain(send_.outside, send_.blocks))) {
    lay_out_packed(send_, Use::mirror);
  } else if (overwritten) {
    lay_out_mirror(send_);
  }
  if (joined_) return;
  if (schedule_.scratch > 0) {
    const MPI_Count bytes = block_bytes_of(send_.outside);
    if (bytes != block_bytes_of(receive_.outside)) {
      receive_.inside = {.unit_bytes = 1, .type = MPI_PACKED, .count = bytes};
      receive_.copy = Copy::packed;
      needs_[Use::arrivals] = static_cast<std::size_t>(receive_.blocks * bytes);
    }
    lay_out_scratch(bytes);
  }
  if (on_net && receive_.copy == Copy::none && !all_plain(receive_.outside, receive_.blocks)) {
    lay_out_packed(receive_, Use::arrivals);
  }
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

void Staging::lay_out_bytes() {
  const Side& known = send_.blocks > 0 && operation_.sizes == Sizes::equal ? send_ : receive_;
  MPI_Count element = 0;
  real.Type_size_x(known.outside.type, &element);
  const Pieces cut = cut_of(known.outside, element);
  places_.work = {.unit_bytes = 1, .type = MPI_BYTE, .cut = cut};
  lay_out_pieces(send_, cut, Use::mirror);
  lay_out_pieces(receive_, cut, Use::arrivals);
  // In place at the root of a scatter, what is for itself stays where it is.
  if (operation_.in_place && receive_.blocks < send_.blocks) receive_.delivered = false;
  lay_out_scratch(padded(cut.largest()));
  lay_out_work(0);
}

/// From where the data are, if they lie there as the transport needs them.
void Staging::lay_out_pieces(Side& side, const Pieces& cut, Use use) {
  if (side.blocks == 0) return;
  const std::int64_t first = side.outside.first_piece;
  const std::optional<char*> begin = dense_begin(side.outside, side.blocks, cut);
  if (!begin) {
    side.copy = Copy::packed;
    needs_[use] = static_cast<std::size_t>(cut.size(first, side.blocks * cut.pieces));
  }
  side.inside = {.base = begin.value_or(nullptr),
                 .unit_bytes = 1,
                 .type = MPI_BYTE,
                 .cut = cut,
                 .first_piece = first};
}

void Staging::lay_out_elements() {
  const UserBuffer& source = operation_.send;
  const Pieces cut = cut_of(collective_.for_each_rank ? operation_.receive : source, 1);
  const bool overwritten = operation_.in_place && !workspace_.in_place && receive_.blocks > 0;
  send_.blocks = std::min(send_.blocks, 1);
  if (overwritten) lay_out_mirror(send_);
  places_.work = {.unit_bytes = source.unit_bytes, .type = source.type, .cut = cut};
  for (Side* side : {&send_, &receive_}) {
    side->inside.type = source.type;
    side->inside.unit_bytes = source.unit_bytes;
    side->inside.cut = cut;
  }
  MPI_Aint true_extent = 0;
  real.Type_get_true_extent(source.type, &element_begin_, &true_extent);
  const MPI_Aint beyond = std::max<MPI_Aint>(true_extent - source.unit_bytes, 0);
  lay_out_scratch(padded(cut.largest() * source.unit_bytes + beyond));
  lay_out_work(beyond);
}

void Staging::lay_out_scratch(MPI_Count block_bytes) {
  places_.scratch.block_bytes = block_bytes;
  needs_[Use::scratch] = static_cast<std::size_t>(workspace_.takes.scratch * block_bytes);
}

/// Only the pieces from the first to the last that this rank has there.
void Staging::lay_out_work(MPI_Count beyond) {
  const Footprint& takes = workspace_.takes;
  if (takes.work_count == 0) return;
  const Pieces& cut = places_.work.cut;
  const MPI_Aint unit = places_.work.unit_bytes;
  work_begin_ = cut.begin(takes.work_first) * unit;
  needs_[Use::work] =
      static_cast<std::size_t>(cut.size(takes.work_first, takes.work_count) * unit + beyond);
}

void Staging::lay_out_packed(Side& side, Use use) {
  MPI_Aint end = 0;
  for (int block = 0; block < side.blocks; ++block) {
    side.places.push_back(end);
    side.counts.push_back(bytes_of(side.outside.block(block)));
    end += static_cast<MPI_Aint>(side.counts.back());
  }
  side.copy = Copy::packed;
  needs_[use] = static_cast<std::size_t>(end);
  const MPI_Count equal = block_bytes_of(side.outside);
  side.inside = {.unit_bytes = 1, .type = MPI_PACKED, .count = equal};
  if (equal > 0 || side.blocks == 0) return;
  side.inside.counts = side.counts.data();
  side.inside.displacements = side.places.data();
}

/// Blocks are addressed relative to the base; the mirror holds only what they touch of it, in the
/// user's layout, so the sends need no other datatype.
void Staging::lay_out_mirror(Side& send) {
  const Span span = span_of(send.outside, send.blocks);
  send.copy = Copy::mirror;
  send.copy_begin = span.begin;
  needs_[Use::mirror] = static_cast<std::size_t>(span.bytes);
}

/// A block of a copy.
Part Staging::packed_block(const Side& side, int block) {
  if (!side.inside.cut) return side.inside.block(block);
  const std::int64_t pieces = side.inside.cut.pieces;
  Part part = side.inside.blocks(block * pieces, pieces);
  part.type = MPI_PACKED;
  return part;
}

int Staging::copy_out(Side& send) {
  int code = MPI_SUCCESS;
  for (int block = 0; block < send.blocks && code == MPI_SUCCESS; ++block) {
    const Part copy =
        send.copy == Copy::packed ? packed_block(send, block) : send.inside.block(block);
    code = local_copy(send.outside.block(block), copy, carrier_.twin);
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
