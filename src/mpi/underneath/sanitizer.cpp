// SPDX-License-Identifier: BSD-3-Clause
// A program whose AddressSanitizer is a library ends before main unless that is the first of all
// libraries, where preloaded ones are. It looks at nothing else by it, so it is asked not to look.
#include <dlfcn.h>

#include <array>
#include <cstddef>

using Options = const char* (*)();
extern "C" __attribute__((visibility("default"))) const char* __asan_default_options();  // NOLINT

namespace {

/// The options that would hold without suiro: the runtime's own, or those of another library.
const char* following_options() {
  const auto next = reinterpret_cast<Options>(dlsym(RTLD_NEXT, "__asan_default_options"));
  return next != nullptr ? next() : "";
}

}  // namespace

/// The runtime calls this before it has taken over memcpy and its like, so none may be called:
/// compilers make calls of loops, but not of volatile ones.
const char* __asan_default_options() {  // NOLINT
  static std::array<char, 4096> options;
  std::size_t used = 0;
  const auto add = [&](const char* text) {
    for (const volatile char* c = text; *c != '\0' && used + 1 < options.size(); ++c) {
      options[used++] = *c;
    }
  };
  add("verify_asan_link_order=0:");
  add(following_options());
  return options.data();
}
