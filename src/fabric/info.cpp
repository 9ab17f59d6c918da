// SPDX-License-Identifier: BSD-3-Clause
// The offer: one info, whatever the number of rails, since they are the engine's business.
#include "fabric/info.hpp"

#include <fmt/format.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>

#include "base/tell.hpp"
#include "fabric/object.hpp"
#include "host/links.hpp"
#include "net/protocol/frames.hpp"
#include "net/protocol/settings.hpp"

namespace suiro::fabric {
namespace {

// libfabric's own layers ask with these, for what they could build on; nothing builds on this.
constexpr std::uint64_t asked_by_core = (1ULL << 58) | (1ULL << 59);
// All 64 bits of a tag may be used, in any way.
constexpr std::uint64_t any_tag_format = 0xaaaaaaaaaaaaaaaa;
constexpr std::uint32_t protocol = FI_PROV_SPECIFIC | 0x5375;
constexpr std::size_t plenty = 1 << 16;

/// libfabric frees what it is given by free(), and copies as many bytes as its newest version of a
/// structure has.
template <class Structure>
Structure* make() {
  constexpr std::size_t larger_than_any_version = 512;
  static_assert(sizeof(Structure) < larger_than_any_version);
  return static_cast<Structure*>(std::calloc(1, larger_than_any_version));
}

/// What an endpoint opened here would be called, but for what makes its name unique; nothing if
/// none could be opened. Looked at once per process. Every rank finds the same, so only one of each
/// host tells.
const std::optional<net::Name>& place() {
  static const auto answer = []() -> std::optional<net::Name> {
    int local_rank = 0;
    try {
      const net::Settings settings = net::settings_from_environment();
      local_rank = settings.local_rank;
      net::Name name;
      for (const host::Link& link : host::usable_links(settings.networks))
        name.addresses.at(name.rails++) = link.address;
      return name;
    } catch (const std::exception& error) {
      if (local_rank == 0) say(fmt::format("{}; suiro's transport is not used", error.what()));
      return std::nullopt;
    }
  }();
  return answer;
}

void offer_transmit(fi_tx_attr& transmit) {
  transmit.caps = FI_MSG | FI_TAGGED | FI_SEND;
  transmit.msg_order = FI_ORDER_SAS;
  transmit.inject_size = inject_bytes;
  transmit.size = plenty;
  transmit.iov_limit = net::max_segments;
}

void offer_receive(fi_rx_attr& receive) {
  receive.caps = FI_MSG | FI_TAGGED | FI_RECV | FI_MULTI_RECV | FI_SOURCE | FI_DIRECTED_RECV;
  receive.msg_order = FI_ORDER_SAS;
  receive.size = plenty;
  receive.iov_limit = net::max_segments;
}

void offer_endpoint(fi_ep_attr& endpoint) {
  endpoint.type = FI_EP_RDM;
  endpoint.protocol = protocol;
  endpoint.protocol_version = net::name_version;
  endpoint.max_msg_size = net::max_message_bytes;
  endpoint.mem_tag_format = any_tag_format;
  endpoint.tx_ctx_cnt = 1;
  endpoint.rx_ctx_cnt = 1;
}

void offer_domain(std::uint32_t version, fi_domain_attr& domain) {
  domain.name = strdup(provider_name);
  domain.threading = FI_THREAD_SAFE;
  domain.control_progress = FI_PROGRESS_AUTO;
  domain.data_progress = FI_PROGRESS_AUTO;
  domain.resource_mgmt = FI_RM_ENABLED;
  domain.av_type = FI_AV_UNSPEC;
  // Before 1.5 this was an enumeration; the word for "nothing is required" was scalable.
  domain.mr_mode = FI_VERSION_LT(version, FI_VERSION(1, 5)) ? FI_MR_SCALABLE : 0;
  domain.mr_key_size = sizeof(std::uint64_t);
  domain.cq_data_size = sizeof(std::uint64_t);
  domain.cq_cnt = domain.ep_cnt = domain.tx_ctx_cnt = domain.rx_ctx_cnt = plenty;
  domain.max_ep_tx_ctx = domain.max_ep_rx_ctx = 1;
  domain.cntr_cnt = domain.mr_cnt = plenty;
  domain.mr_iov_limit = net::max_segments;
  domain.caps = FI_LOCAL_COMM | FI_REMOTE_COMM;
}

void release(fi_info* info) {
  if (info->domain_attr != nullptr) std::free(info->domain_attr->name);
  if (info->fabric_attr != nullptr) std::free(info->fabric_attr->name);
  for (void* part :
       {info->src_addr, static_cast<void*>(info->tx_attr), static_cast<void*>(info->rx_attr),
        static_cast<void*>(info->ep_attr), static_cast<void*>(info->domain_attr),
        static_cast<void*>(info->fabric_attr), static_cast<void*>(info)})
    std::free(part);
}

/// Nothing if memory is short.
fi_info* offer(std::uint32_t version) {
  auto* info = make<fi_info>();
  if (info == nullptr) return nullptr;
  info->tx_attr = make<fi_tx_attr>();
  info->rx_attr = make<fi_rx_attr>();
  info->ep_attr = make<fi_ep_attr>();
  info->domain_attr = make<fi_domain_attr>();
  info->fabric_attr = make<fi_fabric_attr>();
  info->src_addr = make<net::Name>();
  if (!info->src_addr || !info->tx_attr || !info->rx_attr || !info->ep_attr || !info->domain_attr ||
      !info->fabric_attr) {
    release(info);
    return nullptr;
  }
  info->caps = capabilities(0);
  info->addr_format = address_format;
  info->src_addrlen = sizeof(net::Name);
  offer_transmit(*info->tx_attr);
  offer_receive(*info->rx_attr);
  offer_endpoint(*info->ep_attr);
  offer_domain(version, *info->domain_attr);
  info->fabric_attr->name = strdup(provider_name);
  info->fabric_attr->prov_version = FI_VERSION(0, 1);
  return info;
}

}  // namespace

int get_info(std::uint32_t version, const char* node, const char* service, std::uint64_t flags,
             const fi_info* hints, fi_info** info) {
  if ((flags & asked_by_core) != 0) return -FI_ENODATA;
  // Names are random and travel through the job's start-up exchange: no host name leads to one.
  if ((node != nullptr || service != nullptr) && (flags & FI_SOURCE) == 0) return -FI_ENODATA;
  fi_info* offered = offer(version);
  if (offered == nullptr) return -FI_ENOMEM;
  if ((hints != nullptr && !acceptable(version, *hints, *offered)) || !place()) {
    release(offered);
    return -FI_ENODATA;
  }
  std::memcpy(offered->src_addr, &*place(), sizeof *place());
  if (hints != nullptr) follow(version, *hints, *offered);
  *info = offered;
  return 0;
}

}  // namespace suiro::fabric
