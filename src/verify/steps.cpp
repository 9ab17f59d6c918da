// SPDX-License-Identifier: BSD-3-Clause
// Each step by itself: peers exist, blocks lie within their buffers, scratch and shared say which
// pieces they hold, the send buffer is only read, both sides of a copy are equally long, and what
// is read of another rank are shared blocks on the same node.
#include "verify/program.hpp"

namespace suiro {

namespace {

bool moves(const Step& step) {
  return step.action == Action::send || step.action == Action::receive;
}
bool reads(const Step& step) { return step.action != Action::receive; }
bool writes(const Step& step) { return step.action != Action::send; }

/// Why the blocks are out of range, or an empty text.
std::string range_error(const Program& program, int rank, const Blocks& blocks) {
  const std::int64_t size = program.blocks(rank, blocks.buffer);
  if (blocks.first >= 0 && blocks.count >= 0 && blocks.first <= size &&
      blocks.count <= size - blocks.first) {
    return {};
  }
  const std::string error = text_of(blocks) + " is outside its buffer of " + std::to_string(size);
  return error + (size == 1 ? " block" : " blocks");
}

/// Why the blocks do not say well of which pieces they are, or an empty text. Only of scratch and
/// shared must it be said, and only where blocks are pieces, which may differ in size.
std::string piece_error(const Program& program, const Blocks& blocks) {
  if (blocks.count == 0) return {};
  if (!program.collective().cut() || !is_slots(blocks.buffer)) {
    return blocks.piece < 0 ? "" : "only scratch and shared say which pieces they hold";
  }
  const std::int64_t pieces = program.collective().pieces(program.instance());
  if (blocks.piece < 0) return "it does not say which pieces it holds";
  if (blocks.piece < pieces && blocks.count <= pieces - blocks.piece) return {};
  return "it holds pieces from " + std::to_string(blocks.piece) + " on, and there are " +
         std::to_string(pieces);
}

std::string blocks_error(const Program& program, int rank, const Blocks& blocks) {
  std::string error = range_error(program, rank, blocks);
  return error.empty() ? piece_error(program, blocks) : error;
}

/// Why a rank cannot read the blocks of another, or an empty text.
std::string owner_error(const Program& program, int rank, const Step& step) {
  const Schedule& schedule = program.schedule();
  if (step.peer >= schedule.ranks || step.peer == rank) {
    return "another rank is needed; there are " + std::to_string(schedule.ranks);
  }
  if (step.source.buffer != Buffer::shared) return "of another rank only shared can be read";
  const std::vector<int>& nodes = schedule.node_of_rank;
  const bool near = !nodes.empty() && nodes[static_cast<std::size_t>(rank)] ==
                                          nodes[static_cast<std::size_t>(step.peer)];
  return near ? "" : "the owner is not on the same node";
}

std::string step_error(const Program& program, int rank, const Step& step) {
  if (moves(step) && (step.peer < 0 || step.peer >= program.schedule().ranks)) {
    return "there is no such rank; there are " + std::to_string(program.schedule().ranks);
  }
  if (reads_peer(step)) {
    if (std::string error = owner_error(program, rank, step); !error.empty()) return error;
  }
  if (reads(step)) {
    if (std::string error = blocks_error(program, rank, step.source); !error.empty()) return error;
  }
  if (writes(step)) {
    if (std::string error = blocks_error(program, rank, step.target); !error.empty()) return error;
    if (step.target.buffer == Buffer::send) return "the send buffer is read only";
  }
  if (!moves(step) && step.source.count != step.target.count) {
    return "source and target must have as many blocks";
  }
  if (step.action == Action::reduce && !program.collective().reduces) {
    return std::string(program.collective().name) + " moves blocks unchanged";
  }
  return {};
}

}  // namespace

void check_steps(const Program& program, Findings& findings) {
  for (const Operation& operation : program.operations()) {
    const std::string error = step_error(program, operation.rank, operation.step);
    if (error.empty()) continue;
    const Blocks& blocks = reads(operation.step) ? operation.step.source : operation.step.target;
    findings.add(operation.rank, operation.round, blocks.first,
                 text_of(operation.step) + ": " + error);
  }
}

}  // namespace suiro
