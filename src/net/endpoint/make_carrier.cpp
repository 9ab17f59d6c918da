// SPDX-License-Identifier: BSD-3-Clause
#include "net/endpoint/make_carrier.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/random.hpp"
#include "host/identity.hpp"
#include "net/endpoint/combined_carrier.hpp"
#include "net/shared/carrier.hpp"
#include "net/tcp/carrier.hpp"

namespace suiro::net {
namespace {

/// Nothing if the system forbids it.
std::unique_ptr<RealCarrier> in_shared_memory(const Name& own) try {
  return std::make_unique<SharedCarrier>(own.nonce);
} catch (const std::runtime_error&) {
  return nullptr;
}

}  // namespace

Name new_name(const Settings& settings, const std::vector<host::Link>& links) {
  Name name;
  name.rails = static_cast<std::uint8_t>(links.size());
  std::transform(links.begin(), links.end(), name.addresses.begin(),
                 [](const host::Link& link) { return link.address; });
  name.local_rank = static_cast<std::uint32_t>(settings.local_rank);
  name.host = settings.shared_memory ? host::host_identity() : host::lone_identity();
  random_bytes(name.nonce);
  return name;
}

std::unique_ptr<RealCarrier> make_carrier(const Settings& settings,
                                          const std::vector<host::Link>& links, Name& own) {
  auto remote = std::make_unique<TcpCarrier>(settings, links);
  own.port = remote->port();
  std::unique_ptr<RealCarrier> local;
  if (settings.shared_memory) local = in_shared_memory(own);
  if (local != nullptr)
    return std::make_unique<CombinedCarrier>(std::move(remote), std::move(local));
  own.host = host::lone_identity();  // all are reached by sockets
  return remote;
}

}  // namespace suiro::net
