// SPDX-License-Identifier: BSD-3-Clause
// Where the blocks of a call are for the transport that carries them: in the user's buffers if they
// can travel from there, else in copies.
//
// Blocks that are not cut travel over MPI as the user's count and type. What suiro's own transport
// carries are bytes, so there plain types are sent from where they are, and others are packed, each
// rank for itself, since ranks may describe the same bytes differently. What is cut in bytes is
// packed whole unless its type is plain and its blocks follow each other, as MPI_Pack cannot stop
// at a byte. What is reduced is cut in elements, and stays in the user's layout, as
// MPI_Reduce_local needs it.
#pragma once

#include <vector>

#include "mpi/carry/mpi_transport.hpp"
#include "mpi/carry/run.hpp"
#include "mpi/carry/run_memory.hpp"
#include "mpi/carry/workspace.hpp"

namespace suiro::mpi {

class Staging {
 public:
  /// Finds out what is needed, and takes nothing. `joined`: blocks are joined, and packed
  /// elsewhere.
  Staging(Workspace& workspace, const Carrier& carrier, const Operation& operation, bool joined);

  const Needs& needs() const { return needs_; }
  /// Before anything is sent: finds places in that memory, and makes the copies. The code of an MPI
  /// error.
  int fill(const RunMemory& memory);
  /// After all has arrived. The code of an MPI error.
  int deliver();

  const Places& places() const { return places_; }
  BytesOfBuffers bytes();

 private:
  enum class Copy : std::uint8_t {
    none,
    packed,  // block after block without gaps
    mirror   // in the user's layout
  };

  /// A buffer of the user's, and what the transport sees of it.
  struct Side {
    UserBuffer outside;
    UserBuffer inside;
    int blocks = 0;  // of `outside`
    Copy copy = Copy::none;
    MPI_Aint copy_begin =
        0;                  // of a copy: where its memory begins, relative to the base of `inside`
    bool delivered = true;  // a copy of what arrives is unpacked
    std::vector<MPI_Count> counts = {};
    std::vector<MPI_Aint> places = {};
    std::vector<std::size_t> offsets = {};  // for suiro's transport, where blocks differ
    std::vector<std::size_t> sizes = {};
  };

  void find_blocks();
  void lay_out_blocks();
  void lay_out_bytes();
  void lay_out_elements();
  Pieces cut_of(const UserBuffer& block, MPI_Count unit_bytes);
  void lay_out_packed(Side& side, Use use);
  void lay_out_pieces(Side& side, const Pieces& cut, Use use);
  void lay_out_mirror(Side& send);
  void lay_out_scratch(MPI_Count block_bytes);
  void lay_out_work(MPI_Count beyond);
  static Part packed_block(const Side& side, int block);
  int copy_out(Side& send);
  int unpack(const Side& side);
  ByteBlocks bytes_of_side(Side& side) const;

  Workspace& workspace_;
  const Carrier& carrier_;
  const Operation& operation_;
  const Schedule& schedule_;
  const Collective& collective_;
  bool joined_;
  Side send_;
  Side receive_;
  Places places_;
  Needs needs_;
  MPI_Aint element_begin_ = 0;  // of an element's data, relative to the element
  MPI_Aint work_begin_ = 0;     // of the work buffer's memory, relative to all pieces
};

}  // namespace suiro::mpi
