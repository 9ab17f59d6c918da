// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/carry/device_memory.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "mpi/underneath/copies.hpp"
#include "mpi/underneath/point_to_point.hpp"

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

std::atomic<CudaQuestion> known_cuda{nullptr};
std::atomic<HipQuestion> known_hip{nullptr};

CudaQuestion cuda() {
  constexpr std::array libraries{"libcuda.so.1"};
  return function_if_loaded(known_cuda, "cuPointerGetAttribute", libraries);
}

HipQuestion hip() {
  constexpr std::array libraries{"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};
  return function_if_loaded(known_hip, "hipPointerGetAttributes", libraries);
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

int note_loads(dl_phdr_info* info, std::size_t, void* loads) {
  *static_cast<unsigned long long*>(loads) = info->dlpi_adds;
  return 1;  // the first object is enough
}

/// Asked at every run, so that the libraries are looked for only where some have been loaded since.
bool has_runtime_by_now() {
  static std::atomic<unsigned long long> seen{0};
  unsigned long long loads = 0;
  dl_iterate_phdr(note_loads, &loads);
  if (seen.exchange(loads, std::memory_order_relaxed) != loads) return has_device_runtime();
  return known_cuda.load(std::memory_order_relaxed) != nullptr ||
         known_hip.load(std::memory_order_relaxed) != nullptr;
}

std::uintptr_t number_of(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

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

OnHost::OnHost(const Collective& collective, const Operation& operation, const Carrier& carrier,
               int ranks)
    : theirs_(operation), carrier_(carrier) {
  if (!has_runtime_by_now()) return;
  const bool sends = is_on_device(operation.send.base);
  const bool receives = is_on_device(operation.receive.base);
  if (!sends && !receives) return;
  ours_ = operation;
  const Instance whole{ranks, operation.root, 1};
  const auto sent = static_cast<int>(collective.send_blocks(whole, carrier.rank));
  // A vector with a block for each rank is one block.
  send_ = {operation.send, operation.send, collective.reduces ? std::min(sent, 1) : sent};
  receive_ = {operation.receive, operation.receive,
              static_cast<int>(collective.receive_blocks(whole, carrier.rank))};
  if (operation.in_place || operation.send.base == operation.receive.base) {
    move({&send_, &receive_});
  } else {
    if (sends) move({&send_});
    if (receives) move({&receive_});
  }
  ours_->send = send_.host;
  ours_->receive = receive_.host;
}

/// What is in one buffer stays so.
void OnHost::move(std::initializer_list<Side*> sides) {
  constexpr std::uintptr_t line = 64;
  std::uintptr_t begin = std::numeric_limits<std::uintptr_t>::max();
  std::uintptr_t end = 0;
  for (const Side* side : sides) {
    const Span span = span_of(side->device, side->blocks);
    if (span.bytes == 0) continue;
    const std::uintptr_t first =
        number_of(side->device.base) + static_cast<std::uintptr_t>(span.begin);
    begin = std::min(begin, first);
    end = std::max(end, first + static_cast<std::uintptr_t>(span.bytes));
  }
  if (end == 0) return;
  std::vector<char>& storage = storage_.emplace_back(end - begin + line);
  const std::uintptr_t place = number_of(storage.data());
  const std::uintptr_t shift = place + (begin - place) % line - begin;
  for (Side* side : sides) {
    side->host.base = reinterpret_cast<char*>(number_of(side->device.base) + shift);
  }
}

/// By MPI, which knows how to reach both.
int OnHost::copy(const UserBuffer& source, const UserBuffer& target, int blocks) const {
  constexpr int tag = 0;
  if (source.base == target.base) return MPI_SUCCESS;
  for (int block = 0; block < blocks; ++block) {
    const Part from = source.block(block);
    if (from.count == 0) continue;
    const int code = send_to_self(from, target.block(block), carrier_.rank, tag, carrier_.twin);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

/// Also what is to be received, as a part of it may stay as it is.
int OnHost::fetch() {
  if (!ours_) return MPI_SUCCESS;
  const int code = copy(send_.device, send_.host, send_.blocks);
  return code != MPI_SUCCESS ? code : copy(receive_.device, receive_.host, receive_.blocks);
}

int OnHost::deliver() {
  return ours_ ? copy(receive_.host, receive_.device, receive_.blocks) : MPI_SUCCESS;
}

}  // namespace suiro::mpi
