// SPDX-License-Identifier: BSD-3-Clause
// Where libfabric enters. The library has no undefined symbol of libfabric: symbol versions differ
// between 1.17 and 2.x, and a provider with one that is missing is passed over in silence.
#include <dlfcn.h>
#include <rdma/fi_ext.h>

#include <string>

#include "base/tell.hpp"
#include "fabric/fabric.hpp"
#include "fabric/info.hpp"
#include "fabric/object.hpp"

namespace suiro::fabric {
namespace {

/// libfabric passes over providers that know less than the version that is asked for, so this one
/// knows what the library that loads it knows: it never touches what grew since 1.5.
std::uint32_t version_of_running_library() {
  using FiVersion = std::uint32_t (*)();
  void* library = dlopen("libfabric.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION);
  const auto version = reinterpret_cast<FiVersion>(dlsym(library, "fi_version"));
  dlclose(library);
  return version != nullptr ? version() : FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION);
}

void clean_up() {}

}  // namespace

}  // namespace suiro::fabric

extern "C" FI_EXT_INI {
  using namespace suiro::fabric;
  static fi_provider provider{
      .version = FI_VERSION(0, 1),
      .fi_version = version_of_running_library(),
      .context = {},
      .name = provider_name,
      .getinfo = get_info,
      .fabric = open_fabric,
      .cleanup = clean_up,
  };
  return &provider;
}
