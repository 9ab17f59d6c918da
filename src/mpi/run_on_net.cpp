// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/run_on_net.hpp"

#include "mpi/job.hpp"
#include "mpi/workspace.hpp"
#include "net/complaint.hpp"

namespace suiro::mpi {
namespace {

/// A user's buffer as bytes: where they are, or in `storage`, packed block after block.
struct ByteView {
  ByteBlocks blocks;
  std::vector<std::size_t> offsets;
  std::vector<std::size_t> sizes;
  bool packed = false;
};

bool all_plain(const UserBuffer& buffer, int ranks) {
  if (buffer.types == nullptr) return is_plain(buffer.type);
  for (int rank = 0; rank < ranks; ++rank) {
    const Part part = buffer.block(rank);
    if (part.count > 0 && !is_plain(part.type)) return false;
  }
  return true;
}

/// Where each block is, when all are used where they are.
void view_in_place(const UserBuffer& buffer, int ranks, ByteView& view) {
  view.blocks.base = reinterpret_cast<std::byte*>(buffer.base);
  if (const MPI_Count bytes = block_bytes_of(buffer); bytes > 0) {
    view.blocks.block_bytes = static_cast<std::size_t>(bytes);
    return;
  }
  for (int rank = 0; rank < ranks; ++rank) {
    const Part part = buffer.block(rank);
    // Displacements can be negative; the sum with the base comes out right all the same.
    view.offsets.push_back(static_cast<std::size_t>(part.address - buffer.base));
    view.sizes.push_back(static_cast<std::size_t>(bytes_of(part)));
  }
}

void view_packed(const UserBuffer& buffer, int ranks, std::vector<char>& storage, ByteView& view) {
  std::size_t end = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    view.offsets.push_back(end);
    view.sizes.push_back(static_cast<std::size_t>(bytes_of(buffer.block(rank))));
    end += view.sizes.back();
  }
  storage.resize(end);
  view.blocks.base = reinterpret_cast<std::byte*>(storage.data());
  view.blocks.block_bytes = static_cast<std::size_t>(block_bytes_of(buffer));
  view.packed = true;
}

ByteView make_view(const UserBuffer& buffer, int ranks, bool copied, std::vector<char>& storage) {
  ByteView view;
  if (copied || !all_plain(buffer, ranks)) {
    view_packed(buffer, ranks, storage, view);
  } else {
    view_in_place(buffer, ranks, view);
  }
  if (view.blocks.block_bytes == 0) {
    view.blocks.offsets = view.offsets;
    view.blocks.sizes = view.sizes;
  }
  return view;
}

Part packed_part(const ByteView& view, int rank) {
  const auto block = static_cast<std::size_t>(rank);
  char* base = reinterpret_cast<char*>(view.blocks.base);
  return {base + view.offsets[block], static_cast<MPI_Count>(view.sizes[block]), MPI_PACKED};
}

int pack(const UserBuffer& buffer, const ByteView& view, int ranks, MPI_Comm twin) {
  int code = MPI_SUCCESS;
  for (int rank = 0; rank < ranks && code == MPI_SUCCESS && view.packed; ++rank) {
    code = local_copy(buffer.block(rank), packed_part(view, rank), twin);
  }
  return code;
}

int unpack(const ByteView& view, const UserBuffer& buffer, int ranks, MPI_Comm twin) {
  int code = MPI_SUCCESS;
  for (int rank = 0; rank < ranks && code == MPI_SUCCESS && view.packed; ++rank) {
    code = local_copy(packed_part(view, rank), buffer.block(rank), twin);
  }
  return code;
}

/// The user's own messages may have to arrive at others before these come here: MPI must go on.
void let_mpi_progress(void* twin) {
  int found = 0;
  real.Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, *static_cast<MPI_Comm*>(twin), &found,
              MPI_STATUS_IGNORE);
}

ByteBlocks make_scratch(const Workspace& workspace, const UserBuffer& receive,
                        std::vector<char>& memory) {
  const auto block_bytes = static_cast<std::size_t>(block_bytes_of(receive));
  memory.resize(static_cast<std::size_t>(workspace.executor.schedule().scratch) * block_bytes);
  return {reinterpret_cast<std::byte*>(memory.data()), block_bytes, {}, {}};
}

}  // namespace

Ending run_on_net(Workspace& workspace, const NetGroup& group, MPI_Comm twin,
                  const UserBuffer& send, const UserBuffer& receive, bool in_place) {
  const int ranks = workspace.executor.schedule().ranks;
  const UserBuffer& source = in_place ? receive : send;
  const ByteView sent = make_view(source, ranks, in_place, workspace.mirror);
  const ByteView arriving = make_view(receive, ranks, false, workspace.arrivals);
  if (const int code = pack(source, sent, ranks, twin); code != MPI_SUCCESS) {
    return {code, true, false};
  }
  const ByteBlocks scratch = make_scratch(workspace, receive, workspace.scratch);
  int code = MPI_SUCCESS;
  {
    NetTransport transport(group, sent.blocks, arriving.blocks, scratch, {let_mpi_progress, &twin});
    const bool ran = workspace.executor.run(transport);
    if (!ran || !transport.error().empty()) {
      net::complain("a collective failed on suiro's transport: " + transport.error());
      code = MPI_ERR_OTHER;
    }
  }
  if (code == MPI_SUCCESS) code = unpack(arriving, receive, ranks, twin);
  workspace.shrink();
  return {code, false, code == MPI_ERR_OTHER};
}

}  // namespace suiro::mpi
