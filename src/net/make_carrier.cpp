// SPDX-License-Identifier: BSD-3-Clause
// Which back ends carry the streams of this process.
#include <stdexcept>

#include "net/combined_carrier.hpp"
#include "net/epoll_carrier.hpp"
#include "net/identity.hpp"
#include "net/shared_carrier.hpp"
#include "net/uring_carrier.hpp"

namespace suiro::net {
namespace {

/// Nothing if it is not wanted, or if the system forbids it: then all peers are reached by sockets.
std::unique_ptr<SharedCarrier> shared_memory(const Settings& settings, const Name& own) try {
  return settings.shared_memory ? std::make_unique<SharedCarrier>(own.nonce) : nullptr;
} catch (const std::runtime_error&) {
  return nullptr;
}

}  // namespace

std::unique_ptr<RealCarrier> make_carrier(const Settings& settings, const std::vector<Link>& links,
                                          Name& own) {
  auto local = shared_memory(settings, own);
  if (local == nullptr) own.host = lone_identity();
  const auto combine = [&](auto remote) -> std::unique_ptr<RealCarrier> {
    own.port = remote->port();
    if (local == nullptr) return remote;
    return std::make_unique<CombinedCarrier>(std::move(remote), std::move(local));
  };
  if (settings.backend == Backend::io_uring)
    return combine(std::make_unique<UringCarrier>(settings, links));
  return combine(std::make_unique<EpollCarrier>(settings, links));
}

}  // namespace suiro::net
