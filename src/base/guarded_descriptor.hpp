// SPDX-License-Identifier: BSD-3-Clause
// A descriptor in the process of a program that may close numbers it does not know, and then be
// given them for files of its own. For sockets and pipes, each of which has an inode of its own.
#pragma once

#include <sys/stat.h>

#include <utility>

#include "base/descriptor.hpp"

namespace suiro {

class GuardedDescriptor {
 public:
  GuardedDescriptor() = default;
  explicit GuardedDescriptor(Descriptor descriptor) : descriptor_(std::move(descriptor)) {
    inode_ = inode_at(descriptor_.number());
  }
  GuardedDescriptor(GuardedDescriptor&&) noexcept = default;
  GuardedDescriptor& operator=(GuardedDescriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(inode_, other.inode_);
    return *this;
  }
  ~GuardedDescriptor() { close(); }

  int number() const { return descriptor_.number(); }
  explicit operator bool() const { return static_cast<bool>(descriptor_); }

  /// Ask before each use.
  bool is_ours() const { return descriptor_ && inode_at(number()) == inode_; }

  void close() noexcept {
    if (is_ours()) {
      descriptor_.close();
    } else {
      descriptor_.release();
    }
  }

 private:
  static ino_t inode_at(int number) {
    struct stat status {};
    return fstat(number, &status) == 0 ? status.st_ino : 0;
  }

  Descriptor descriptor_;
  ino_t inode_ = 0;
};

}  // namespace suiro
