// SPDX-License-Identifier: BSD-3-Clause
// Stands for the runtimes of CUDA and ROCm, of which suiro knows one function each. What they call
// device memory is an array here, so that any MPI can reach it.
#include <stddef.h>
#include <sys/mman.h>

static char device[1 << 16] __attribute__((aligned(4096)));

__attribute__((visibility("default"))) void* fake_device_memory(void) { return device; }

/// Only an MPI that knows of device memory, and who copies by the runtime, may touch it.
__attribute__((visibility("default"))) void fake_reach(int may) {
  mprotect(device, sizeof device, may ? PROT_READ | PROT_WRITE : PROT_NONE);
}

static int is_inside(size_t address) {
  return address >= (size_t)device && address < (size_t)device + sizeof device;
}

#ifdef FAKE_ROCM
__attribute__((visibility("default"))) int hipPointerGetAttributes(int* attributes,
                                                                   const void* address) {
  *attributes = 2;
  return is_inside((size_t)address) ? 0 : 1;
}
#else
__attribute__((visibility("default"))) int cuPointerGetAttribute(void* value, int attribute,
                                                                 unsigned long long address) {
  if (attribute != 2 || !is_inside((size_t)address)) return 1;
  *(int*)value = 2;
  return 0;
}
#endif
