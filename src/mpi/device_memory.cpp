// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/device_memory.hpp"

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstddef>

namespace suiro::mpi {

namespace {

// cuPointerGetAttribute() and hipPointerGetAttributes() of their C interfaces.
using CudaQuestion = int (*)(void*, int, unsigned long long);
using HipQuestion = int (*)(void*, const void*);

constexpr int cuda_memory_type = 2;    // CU_POINTER_ATTRIBUTE_MEMORY_TYPE
constexpr int cuda_device_memory = 2;  // CU_MEMORYTYPE_DEVICE, which managed memory is, too

/// A function of the first of these libraries that is loaded, for all or for a part of the program
/// only; it may be loaded at any time, and then stays.
template <class Function, std::size_t Count>
Function function_if_loaded(std::atomic<Function>& known, const char* name,
                            const std::array<const char*, Count>& libraries) {
  for (std::size_t i = 0; known.load(std::memory_order_relaxed) == nullptr && i < Count; ++i) {
    void* library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
    if (library != nullptr) known = reinterpret_cast<Function>(dlsym(library, name));
  }
  return known.load(std::memory_order_relaxed);
}

CudaQuestion cuda() {
  static std::atomic<CudaQuestion> known{nullptr};
  constexpr std::array libraries{"libcuda.so.1"};
  return function_if_loaded(known, "cuPointerGetAttribute", libraries);
}

HipQuestion hip() {
  static std::atomic<HipQuestion> known{nullptr};
  constexpr std::array libraries{"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};
  return function_if_loaded(known, "hipPointerGetAttributes", libraries);
}

bool is_on_device(const void* address) {
  int type = 0;
  if (cuda() != nullptr &&
      cuda()(&type, cuda_memory_type, reinterpret_cast<unsigned long long>(address)) == 0) {
    return type == cuda_device_memory;
  }
  // The memory's type comes first, 0 being the host's; its other values differ between versions, so
  // what else the runtime knows counts as device memory, which is never wrong.
  alignas(std::max_align_t) std::array<int, 64> attributes{};
  return hip() != nullptr && hip()(attributes.data(), address) == 0 && attributes[0] != 0;
}

}  // namespace

bool has_device_runtime() { return cuda() != nullptr || hip() != nullptr; }

int find_device_memory(MPI_Comm communicator, const UserBuffer& send, const UserBuffer& receive,
                       bool& found) {
  int mine = is_on_device(send.base) || is_on_device(receive.base) ? 1 : 0;
  int any = 0;
  const int code = real.Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, communicator);
  found = any != 0;
  return code;
}

}  // namespace suiro::mpi
