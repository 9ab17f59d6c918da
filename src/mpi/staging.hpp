// SPDX-License-Identifier: BSD-3-Clause
// Where the blocks of a call are for the transport that carries them: in the user's buffers if they
// can travel from there, else in copies.
//
// Blocks of an all-to-all travel over MPI as the user's count and type. What suiro's own transport
// carries are bytes, so there plain types are sent from where they are, and others are packed, each
// rank for itself, since ranks may describe the same bytes differently. A broadcast message is cut
// in bytes: it is packed whole unless its type is plain, as MPI_Pack cannot stop at a byte. What is
// reduced is cut in elements, and stays in the user's layout, as MPI_Reduce_local needs it.
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

  const UserBuffer& send() const { return send_.inside; }
  const UserBuffer& receive() const { return receive_.inside; }
  const Scratch& scratch() const { return scratch_; }

  ByteBlocks send_bytes();
  ByteBlocks receive_bytes();
  ByteBlocks scratch_bytes() const;

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
  int prepare_message();
  int prepare_elements();
  void lay_out_packed(Side& side, std::vector<char>& storage);
  int pack(Side& side);
  int unpack(const Side& side);
  int make_mirror(UserBuffer& send);
  void make_scratch(MPI_Count block_bytes);
  ByteBlocks bytes_of_side(Side& side) const;
  std::int64_t send_blocks() const;
  std::int64_t receive_blocks() const;

  Workspace& workspace_;
  const Carrier& carrier_;
  const Operation& operation_;
  const Schedule& schedule_;
  bool joined_;
  Side send_;
  Side receive_;
  Scratch scratch_;
};

}  // namespace suiro::mpi
