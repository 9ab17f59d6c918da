// SPDX-License-Identifier: BSD-3-Clause
// Memory that two processes have in common: a memfd, which no limit on /dev/shm concerns and which
// goes with its last user. It is sealed against shrinking, since whoever could shrink it could end
// the other process by a bus error; memory of others is only taken if it is so.
#pragma once

#include <fcntl.h>

#include <cstddef>
#include <optional>
#include <utility>

#include "base/descriptor.hpp"

namespace suiro {

class SharedMemory {
 public:
  /// Zeroed. Throws std::runtime_error.
  static SharedMemory create(const char* name, std::size_t bytes);
  /// Nothing if it is not sealed memory of this size.
  static std::optional<SharedMemory> adopt(Descriptor descriptor, std::size_t bytes);

  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory();

  void* data() const { return data_; }
  int descriptor() const { return descriptor_.number(); }
  /// The memory stays mapped.
  void close_descriptor() { descriptor_.close(); }

 private:
  SharedMemory(Descriptor descriptor, std::size_t bytes);

  Descriptor descriptor_;
  std::size_t bytes_ = 0;
  void* data_ = nullptr;
};

}  // namespace suiro
