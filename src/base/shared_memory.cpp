// SPDX-License-Identifier: BSD-3-Clause
#include "base/shared_memory.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace suiro {
namespace {

[[noreturn]] void fail(const char* what) {
  throw std::runtime_error(std::string("no shared memory: ") + what + ": " + std::strerror(errno));
}

}  // namespace

SharedMemory::SharedMemory(Descriptor descriptor, std::size_t bytes)
    : descriptor_(std::move(descriptor)), bytes_(bytes) {
  data_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_.number(), 0);
  if (data_ == MAP_FAILED) data_ = nullptr;
}

SharedMemory SharedMemory::create(const char* name, std::size_t bytes) {
  Descriptor descriptor(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!descriptor) fail("memfd_create");
  if (ftruncate(descriptor.number(), static_cast<off_t>(bytes)) < 0) fail("ftruncate");
  if (fcntl(descriptor.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
    fail("F_ADD_SEALS");
  SharedMemory memory(std::move(descriptor), bytes);
  if (memory.data_ == nullptr) fail("mmap");
  return memory;
}

std::optional<SharedMemory> SharedMemory::adopt(Descriptor descriptor, std::size_t bytes) {
  struct stat status {};
  const int seals = fcntl(descriptor.number(), F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || (seals & F_SEAL_WRITE) != 0) return std::nullopt;
  if (fstat(descriptor.number(), &status) < 0 || status.st_size != static_cast<off_t>(bytes))
    return std::nullopt;
  SharedMemory memory(std::move(descriptor), bytes);
  if (memory.data_ == nullptr) return std::nullopt;
  return memory;
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : descriptor_(std::move(other.descriptor_)),
      bytes_(other.bytes_),
      data_(std::exchange(other.data_, nullptr)) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(bytes_, other.bytes_);
  std::swap(data_, other.data_);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

}  // namespace suiro
