// SPDX-License-Identifier: BSD-3-Clause
// The linker writes a hash of the library into a note of its own; it is the same for two ranks
// exactly when they loaded the same build.
#include <link.h>

#include <cstring>
#include <string>

#include "mpi/service.hpp"

namespace suiro::mpi {

namespace {

bool contains(const dl_phdr_info& info, ElfW(Addr) address) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info.dlpi_phdr[i];
    const ElfW(Addr) begin = info.dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && begin <= address && address < begin + part.p_memsz) return true;
  }
  return false;
}

std::string hexadecimal(const unsigned char* bytes, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += "0123456789abcdef"[bytes[i] >> 4];
    text += "0123456789abcdef"[bytes[i] & 15];
  }
  return text;
}

std::string id_in_notes(const char* note, std::size_t bytes) {
  const auto padded = [](std::size_t size) { return (size + 3) & ~std::size_t{3}; };
  for (const char* end = note + bytes; note + sizeof(ElfW(Nhdr)) <= end;) {
    ElfW(Nhdr) header;
    std::memcpy(&header, note, sizeof header);
    const char* name = note + sizeof header;
    const char* value = name + padded(header.n_namesz);
    if (header.n_type == NT_GNU_BUILD_ID && std::memcmp(name, "GNU", 4) == 0) {
      return hexadecimal(reinterpret_cast<const unsigned char*>(value), header.n_descsz);
    }
    note = value + padded(header.n_descsz);
  }
  return "";
}

int find_own_id(dl_phdr_info* info, size_t, void* result) {
  if (!contains(*info, reinterpret_cast<ElfW(Addr)>(&find_own_id))) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    const char* note = reinterpret_cast<const char*>(info->dlpi_addr + part.p_vaddr);
    const std::string id = id_in_notes(note, part.p_memsz);
    if (!id.empty()) *static_cast<std::string*>(result) = id;
  }
  return 1;
}

}  // namespace

std::string build_id() {
  std::string id;
  dl_iterate_phdr(find_own_id, &id);
  return id;
}

}  // namespace suiro::mpi
