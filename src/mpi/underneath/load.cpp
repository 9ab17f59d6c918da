// SPDX-License-Identifier: BSD-3-Clause
// The MPI library is what comes after this one in the search order. A program that opens MPI into
// a scope of its own (Python does) has nothing there; then it is found among the loaded objects.
#include "mpi/underneath/load.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/tell.hpp"
#include "host/launcher.hpp"
#include "mpi/underneath/abi.hpp"
#include "mpi/underneath/environment.hpp"

using Finder = void* (*)(const char*);
extern "C" __attribute__((visibility("default"))) void* suiro_next_symbol(const char* name);

namespace suiro::mpi {

std::atomic<Underneath> underneath{Underneath::unknown};

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

/// The next library of suiro, if there is one.
Finder sibling() {
  static const auto found = reinterpret_cast<Finder>(dlsym(RTLD_NEXT, "suiro_next_symbol"));
  return found;
}

/// Behind all libraries of suiro.
void* next_symbol(const char* name) {
  if (sibling() != nullptr) return sibling()(name);
  void* found = dlsym(RTLD_NEXT, name);
  return found != nullptr ? found : symbol_of_loaded_mpi(name);
}

[[noreturn]] void fail(const std::string& what) {
  say(what);
  std::abort();
}

/// What the MPI library calls itself: "Open MPI v4.1.4".
std::string version_text() {
  std::string name = library_version();
  name.resize(std::min(name.find_first_of(",\r\n"), name.size()));
  std::ranges::replace(name, '\t', ' ');
  const auto both_blank = [](char a, char b) { return a == ' ' && b == ' '; };
  name.erase(std::unique(name.begin(), name.end(), both_blank), name.end());
  return name;
}

/// Which binary interface the MPI library has: the name of the library of suiro for it, or nothing.
std::string interface_underneath() {
  int major = -1;
  int minor = -1;
  const auto ask = reinterpret_cast<int (*)(int*, int*)>(next_symbol("PMPI_Abi_get_version"));
  if (ask != nullptr && ask(&major, &minor) == 0 && major == 1) return "mpi_abi";
  if (next_symbol("ompi_mpi_comm_world") != nullptr) return "openmpi";
  // These keep to the interface that MPICH had when they agreed on it.
  constexpr std::array family{"MPICH", "MVAPICH", "Intel(R) MPI", "ParaStation MPI"};
  const std::string text = version_text();
  const bool found = std::ranges::any_of(
      family, [&](const char* name) { return text.find(name) != std::string::npos; });
  return found ? "mpich" : "";
}

/// Only the last of suiro's libraries knows that none was the right one.
void stand_aside() {
  if (sibling() != nullptr) return;
  leave_environment();
  const bool speaks_for_all = host::launcher_rank() <= 0;  // or nobody knows the ranks
  if (!speaks_for_all || is_off().value_or(false)) return;
  say("libsuiro-" SUIRO_MPI_NAME ".so was not built for this MPI (" + version_text() +
      "); all ranks use native collectives");
}

}  // namespace

std::string library_version() {
  const auto ask = reinterpret_cast<int (*)(char*, int*)>(next_symbol("PMPI_Get_library_version"));
  std::array<char, 16384> text{};
  int length = 0;
  return ask != nullptr && ask(text.data(), &length) == 0 ? text.data() : "";
}

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

void* following_symbol(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) found = symbol_of_loaded_mpi(name);
  if (found == nullptr) fail(std::string("this MPI library has no ") + name);
  return found;
}

std::string implementation() {
  const std::string text = version_text();
  if (text.starts_with("Open MPI")) return "openmpi";
  return text.starts_with("MPICH") ? "mpich" : "other";
}

int release() {
  const std::string text = version_text();
  const std::size_t digit = text.find_first_of("0123456789");
  return digit == std::string::npos ? 0 : std::atoi(text.c_str() + digit);
}

bool load_slowly() {
  static std::once_flag once;
  std::call_once(once, [] {
    const bool ours = interface_underneath() == SUIRO_MPI_NAME;
    if (ours) {
      fill_tables();
    } else {
      stand_aside();
    }
    underneath.store(ours ? Underneath::ours : Underneath::other, std::memory_order_release);
  });
  return underneath.load(std::memory_order_acquire) == Underneath::ours;
}

}  // namespace suiro::mpi

void* suiro_next_symbol(const char* name) { return suiro::mpi::next_symbol(name); }
