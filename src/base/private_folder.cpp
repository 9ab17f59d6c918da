// SPDX-License-Identifier: BSD-3-Clause
#include "base/private_folder.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace suiro {

/// Somebody else may have made one of this name in /tmp, or a link, to learn or to mislead.
std::string private_folder() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  const bool own = runtime != nullptr && *runtime == '/';
  const std::string folder =
      own ? fmt::format("{}/suiro", runtime) : fmt::format("/tmp/suiro-{}", geteuid());
  mkdir(folder.c_str(), 0700);
  struct stat status {};
  const bool safe = lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
                    status.st_uid == geteuid() && (status.st_mode & 077) == 0;
  return safe ? folder : "";
}

}  // namespace suiro
