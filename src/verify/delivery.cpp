// SPDX-License-Identifier: BSD-3-Clause
// Runs all ranks symbolically: blocks are names, and messages move them. Sends are synchronous and
// receives are posted when their round starts, so a schedule that finishes here finishes under any
// MPI.
#include <algorithm>

#include "verify/progress.hpp"
#include "verify/properties.hpp"
#include "verify/values.hpp"

namespace suiro {

namespace {

int owner_of_source(const Operation& operation) {
  return reads_peer(operation.step) ? operation.step.peer : operation.rank;
}

/// What a block of memory holds, and who put it there.
struct Cell {
  Values::Id value = Values::none;
  std::int64_t written = -1;  // the round that wrote it
  std::int64_t first = -1;    // the range that it was written with, in scratch
  std::int64_t count = 0;
  std::int64_t delivered = -1;  // the round that first brought what is expected
  bool filled() const { return value != Values::none; }
};

class Memory {
 public:
  Memory(const Program& program, Findings& findings)
      : program_(program),
        findings_(findings),
        values_(program.schedule().ranks, program.blocks(Buffer::send)) {
    receive_blocks_ = program.blocks(Buffer::receive);
    scratch_blocks_ = program.blocks(Buffer::scratch);
    work_blocks_ = program.blocks(Buffer::work);
    per_rank_ = receive_blocks_ + scratch_blocks_ + work_blocks_ + program.blocks(Buffer::shared);
    cells_.resize(static_cast<std::size_t>(per_rank_ * program.schedule().ranks));
    for (int rank = 0; rank < program.schedule().ranks; ++rank) {
      if (!program.in_place(rank)) continue;
      const std::int64_t blocks = std::min(program.blocks(rank, Buffer::send), receive_blocks_);
      for (std::int64_t block = 0; block < blocks; ++block) {
        cell(rank, Buffer::receive, block).value = values_.own(rank, block);
      }
    }
  }

  Values::Id read(int rank, Buffer buffer, std::int64_t block) {
    if (buffer == Buffer::send) return values_.own(rank, block);
    return cell(rank, buffer, block).value;
  }

  /// Block `i` of the target.
  void write(const Operation& operation, std::int64_t i, Values::Id value) {
    const Blocks& blocks = operation.step.target;
    const Buffer buffer = blocks.buffer;
    const std::int64_t block = blocks.first + i;
    Cell& target = cell(operation.rank, buffer, block);
    target.value = value;
    target.written = operation.round;
    target.first = blocks.first;
    target.count = blocks.count;
    check_piece(operation, blocks, i, value);
    if (buffer != Buffer::receive) return;
    if (!values_.is(value, expected(operation.rank, block))) return;
    if (target.delivered >= 0) {
      findings_.add(operation.rank, operation.round, block,
                    text_of(buffer, block) + " gets the same block again, which round " +
                        std::to_string(target.delivered) + " has delivered");
    } else {
      target.delivered = operation.round;
    }
  }

  /// target = source (op) target.
  void reduce(const Operation& operation) {
    const Blocks& source = operation.step.source;
    const Blocks& target = operation.step.target;
    for (std::int64_t i = 0; i < source.count; ++i) {
      const Values::Id left = read(owner_of_source(operation), source.buffer, source.first + i);
      const Values::Id right = read(operation.rank, target.buffer, target.first + i);
      if (left == Values::none || right == Values::none) continue;  // reported as not filled
      const Values::Id made = values_.combine(left, right);
      if (made == Values::none) {
        findings_.add(operation.rank, operation.round, source.first + i,
                      "the " + text_of(operation.step) + " " + values_.why_not(left, right));
        continue;
      }
      write(operation, i, made);
    }
  }

  /// Reads must find something, at the moment when their round starts, and pieces in scratch as
  /// they were written.
  void check_read(const Operation& operation, int owner, const Blocks& blocks) {
    if (blocks.buffer == Buffer::send) return;
    for (std::int64_t i = 0; i < blocks.count; ++i) {
      const std::int64_t block = blocks.first + i;
      const Cell& found = cell(owner, blocks.buffer, block);
      // Words cost more than the check, so they are only made where something is wrong.
      const auto place = [&] { return text_of(blocks.buffer, block); };
      const bool whole = found.first == blocks.first && found.count == blocks.count;
      if (!found.filled()) {
        findings_.add(
            operation.rank, operation.round, block,
            "the " + text_of(operation.step) + " reads " + place() + " before it is written");
      } else if (cut() && is_slots(blocks.buffer) && !whole) {
        findings_.add(operation.rank, operation.round, block,
                      "the " + text_of(operation.step) + " reads " + place() + ", which round " +
                          std::to_string(found.written) + " wrote as part of " +
                          text_of({blocks.buffer, found.first, found.count}));
      } else {
        check_piece(operation, blocks, i, found.value);
      }
    }
  }

  void check_postcondition() {
    for (int rank = 0; rank < program_.schedule().ranks; ++rank) {
      const std::int64_t blocks = program_.blocks(rank, Buffer::receive);
      for (std::int64_t block = 0; block < blocks; ++block) check_final(rank, block);
    }
  }

  const Values& values() const { return values_; }

 private:
  Cell& cell(int rank, Buffer buffer, std::int64_t block) {
    std::int64_t base = 0;
    if (buffer != Buffer::receive) base += receive_blocks_;
    if (buffer == Buffer::work || buffer == Buffer::shared) base += scratch_blocks_;
    if (buffer == Buffer::shared) base += work_blocks_;
    return cells_[static_cast<std::size_t>(rank * per_rank_ + base + block)];
  }

  bool cut() const { return program_.collective().cut(); }

  /// For which piece of all the place of a block is.
  std::int64_t piece_at(int rank, const Blocks& blocks, std::int64_t i) const {
    const Collective& collective = program_.collective();
    const std::int64_t block = blocks.first + i;
    switch (blocks.buffer) {
      case Buffer::send:
        return collective.piece(program_.instance(), rank, block);
      case Buffer::receive:
        return collective.received_piece(program_.instance(), rank, block);
      case Buffer::scratch:
      case Buffer::shared:
        return blocks.piece + i;
      case Buffer::work:
        return block;
    }
    return -1;
  }

  /// Pieces may differ in size: each lies only where a place is made for it.
  void check_piece(const Operation& operation, const Blocks& blocks, std::int64_t i,
                   Values::Id value) {
    if (!cut() || value == Values::none) return;
    const std::int64_t piece = piece_at(operation.rank, blocks, i);
    const int origin = values_.origin_of(value);
    const std::int64_t held =
        program_.collective().piece(program_.instance(), origin, values_.index_of(value));
    if (held == piece) return;
    findings_.add(operation.rank, operation.round, blocks.first + i,
                  "the " + text_of(operation.step) + " has " + values_.text_of(value) + " in " +
                      text_of(blocks.buffer, blocks.first + i) + ", a place for piece " +
                      std::to_string(piece));
  }

  Content expected(int rank, std::int64_t block) const {
    return program_.collective().expected(program_.instance(), rank, block);
  }

  static std::string text_of_content(const Content& content) {
    std::string text = "block " + std::to_string(content.index) + " of rank";
    if (content.last == content.first + 1) return text + " " + std::to_string(content.first);
    return text + "s " + std::to_string(content.first) + " to " + std::to_string(content.last - 1);
  }

  void check_final(int rank, std::int64_t block) {
    const Cell& found = cell(rank, Buffer::receive, block);
    const Content content = expected(rank, block);
    if (values_.is(found.value, content)) return;
    const std::string place = text_of(Buffer::receive, block);
    if (found.filled()) {
      findings_.add(rank, found.written, block,
                    place + " ends with " + values_.text_of(found.value) + " instead of " +
                        text_of_content(content));
    } else {
      findings_.add(
          rank, std::max<std::int64_t>(program_.schedule().rounds - 1, 0), block,
          place + " is empty after the last round: " + text_of_content(content) + " never arrives");
    }
  }

  const Program& program_;
  Findings& findings_;
  Values values_;
  std::int64_t receive_blocks_ = 0;
  std::int64_t scratch_blocks_ = 0;
  std::int64_t work_blocks_ = 0;
  std::int64_t per_rank_ = 0;
  std::vector<Cell> cells_;
};

/// What happens in the memory when steps start and complete.
class Delivery : public ProgressEvents {
 public:
  Delivery(const Program& program, Findings& findings) : memory_(program, findings) {}

  void started(const Operation& operation) override {
    const Step& step = operation.step;
    if (step.action != Action::receive) {
      memory_.check_read(operation, owner_of_source(operation), step.source);
    }
    if (step.action == Action::copy) move(operation, operation);
    if (step.action == Action::reduce) {
      memory_.check_read(operation, operation.rank, step.target);
      memory_.reduce(operation);
    }
  }

  void matched(const Operation& send, const Operation& receive) override { move(send, receive); }

  void check_postcondition() { memory_.check_postcondition(); }

  Memory& memory() { return memory_; }

 private:
  void move(const Operation& from, const Operation& to) {
    const Blocks& source = from.step.source;
    const Blocks& target = to.step.target;
    const std::int64_t count = std::min(source.count, target.count);
    for (std::int64_t i = 0; i < count; ++i) {
      memory_.write(to, i, memory_.read(owner_of_source(from), source.buffer, source.first + i));
    }
  }

  Memory memory_;
};

}  // namespace

std::optional<Violation> for_each_result(
    const Schedule& schedule,
    const std::function<std::optional<Violation>(int, std::int64_t, Values::Id, const Values&)>&
        look) {
  Findings findings;
  Program program(schedule, *find_collective(schedule.collective), Placing::apart);
  check_matching(program, findings);
  Delivery delivery(program, findings);
  Progress(program, delivery).run();
  Memory& memory = delivery.memory();
  for (int rank = 0; rank < schedule.ranks; ++rank) {
    for (std::int64_t block = 0; block < program.blocks(rank, Buffer::receive); ++block) {
      const Values::Id value = memory.read(rank, Buffer::receive, block);
      if (auto found = look(rank, block, value, memory.values())) return found;
    }
  }
  return std::nullopt;
}

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
