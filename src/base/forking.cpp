// SPDX-License-Identifier: BSD-3-Clause
#include "base/forking.hpp"

#include <pthread.h>

#include <mutex>
#include <vector>

namespace suiro {
namespace {

/// Never destroyed: a program may fork while it exits.
struct Register {
  std::mutex mutex;
  std::vector<Forkable*> members;
};

Register& all() {
  static auto* const members = new Register;
  return *members;
}

void before() {
  all().mutex.lock();
  for (Forkable* member : all().members) member->lock_for_fork();
}

void in_parent() {
  for (Forkable* member : all().members) member->unlock_after_fork();
  all().mutex.unlock();
}

void in_child() {
  for (Forkable* member : all().members) member->abandon();
  in_parent();
}

}  // namespace

void enlist(Forkable& member) {
  static const int once = pthread_atfork(before, in_parent, in_child);
  (void)once;
  const std::scoped_lock lock(all().mutex);
  all().members.push_back(&member);
}

void dismiss(Forkable& member) {
  const std::scoped_lock lock(all().mutex);
  std::erase(all().members, &member);
}

}  // namespace suiro
