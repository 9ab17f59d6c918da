// SPDX-License-Identifier: BSD-3-Clause
// From the user's communicator handle to what suiro knows about it. Threads look up without a lock
// (the fast path of every intercepted call); insertion and removal lock.
//
// A handle is used again once its communicator is gone, and it may go by ways that nobody
// intercepts (a language that calls libmpi by its own handle). So MPI itself tells: each known
// communicator has an attribute, which MPI deletes together with it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "mpi/decide/communicator.hpp"

namespace suiro::mpi {

/// For attributes that a duplicate does not get.
int do_not_copy(MPI_Comm, int, void*, void*, void*, int* flag);

class Communicators {
 public:
  Communicators();

  /// nullptr for a communicator that has not been seen.
  Communicator* find(MPI_Comm communicator) const {
    const std::uintptr_t key = key_of(communicator);
    const Table& table = *table_.load(std::memory_order_acquire);
    std::size_t place = hash(key) & table.mask;
    for (std::size_t tried = 0; tried <= table.mask; ++tried) {
      const std::uintptr_t found = table.slots[place].key.load(std::memory_order_acquire);
      if (found == key) return table.slots[place].value.load(std::memory_order_acquire);
      if (found == empty) return nullptr;
      place = (place + 1) & table.mask;
    }
    return nullptr;
  }

  /// While this thread frees a communicator: it is not adopted any more. What the user wants to be
  /// called then may free another.
  class Going {
   public:
    explicit Going(MPI_Comm communicator) : key_(key_of(communicator)), outer_(going_) {
      going_ = this;
    }
    ~Going() { going_ = outer_; }
    Going(const Going&) = delete;
    Going& operator=(const Going&) = delete;

   private:
    friend class Communicators;
    std::uintptr_t key_;
    const Going* outer_;
  };
  static bool is_going(MPI_Comm communicator) {
    const Going* going = going_;
    while (going != nullptr && going->key_ != key_of(communicator)) going = going->outer_;
    return going != nullptr;
  }

  /// Once, after the real MPI_Init.
  void begin();

  /// find(), or makes the entry. Only local work, no communication.
  Communicator& adopt(MPI_Comm communicator, Hints hints = {});

  /// What an info object asked for: what was known of the communicator before is forgotten.
  void set_hints(MPI_Comm communicator, Hints hints);

  /// Its end is near, or what was known of it no longer holds: releases the entry, if there is one.
  /// A handle may be used again afterwards.
  void forget(MPI_Comm communicator);

  /// forget() for all, in the order of their making, which all ranks have in common.
  void forget_all();

 private:
  static constexpr std::uintptr_t empty = 0;
  static constexpr std::uintptr_t removed = 1;

  struct Slot {
    std::atomic<std::uintptr_t> key{empty};
    std::atomic<Communicator*> value{nullptr};
  };
  struct Table {
    explicit Table(std::size_t size) : mask(size - 1), slots(std::make_unique<Slot[]>(size)) {}
    std::size_t mask;
    std::unique_ptr<Slot[]> slots;
  };
  struct Owned {
    std::uintptr_t key;
    std::unique_ptr<Communicator> value;
  };

  // Handles are addresses or small integers; neither is 0 or 1 after this, for any communicator.
  static std::uintptr_t key_of(MPI_Comm communicator) {
    return (std::uintptr_t)communicator ^ (std::uintptr_t{1} << (8 * sizeof(std::uintptr_t) - 1));
  }
  static std::size_t hash(std::uintptr_t key) { return (key * 0x9e3779b97f4a7c15U) >> 32; }

  static void insert(Table& table, std::uintptr_t key, Communicator* value);
  void remove(std::uintptr_t key);
  void grow_if_half_full();
  void drop(MPI_Comm communicator);
  static int attribute_deleted(MPI_Comm communicator, int keyval, void* value, void* extra);

  static inline thread_local const Going* going_ = nullptr;
  static inline thread_local bool may_wait_ = false;

  std::atomic<Table*> table_;
  // Readers may still be in an outgrown table, so all are kept; each is twice the one before.
  std::vector<std::unique_ptr<Table>> tables_;
  std::vector<Owned> owned_;                         // in the order of making
  std::vector<std::unique_ptr<Communicator>> left_;  // gone, with something open on them
  int keyval_ = MPI_KEYVAL_INVALID;                  // of the attribute, whose value is the entry
  std::mutex mutex_;
};
extern Communicators& communicators;

}  // namespace suiro::mpi
