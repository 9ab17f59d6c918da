// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/underneath/profilers.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <string_view>

namespace suiro::mpi {

Detours detours;

namespace {

/// The symbols of a loaded object, as its dynamic section describes them.
struct Symbols {
  const ElfW(Sym) * table = nullptr;
  const char* names = nullptr;
  std::size_t count = 0;  // of those that the object imports, at least
};

Symbols symbols_of(const link_map& object) {
  // Where the section is read-only, the loader has not made addresses of its offsets.
  const auto address = [&](const ElfW(Dyn) & entry) {
    const ElfW(Addr) value = entry.d_un.d_ptr;
    return reinterpret_cast<const void*>(value < object.l_addr ? value + object.l_addr : value);
  };
  Symbols found;
  for (const ElfW(Dyn)* entry = object.l_ld; entry->d_tag != DT_NULL; ++entry) {
    const auto* words = static_cast<const std::uint32_t*>(address(*entry));
    if (entry->d_tag == DT_SYMTAB) found.table = static_cast<const ElfW(Sym)*>(address(*entry));
    if (entry->d_tag == DT_STRTAB) found.names = static_cast<const char*>(address(*entry));
    // Of both tables the second number counts: all symbols, or those before the first exported one.
    if (entry->d_tag == DT_HASH || (entry->d_tag == DT_GNU_HASH && found.count == 0)) {
      found.count = words[1];
    }
  }
  return found;
}

bool imports(const link_map& object, std::string_view name) {
  const Symbols symbols = symbols_of(object);
  if (symbols.table == nullptr || symbols.names == nullptr) return false;
  for (std::size_t i = 0; i < symbols.count; ++i) {
    const ElfW(Sym)& symbol = symbols.table[i];
    if (symbol.st_shndx == SHN_UNDEF && symbols.names + symbol.st_name == name) return true;
  }
  return false;
}

}  // namespace

bool comes_back(void* function, const char* name) {
  Dl_info info{};
  void* object = nullptr;
  if (dladdr1(function, &info, &object, RTLD_DL_LINKMAP) == 0 || object == nullptr) return false;
  return imports(*static_cast<const link_map*>(object), std::string("P") + name);
}

std::string file_of(void* function) {
  Dl_info info{};
  return dladdr(function, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "a profiler";
}

}  // namespace suiro::mpi
