// SPDX-License-Identifier: BSD-3-Clause
// What the processes of a host have under way on each of its links, for all of them to see: a long
// message prefers its own link, and takes others as far as nobody else needs them. The board is
// memory that they share (shared_board.hpp), or one process's alone where none can be shared.
//
// Nobody is trusted to stay: what a process says holds for half a second, unless it says more.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "net/protocol/name.hpp"

namespace suiro::net {

/// All zero in the beginning.
struct LinkBoard {
  static constexpr std::size_t places = 256;  // more processes see only what is their own

  struct Load {
    std::atomic<std::uint64_t> bytes;
    std::atomic<std::int64_t> until_ns;
    // What there was the last time, which is expected again, less and less within `fades_ns`.
    std::atomic<std::uint64_t> expected;
    std::atomic<std::int64_t> ended_ns;
    std::atomic<std::int64_t> fades_ns;
  };
  struct Place {
    std::atomic<std::uint64_t> owner;  // part of its nonce; 0: free
    std::atomic<std::int64_t> said_ns;
    std::array<Load, max_rails> loads;
  };
  struct Link {
    std::atomic<std::uint64_t> received_bytes;  // of long messages, by all, ever
    std::atomic<std::int64_t> counted_ns;       // when what is under way was last known
    std::atomic<double> bytes_per_ns;           // at which it is received when busy; 0: not known
    std::atomic<std::int64_t> measured_ns;      // when this was looked at last
    std::atomic<std::int64_t> preferred_ns;     // when somebody preferred it the last time
  };

  std::atomic<std::uint64_t> used;  // no place from here on was ever taken
  std::array<Link, max_rails> links;
  std::array<Place, places> place;
};

/// Of what comes to the host, and of what leaves it; only of what comes a rate is known.
struct LinkBoards {
  LinkBoard coming;
  LinkBoard leaving;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<double>::is_always_lock_free);

/// One process's part of it. Rails are those of the process; memory that is shared is none.
class LinkLoads {
 public:
  /// `board` outlives this. Null: of its own.
  LinkLoads(LinkBoard* board, const Nonce& owner);
  ~LinkLoads();
  LinkLoads(const LinkLoads&) = delete;
  LinkLoads& operator=(const LinkLoads&) = delete;

  /// So many bytes are not asked for yet, for which this link is preferred, where it was `before`.
  void planned(std::size_t rail, std::uint64_t before, std::uint64_t bytes, std::int64_t now_ns);
  /// So many more were asked for, on any link.
  void asked(std::size_t rail, std::uint64_t bytes, std::int64_t now_ns);
  void arrived(std::size_t rail, std::uint64_t bytes, std::int64_t now_ns);
  /// They will not come.
  void lost(std::size_t rail, std::uint64_t bytes, std::int64_t now_ns);

  /// Bytes that are on their way to this process.
  std::uint64_t own(std::size_t rail) const { return rail < max_rails ? own_[rail].bytes : 0; }
  /// And those that it has in mind.
  std::uint64_t planned(std::size_t rail) const {
    return rail < max_rails ? own_[rail].planned : 0;
  }
  /// And to all others. Whose own link it is may be about to go on: what it had fades within as
  /// long as it took, and at most a quarter of a second.
  double others(std::size_t rail, std::int64_t now_ns) const;

  /// Whether somebody's messages prefer this link, or did a moment ago.
  bool preferred(std::size_t rail, std::int64_t now_ns) const;

  /// When bytes of this link were last counted by anybody, or first asked for: what has come since
  /// lies in the kernel, for a reader is woken when much is there.
  std::int64_t counted_ns(std::size_t rail) const;
  /// All that has come on this link, to tell how fast it is from two times.
  std::uint64_t received(std::size_t rail) const;
  /// While this process waited for bytes all the time, so many came of all. One by one such
  /// samples are bad: bytes come late when their sender is busy, and at once when it is the reader
  /// who was away. So the longer it took the more it counts, and what is slow counts for little.
  void measured(std::size_t rail, double bytes, std::int64_t took_ns, std::int64_t now_ns);
  /// 0: not known.
  double rate(std::size_t rail) const;

 private:
  struct Own {
    std::uint64_t bytes = 0;
    std::uint64_t planned = 0;
    std::uint64_t most = 0;     // at a time, since something was planned here; 0: nothing was
    std::int64_t since_ns = 0;  // when that was
  };

  void claim(std::int64_t now_ns);
  void tell(std::size_t rail, std::int64_t now_ns);

  std::unique_ptr<LinkBoard> alone_;
  LinkBoard& board_;
  const std::uint64_t owner_;
  LinkBoard::Place* place_ = nullptr;
  std::array<Own, max_rails> own_{};
};

}  // namespace suiro::net
