// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/watch/check.hpp"

#include <algorithm>
#include <vector>

#include "mpi/job/job.hpp"
#include "mpi/underneath/elapsed.hpp"
#include "mpi/underneath/usual_arithmetic.hpp"
#include "mpi/watch/record.hpp"
#include "mpi/watch/tolerance.hpp"

namespace suiro::mpi {

namespace {

// MPI_Pack counts in int, so that large blocks go in pieces.
constexpr MPI_Count piece_bytes_max = 1 << 28;

/// The blocks' data without the gaps of their datatype.
using Packed = std::vector<std::vector<char>>;

/// MPI_BOTTOM is an address like any other, but MPICH's MPI_Pack and MPI_Unpack refuse it: there,
/// elements are one byte further on and their type is one byte less.
class NotAtBottom {
 public:
  NotAtBottom(void* address, int count, MPI_Datatype type)
      : address_(address), count_(count), type_(type), moved_(address == nullptr) {
    if (!moved_) return;
    address_ = reinterpret_cast<void*>(1);
    const MPI_Aint place = -1;
    real.Type_create_hindexed(1, &count, &place, type, &type_);
    real.Type_commit(&type_);
    count_ = 1;
  }
  ~NotAtBottom() {
    if (moved_) real.Type_free(&type_);
  }
  NotAtBottom(const NotAtBottom&) = delete;
  NotAtBottom& operator=(const NotAtBottom&) = delete;

  void* address() const { return address_; }
  int count() const { return count_; }
  MPI_Datatype type() const { return type_; }

 private:
  void* address_;
  int count_;
  MPI_Datatype type_;
  bool moved_;
};

/// Calls visit(address, count, type, bytes) for pieces of a block.
template <class Visit>
void for_each_piece(const UserBuffer& buffer, int block, Visit&& visit) {
  const Part part = buffer.block(block);
  MPI_Count size = 0;
  real.Type_size_x(part.type, &size);
  const MPI_Aint extent = extent_of(part.type);
  const MPI_Count step = std::max<MPI_Count>(1, piece_bytes_max / std::max<MPI_Count>(1, size));
  for (MPI_Count done = 0; done < part.count; done += step) {
    const MPI_Count elements = std::min(step, part.count - done);
    visit(part.address + done * extent, static_cast<int>(elements), part.type,
          static_cast<std::size_t>(elements * size));
  }
}

Packed pack(const UserBuffer& buffer, int blocks) {
  Packed packed(static_cast<std::size_t>(blocks));
  for (int block = 0; block < blocks; ++block) {
    std::vector<char>& bytes = packed[static_cast<std::size_t>(block)];
    for_each_piece(buffer, block,
                   [&](void* address, int count, MPI_Datatype type, std::size_t size) {
                     const NotAtBottom from(address, count, type);
                     int bound = 0;
                     int position = 0;
                     real.Pack_size(from.count(), from.type(), MPI_COMM_SELF, &bound);
                     std::vector<char> piece(static_cast<std::size_t>(std::max(bound, 1)));
                     real.Pack(from.address(), from.count(), from.type(), piece.data(), bound,
                               &position, MPI_COMM_SELF);
                     bytes.insert(bytes.end(), piece.begin(),
                                  piece.begin() + static_cast<std::ptrdiff_t>(size));
                   });
  }
  return packed;
}

void unpack(const Packed& packed, const UserBuffer& buffer) {
  for (std::size_t block = 0; block < packed.size(); ++block) {
    const char* next = packed[block].data();
    for_each_piece(buffer, static_cast<int>(block),
                   [&](void* address, int count, MPI_Datatype type, std::size_t size) {
                     const NotAtBottom to(address, count, type);
                     int position = 0;
                     real.Unpack(next, static_cast<int>(size), &position, to.address(), to.count(),
                                 to.type(), MPI_COMM_SELF);
                     next += size;
                   });
  }
}

std::optional<Difference> first_difference(const Packed& ours, const Packed& native,
                                           const Tolerance& tolerance) {
  for (std::size_t block = 0; block < ours.size(); ++block) {
    const auto found = tolerance.first_beyond(ours[block], native[block]);
    if (found) return Difference{static_cast<int>(block), *found};
  }
  return std::nullopt;
}

/// How many blocks the user's receive buffer has on this rank.
int blocks_received(const Communicator& communicator, const Collective& collective,
                    const Operation& operation) {
  const Instance instance{communicator.ranks(), operation.root, 1};
  return static_cast<int>(collective.receive_blocks(instance, communicator.rank()));
}

Tolerance tolerance_of(const Communicator& communicator, const Collective& collective,
                       const Operation& operation, const Packed& sent) {
  if (!collective.reduces) return {};
  const UsualArithmetic usual;
  return {operation, communicator.ranks(), sent.front()};
}

}  // namespace

std::optional<int> run_checked(Communicator& communicator, const Collective& collective,
                               Choice& choice, const Operation& operation, Native native,
                               Observation& call, std::string_view& lack) {
  const int blocks = blocks_received(communicator, collective, operation);
  const Instance whole{communicator.ranks(), operation.root, 1};
  const bool overwritten = operation.in_place && blocks > 0;
  // A vector with blocks for all ranks is one block.
  const auto sent =
      static_cast<int>(collective.cut() ? 1 : collective.send_blocks(whole, communicator.rank()));
  const bool needed = overwritten || collective.reduces;
  const Packed before = needed ? pack(operation.send, sent) : Packed();
  const Tolerance tolerance = tolerance_of(communicator, collective, operation, before);
  const double begin_s = now_s();
  const Ending ran = communicator.run(collective, choice, operation);
  call.seconds = elapsed_s(begin_s);
  lack = text_of(ran.lacks);
  if (!lack.empty()) return std::nullopt;
  const bool succeeded = ran.code == MPI_SUCCESS;
  const Packed ours = succeeded ? pack(operation.receive, blocks) : Packed();
  if (overwritten) unpack(before, operation.send);
  const double native_begin_s = now_s();
  const int code = native();
  const double native_s = elapsed_s(native_begin_s);
  if (!succeeded || code != MPI_SUCCESS) return code;
  call.native_seconds = native_s;  // both times: the two were compared
  const Packed theirs = pack(operation.receive, blocks);
  const UsualArithmetic usual;
  const auto difference = first_difference(ours, theirs, tolerance);
  if (difference) record.add(communicator, collective, choice, *difference);
  return code;
}

}  // namespace suiro::mpi
