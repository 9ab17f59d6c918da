// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/carry/arguments.hpp"

#include <algorithm>

#include "mpi/underneath/copies.hpp"

namespace suiro::mpi {

namespace {

/// MPI gives a null type no meaning; MPICH takes one in MPI_Alltoallw where the count is 0.
bool is_valid(MPI_Count count, MPI_Datatype type) {
#ifdef OPEN_MPI
  return count >= 0 && type != MPI_DATATYPE_NULL;
#else
  return count == 0 || (count > 0 && type != MPI_DATATYPE_NULL);
#endif
}

/// With a count for each of `ranks`, or one for all.
bool is_valid(const UserBuffer& buffer, int ranks) {
  if (buffer.types == nullptr && buffer.type == MPI_DATATYPE_NULL) return false;
  if (!buffer.counts) return buffer.count >= 0;
  if (!buffer.displacements) return false;
  for (int rank = 0; rank < ranks; ++rank) {
    const MPI_Datatype type = buffer.types != nullptr ? buffer.types[rank] : buffer.type;
    if (!is_valid(buffer.counts[rank], type)) return false;
  }
  return true;
}

bool in_place(const UserBuffer& buffer) { return buffer.base == MPI_IN_PLACE; }

void set_unit(UserBuffer& buffer) {
  buffer.unit_bytes = buffer.types != nullptr ? 1 : extent_of(buffer.type);
}

MPI_Count sum_of(const PerBlock<MPI_Count>& counts, int ranks) {
  MPI_Count sum = 0;
  for (int rank = 0; rank < ranks; ++rank) sum += counts[rank];
  return sum;
}

bool complete_pairs(const Collective& collective, int ranks, Operation& operation) {
  UserBuffer& send = operation.send;
  UserBuffer& receive = operation.receive;
  if (collective.unequal() && !(receive.counts && (operation.in_place || send.counts)))
    return false;
  if (!is_valid(receive, ranks) || (!operation.in_place && !is_valid(send, ranks))) return false;
  set_unit(receive);
  if (operation.in_place) send = receive;
  set_unit(send);
  if (!collective.unequal()) operation.bytes = bytes_of(send.count, send.type);
  return collective.unequal() || (operation.bytes && bytes_of(receive.count, receive.type));
}

/// Each rank has the same number of bytes, described in its own way; of what is reduced, the same
/// number of elements.
bool complete_message(const Collective& collective, int ranks, int rank, Operation& operation) {
  UserBuffer given = message_of(operation);
  operation.bytes = bytes_of(given.count, given.type);
  if (!operation.bytes) return false;
  set_unit(given);
  char* const received = operation.receive.base;
  operation.send = operation.receive = given;
  operation.receive.base = received;
  const Instance whole{ranks, operation.root, 1};
  const bool gets = collective.receive_blocks(whole, rank) > 0;
  if (collective.reduces && !gets) operation.receive.base = nullptr;
  return true;
}

/// A vector with a block for each rank is reduced; the counts of all are those of `receive`.
bool complete_vector(const Collective& collective, int ranks, int rank, Operation& operation) {
  UserBuffer& receive = operation.receive;
  if (receive.type == MPI_DATATYPE_NULL) return false;
  MPI_Count total = ranks * receive.count;
  operation.before = rank * receive.count;
  if (collective.unequal()) {
    operation.counts = receive.counts;
    for (int other = 0; other < ranks; ++other) {
      if (!receive.counts || receive.counts[other] < 0) return false;
    }
    total = sum_of(operation.counts, ranks);
    operation.before = sum_of(operation.counts, rank);
    receive.count = operation.counts[rank];
    receive.counts = {};
  }
  set_unit(receive);
  char* const base = message_of(operation).base;
  operation.send = receive;
  operation.send.base = base;
  operation.send.count = total;
  const bool whole = collective.bytes == Measure::vector;
  operation.bytes = bytes_of(whole ? total : receive.count, receive.type);
  return receive.count >= 0 && operation.bytes;
}

/// The block of a rank in a buffer that has one for each.
UserBuffer block_of(const UserBuffer& buffer, int rank) {
  const Part part = buffer.block(rank);
  return {.base = part.address,
          .unit_bytes = buffer.unit_bytes,
          .type = part.type,
          .count = part.count};
}

/// A rank may look only at what it sends or gets. In place, its own block is where all are.
bool complete_blocks(const Collective& collective, int ranks, int rank, Operation& operation) {
  UserBuffer& send = operation.send;
  UserBuffer& receive = operation.receive;
  const Instance whole{ranks, operation.root, 1};
  const bool sends = collective.send_blocks(whole, rank) > 0;
  const bool gets = collective.receive_blocks(whole, rank) > 0;
  if (!sends) send = {};
  if (!gets) receive = {};
  operation.in_place = in_place(send) || in_place(receive);
  if (operation.in_place && !(sends && gets)) return false;
  for (UserBuffer* buffer : {&send, &receive}) {
    if (in_place(*buffer) || (buffer == &send ? !sends : !gets)) continue;
    if (!is_valid(*buffer, ranks)) return false;
    set_unit(*buffer);
  }
  if (in_place(send)) send = block_of(receive, rank);
  if (in_place(receive)) receive = block_of(send, rank);
  if (collective.sizes == Sizes::at_root) return true;
  operation.counts = receive.counts;
  if (operation.counts) {
    operation.bytes = bytes_of(sum_of(operation.counts, ranks), receive.type);
    if (operation.bytes) *operation.bytes /= ranks;
  } else {
    const UserBuffer& known = sends ? send : receive;
    operation.bytes = bytes_of(known.count, known.type);
  }
  return operation.bytes.has_value();
}

}  // namespace

std::optional<std::int64_t> bytes_of(MPI_Count count, MPI_Datatype type) {
  if (count < 0 || type == MPI_DATATYPE_NULL) return std::nullopt;
  MPI_Count size = 0;
  std::int64_t bytes = 0;
  real.Type_size_x(type, &size);
  if (size < 0 || __builtin_mul_overflow(size, count, &bytes)) return std::nullopt;
  return bytes;
}

bool complete(const Collective& collective, int ranks, int rank, Operation& operation) {
  operation.sizes = collective.sizes;
  if (operation.root < 0 || operation.root >= ranks) return false;
  if (collective.reduces && operation.op == MPI_OP_NULL) return false;
  switch (collective.bytes) {
    case Measure::nothing:
      operation.bytes = 0;
      return true;
    case Measure::per_pair:
      return complete_pairs(collective, ranks, operation);
    default:
      break;
  }
  if (!collective.for_each_rank) return complete_message(collective, ranks, rank, operation);
  return collective.reduces ? complete_vector(collective, ranks, rank, operation)
                            : complete_blocks(collective, ranks, rank, operation);
}

int error_of_types(const Operation& operation, int ranks, MPI_Comm communicator) {
  int code = MPI_SUCCESS;
  for (const UserBuffer* buffer : {&operation.send, &operation.receive}) {
    const int blocks = buffer->counts ? ranks : 1;
    MPI_Datatype last{};
    for (int block = 0; block < blocks && code == MPI_SUCCESS; ++block) {
      const MPI_Count count = buffer->counts ? buffer->counts[block] : buffer->count;
      const MPI_Datatype type = buffer->types != nullptr ? buffer->types[block] : buffer->type;
      if (count == 0 || type == last) continue;
      code = error_of_type(type, communicator);
      last = type;
    }
  }
  return code;
}

// In bytes, as ranks may describe the same blocks by types of other sizes.

std::int64_t largest_bytes(const Operation& operation, int ranks) {
  if (!operation.counts) return operation.bytes.value_or(0);
  MPI_Count largest = 0;
  for (int rank = 0; rank < ranks; ++rank) largest = std::max(largest, operation.counts[rank]);
  return bytes_of(Part{nullptr, largest, operation.receive.type});
}

bool is_uneven(const Operation& operation, int ranks) {
  if (!operation.counts) return false;
  constexpr std::int64_t means = 4;
  const MPI_Count total = sum_of(operation.counts, ranks);
  return largest_bytes(operation, ranks) / means * ranks >
         bytes_of(Part{nullptr, total, operation.receive.type});
}

}  // namespace suiro::mpi
