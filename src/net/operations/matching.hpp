// SPDX-License-Identifier: BSD-3-Clause
// MPI's two queues. A message meets the receive that was posted first among those that match it, a
// receive the message that came first. The cost does not depend on the number of peers, nor on the
// number of entries that do not match: entries are found by hash of (space, source or any, tag
// outside the ignored bits), in one table per class of patterns, that is, per (any source?, ignored
// bits) in use. MPIs use a handful.
#pragma once

#include <cstdint>
#include <memory>

#include "net/protocol/message.hpp"

namespace suiro::net {

struct IndexNode;

/// Entries are owned by the caller, who derives from these; an entry is in at most one queue. All
/// but the first member belongs to the queue.
struct PostedEntry {
  Pattern pattern;
  std::uint64_t order = 0;
  PostedEntry* next = nullptr;
  PostedEntry* previous = nullptr;
};
struct UnexpectedEntry {
  Envelope envelope;
  std::uint64_t order = 0;
  UnexpectedEntry* next = nullptr;
  UnexpectedEntry* previous = nullptr;
  IndexNode* nodes = nullptr;  // its places in the tables
};

class PostedQueue {
 public:
  PostedQueue();
  ~PostedQueue();
  void add(PostedEntry& entry);
  /// The first that matches; it stays in the queue (a multi-receive may go on).
  PostedEntry* find(const Envelope& message);
  void remove(PostedEntry& entry);
  std::size_t size() const;

 private:
  struct Tables;
  std::unique_ptr<Tables> tables_;
};

class UnexpectedQueue {
 public:
  UnexpectedQueue();
  ~UnexpectedQueue();
  void add(UnexpectedEntry& entry);
  /// The first that matches; it stays in the queue. A miss is cheap: programs ask millions of
  /// times.
  UnexpectedEntry* find(const Pattern& pattern);
  void remove(UnexpectedEntry& entry);
  std::size_t size() const;

 private:
  struct Tables;
  std::unique_ptr<Tables> tables_;
};

}  // namespace suiro::net
