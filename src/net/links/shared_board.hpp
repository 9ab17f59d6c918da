// SPDX-License-Identifier: BSD-3-Clause
// The link board that the processes of a user on a host share: a file in the user's own folder,
// which the last of them removes.
#pragma once

#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "host/links.hpp"
#include "net/links/link_board.hpp"

namespace suiro::net {

class SharedBoard {
 public:
  /// For processes that number the same links alike, in the same network namespace.
  SharedBoard(std::uint64_t host, const std::vector<host::Link>& links);
  ~SharedBoard();
  SharedBoard(const SharedBoard&) = delete;
  SharedBoard& operator=(const SharedBoard&) = delete;

  /// Null: there is one link only, or none can be shared here; then each process counts for itself.
  LinkBoards* get() const { return board_; }
  const std::string& path() const { return path_; }

 private:
  bool open();

  std::string path_;
  Descriptor file_;
  LinkBoards* board_ = nullptr;
};

}  // namespace suiro::net
