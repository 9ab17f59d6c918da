// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/decide/communicators.hpp"

#include <algorithm>

namespace suiro::mpi {

// Never destroyed, as the job is not.
Communicators& communicators = *new Communicators;

Communicators::Communicators() {
  tables_.push_back(std::make_unique<Table>(64));
  table_ = tables_.back().get();
}

void Communicators::insert(Table& table, std::uintptr_t key, Communicator* value) {
  std::size_t place = hash(key) & table.mask;
  while (table.slots[place].key.load(std::memory_order_relaxed) > removed) {
    place = (place + 1) & table.mask;
  }
  table.slots[place].value.store(value, std::memory_order_release);
  table.slots[place].key.store(key, std::memory_order_release);
}

void Communicators::grow_if_half_full() {
  if (owned_.size() * 2 <= tables_.back()->mask) return;
  auto larger = std::make_unique<Table>(2 * (tables_.back()->mask + 1));
  for (const Owned& owned : owned_) insert(*larger, owned.key, owned.value.get());
  table_.store(larger.get(), std::memory_order_release);
  tables_.push_back(std::move(larger));
}

int do_not_copy(MPI_Comm, int, void*, void*, void*, int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}

void Communicators::begin() {
  real.Comm_create_keyval(do_not_copy, attribute_deleted, &keyval_, this);
}

/// MPI calls it also for a value that another takes the place of.
int Communicators::attribute_deleted(MPI_Comm communicator, int, void* value, void* extra) {
  auto& communicators = *static_cast<Communicators*>(extra);
  if (communicators.find(communicator) == value) communicators.drop(communicator);
  return MPI_SUCCESS;
}

Communicator& Communicators::adopt(MPI_Comm communicator, Hints hints) {
  if (Communicator* known = find(communicator)) return *known;
  const std::uintptr_t key = key_of(communicator);
  auto made = std::make_unique<Communicator>(communicator, std::move(hints));
  Communicator* const value = made.get();
  {
    const std::lock_guard lock(mutex_);
    owned_.push_back({key, std::move(made)});
    insert(*tables_.back(), key, value);
    grow_if_half_full();
  }
  real.Comm_set_attr(communicator, keyval_, value);  // may call back, so it is not locked
  return *value;
}

void Communicators::remove(std::uintptr_t key) {
  for (std::size_t place = 0; place <= tables_.back()->mask; ++place) {
    Slot& slot = tables_.back()->slots[place];
    if (slot.key.load(std::memory_order_relaxed) == key) {
      slot.key.store(removed, std::memory_order_release);
    }
  }
}

void Communicators::set_hints(MPI_Comm communicator, Hints hints) {
  forget(communicator);
  adopt(communicator, std::move(hints));
}

void Communicators::forget(MPI_Comm communicator) {
  if (find(communicator) == nullptr) return;
  may_wait_ = true;
  real.Comm_delete_attr(communicator, keyval_);
  may_wait_ = false;
}

/// MPICH deletes the attributes of a communicator that was freed only when nothing is open on it,
/// within whatever call of the program makes it go on: there nobody may wait.
void Communicators::drop(MPI_Comm communicator) {
  const std::uintptr_t key = key_of(communicator);
  std::unique_ptr<Communicator> dropped;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(owned_, key, &Owned::key);
    if (found == owned_.end()) return;
    dropped = std::move(found->value);
    owned_.erase(found);
    remove(key);
    if (!may_wait_ && dropped->is_open()) {
      left_.push_back(std::move(dropped));
      return;
    }
  }
  dropped->release();
}

void Communicators::forget_all() {
  std::vector<Owned> all;
  std::vector<std::unique_ptr<Communicator>> left;
  {
    const std::lock_guard lock(mutex_);
    all.swap(owned_);
    left.swap(left_);
    for (const Owned& owned : all) remove(owned.key);
  }
  for (const Owned& owned : all) owned.value->release();
  for (const auto& communicator : left) communicator->release();
}

}  // namespace suiro::mpi
