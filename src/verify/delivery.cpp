// SPDX-License-Identifier: BSD-3-Clause
// Runs all ranks symbolically: blocks are names, and messages move them. Sends are synchronous and
// receives are posted when their round starts, so a schedule that finishes here finishes under any
// MPI.
#include <algorithm>

#include "verify/progress.hpp"

namespace suiro {

namespace {

/// What a block of memory holds, and who put it there.
struct Cell {
  BlockName name;
  std::int64_t written = -1;    // the round that wrote it
  std::int64_t delivered = -1;  // the round that first brought the expected block
  bool filled() const { return name.origin >= 0; }
};

class Memory {
 public:
  Memory(const Program& program, Findings& findings) : program_(program), findings_(findings) {
    receive_blocks_ = program.blocks(Buffer::receive);
    per_rank_ = receive_blocks_ + program.blocks(Buffer::scratch);
    cells_.resize(per_rank_ * program.schedule().ranks);
  }

  BlockName read(int rank, Buffer buffer, std::int64_t block) {
    if (buffer == Buffer::send) return {rank, block};
    return cell(rank, buffer, block).name;
  }

  void write(const Operation& operation, std::int64_t block, BlockName name) {
    const Buffer buffer = operation.step.target.buffer;
    Cell& target = cell(operation.rank, buffer, block);
    target.name = name;
    target.written = operation.round;
    if (buffer != Buffer::receive) return;
    if (name != program_.collective().expected(operation.rank, block)) return;
    if (target.delivered >= 0) {
      findings_.add(operation.rank, operation.round, block,
                    text_of(buffer, block) + " gets the same block again, which round " +
                        std::to_string(target.delivered) + " has delivered");
    } else {
      target.delivered = operation.round;
    }
  }

  /// Reads must find something, at the moment when their round starts.
  void check_filled(const Operation& operation) {
    const Blocks& source = operation.step.source;
    if (source.buffer == Buffer::send) return;
    for (std::int64_t block = source.first; block < source.first + source.count; ++block) {
      if (cell(operation.rank, source.buffer, block).filled()) continue;
      findings_.add(operation.rank, operation.round, block,
                    "the " + text_of(operation.step) + " reads " + text_of(source.buffer, block) +
                        " before it is written");
    }
  }

  void check_postcondition() {
    for (int rank = 0; rank < program_.schedule().ranks; ++rank) {
      for (std::int64_t block = 0; block < receive_blocks_; ++block) check_final(rank, block);
    }
  }

 private:
  Cell& cell(int rank, Buffer buffer, std::int64_t block) {
    const std::int64_t base = buffer == Buffer::receive ? 0 : receive_blocks_;
    return cells_[rank * per_rank_ + base + block];
  }

  static std::string text_of_block(BlockName name) {
    return "block " + std::to_string(name.index) + " of rank " + std::to_string(name.origin);
  }

  void check_final(int rank, std::int64_t block) {
    const Cell& found = cell(rank, Buffer::receive, block);
    const BlockName expected = program_.collective().expected(rank, block);
    if (found.name == expected) return;
    const std::string place = text_of(Buffer::receive, block);
    if (found.filled()) {
      findings_.add(rank, found.written, block,
                    place + " ends with " + text_of_block(found.name) + " instead of " +
                        text_of_block(expected));
    } else {
      findings_.add(
          rank, std::max<std::int64_t>(program_.schedule().rounds - 1, 0), block,
          place + " is empty after the last round: " + text_of_block(expected) + " never arrives");
    }
  }

  const Program& program_;
  Findings& findings_;
  std::int64_t receive_blocks_ = 0;
  std::int64_t per_rank_ = 0;
  std::vector<Cell> cells_;
};

/// What happens in the memory when steps start and complete.
class Delivery : public ProgressEvents {
 public:
  Delivery(const Program& program, Findings& findings) : memory_(program, findings) {}

  void started(const Operation& operation) override {
    if (operation.step.action != Action::receive) memory_.check_filled(operation);
    if (operation.step.action == Action::copy) move(operation, operation);
  }

  void matched(const Operation& send, const Operation& receive) override { move(send, receive); }

  void check_postcondition() { memory_.check_postcondition(); }

 private:
  void move(const Operation& from, const Operation& to) {
    const Blocks& source = from.step.source;
    const Blocks& target = to.step.target;
    const std::int64_t count = std::min(source.count, target.count);
    for (std::int64_t i = 0; i < count; ++i) {
      memory_.write(to, target.first + i, memory_.read(from.rank, source.buffer, source.first + i));
    }
  }

  Memory memory_;
};

}  // namespace

void check_delivery(const Program& program, Findings& findings) {
  Delivery delivery(program, findings);
  Progress progress(program, delivery);
  if (progress.run()) {
    delivery.check_postcondition();
  } else {
    progress.report_deadlock(findings);
  }
}

}  // namespace suiro
