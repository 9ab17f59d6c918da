// SPDX-License-Identifier: BSD-3-Clause
#include "net/links/shared_board.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string_view>

#include "base/private_folder.hpp"

namespace suiro::net {
namespace {

constexpr int layout = 2;  // of LinkBoards; a build with another has another file
constexpr int attempts = 8;

}  // namespace

SharedBoard::SharedBoard(std::uint64_t host, const std::vector<host::Link>& links) {
  const std::string folder = links.size() > 1 ? private_folder() : "";
  if (folder.empty()) return;
  path_ = fmt::format("{}/links-{}-{:016x}", folder, layout, host);
  for (const host::Link& link : links) path_ += fmt::format("-{:08x}", link.address);
  for (int attempt = 0; attempt < attempts && !open(); ++attempt) {
  }
  if (!file_) return;
  // The bytes are there before they are written to: a full disk would end us by a bus error else.
  constexpr auto bytes = static_cast<off_t>(sizeof(LinkBoards));
  if (posix_fallocate(file_.number(), 0, bytes) != 0) return;
  void* data =
      mmap(nullptr, sizeof(LinkBoards), PROT_READ | PROT_WRITE, MAP_SHARED, file_.number(), 0);
  if (data != MAP_FAILED) board_ = static_cast<LinkBoards*>(data);
}

/// Each user holds a shared lock as long as it lives, however it ends. True: nothing more is to be
/// tried. False: the last user has removed the file between our opening and our lock.
bool SharedBoard::open() {
  file_ = Descriptor(
      ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  struct stat status {};
  const bool locked = file_ && flock(file_.number(), LOCK_SH | LOCK_NB) == 0;
  if (locked && fstat(file_.number(), &status) == 0 && S_ISREG(status.st_mode) &&
      status.st_nlink > 0)
    return true;
  const bool tried = static_cast<bool>(file_);
  file_ = Descriptor();
  return !tried;
}

SharedBoard::~SharedBoard() {
  if (board_ != nullptr) munmap(board_, sizeof(LinkBoards));
  if (file_ && flock(file_.number(), LOCK_EX | LOCK_NB) == 0) unlink(path_.c_str());
}

}  // namespace suiro::net
