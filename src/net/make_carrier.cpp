// SPDX-License-Identifier: BSD-3-Clause
// Which back end carries the streams of this process.
#include "net/combined_carrier.hpp"
#include "net/epoll_carrier.hpp"
#include "net/shared_carrier.hpp"
#include "net/uring_carrier.hpp"

namespace suiro::net {

std::unique_ptr<RealCarrier> make_carrier(const Settings& settings, const std::vector<Link>& links,
                                          Name& own) {
  auto local = std::make_unique<SharedCarrier>(own.nonce);
  const auto combine = [&](auto remote) {
    own.port = remote->port();
    return std::make_unique<CombinedCarrier>(std::move(remote), std::move(local));
  };
  if (settings.backend == Backend::io_uring)
    return combine(std::make_unique<UringCarrier>(settings, links));
  return combine(std::make_unique<EpollCarrier>(settings, links));
}

}  // namespace suiro::net
