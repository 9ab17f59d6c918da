// SPDX-License-Identifier: BSD-3-Clause
// The MPI library is what comes after this one in the search order. A program that opens MPI into
// a scope of its own (Python does) has nothing there; then it is found among the loaded objects.
#include "mpi/load.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "mpi/abi.hpp"

namespace suiro::mpi {

std::atomic<bool> loaded{false};

namespace {

void* base_of(void* symbol) {
  Dl_info info{};
  return symbol != nullptr && dladdr(symbol, &info) != 0 ? info.dli_fbase : nullptr;
}

int collect_mpi(dl_phdr_info* info, size_t, void* paths) {
  const std::string_view path = info->dlpi_name;
  const std::string_view file = path.substr(path.rfind('/') + 1);
  if (file.starts_with("libmpi")) static_cast<std::vector<std::string>*>(paths)->emplace_back(path);
  return 0;
}

/// Symbols of objects that are loaded, but not in the global scope.
void* symbol_of_loaded_mpi(const char* name) {
  std::vector<std::string> paths;
  dl_iterate_phdr(collect_mpi, &paths);
  for (const std::string& path : paths) {
    void* object = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (object == nullptr) continue;
    void* found = dlsym(object, name);
    dlclose(object);  // the program keeps it open
    if (found != nullptr) return found;
  }
  return nullptr;
}

void* next_symbol(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  return found != nullptr ? found : symbol_of_loaded_mpi(name);
}

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "suiro: %s\n", what.c_str());
  std::abort();
}

/// Handles of one MPI mean nothing to another, so passing calls on is not possible either.
void refuse_other_mpi() {
  const bool is_openmpi = next_symbol("ompi_mpi_comm_world") != nullptr;
  if (is_openmpi == (std::string_view(SUIRO_MPI_NAME) == "openmpi")) return;
  fail(std::string("libsuiro-" SUIRO_MPI_NAME ".so is preloaded into a program of ") +
       (is_openmpi ? "Open MPI" : "MPICH") + ": start the job with `suiro run`");
}

}  // namespace

/// Data is looked up from the start, since the program may own the one copy that all use.
void* predefined(const char* symbol) {
  void* found = dlsym(RTLD_DEFAULT, symbol);
  if (found == nullptr) found = symbol_of_loaded_mpi(symbol);
  if (found == nullptr) fail(std::string("this MPI library has no ") + symbol);
  return found;
}

void* real_symbol(const char* name) {
  void* found = next_symbol(name);
  if (found == nullptr) fail(std::string("this MPI library has no ") + name);
  return found;
}

void* real_symbol_if_any(const char* name) { return next_symbol(name); }

void* profiler_symbol(const char* name) {
  void* next = next_symbol(name);
  void* real = next_symbol((std::string("P") + name).c_str());
  return base_of(next) == base_of(real) ? nullptr : next;
}

void load_slowly() {
  static std::once_flag once;
  std::call_once(once, [] {
    refuse_other_mpi();
    fill_tables();
    loaded.store(true, std::memory_order_release);
  });
}

}  // namespace suiro::mpi
