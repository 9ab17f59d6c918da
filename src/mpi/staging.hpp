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

#include "mpi/mpi_transport.hpp"
#include "mpi/run.hpp"
#include "mpi/workspace.hpp"

namespace suiro::mpi {

class Staging {
 public:
  /// `joined`: blocks are joined, and packed elsewhere.
  Staging(Workspace& workspace, const Carrier& carrier, const Operation& operation, bool joined);

  /// Before anything is sent: finds places and makes the copies. The code of an MPI error.
  int prepare();
  /// After all has arrived. The code of an MPI error.
  int deliver();

  const Places& places() const { return places_; }
  BytesOfBuffers bytes();

 private:
  /// A buffer of the user's, and what the transport sees of it.
  struct Side {
    UserBuffer outside;
    UserBuffer inside;
    int blocks = 0;       // of `outside`
    bool packed = false;  // `inside` is a copy, block after block without gaps
    std::vector<MPI_Count> counts = {};
    std::vector<MPI_Aint> places = {};
    std::vector<std::size_t> offsets = {};  // for suiro's transport, where blocks differ
    std::vector<std::size_t> sizes = {};
  };

  int prepare_blocks();
  int prepare_bytes();
  int prepare_elements();
  Pieces cut_of(const UserBuffer& block, MPI_Count unit_bytes);
  void lay_out_packed(Side& side, std::vector<char>& storage);
  int lay_bytes(Side& side, const Pieces& cut, std::vector<char>& storage, bool sends);
  static Part packed_block(const Side& side, int block);
  int pack(Side& side);
  int unpack(const Side& side);
  int make_mirror(Side& send);
  void make_scratch(MPI_Count block_bytes);
  char* make_work(MPI_Count bytes);
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
};

}  // namespace suiro::mpi
