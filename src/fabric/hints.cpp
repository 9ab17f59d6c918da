// SPDX-License-Identifier: BSD-3-Clause
// What applications ask for. Bits that are not known here are refused, never echoed: some have
// changed their meaning between versions of libfabric.
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <cstring>

#include "fabric/info.hpp"
#include "fabric/object.hpp"
#include "net/protocol/message.hpp"

namespace suiro::fabric {
namespace {

constexpr std::uint64_t transmit_flags =
    FI_COMPLETION | FI_INJECT | FI_INJECT_COMPLETE | FI_TRANSMIT_COMPLETE | FI_DELIVERY_COMPLETE;
constexpr std::uint64_t receive_flags = FI_COMPLETION | FI_MULTI_RECV;
// Messages stay in order. All other orders are about remote memory, which is not offered.
constexpr std::uint64_t orders = FI_ORDER_STRICT | FI_ORDER_RMA_RAR | FI_ORDER_RMA_RAW |
                                 FI_ORDER_RMA_WAR | FI_ORDER_RMA_WAW | FI_ORDER_ATOMIC_RAR |
                                 FI_ORDER_ATOMIC_RAW | FI_ORDER_ATOMIC_WAR | FI_ORDER_ATOMIC_WAW;

constexpr std::uint64_t both_directions = FI_SEND | FI_RECV;
/// Those that an endpoint may have although nobody has asked for them.
constexpr std::uint64_t secondary_capabilities =
    FI_MULTI_RECV | FI_SOURCE | FI_LOCAL_COMM | FI_REMOTE_COMM;

bool within(std::uint64_t asked, std::uint64_t offered) { return (asked & ~offered) == 0; }

bool acceptable(std::uint64_t known, const fi_tx_attr& asked) {
  return within(asked.caps, known) && within(asked.op_flags, transmit_flags) &&
         within(asked.msg_order, orders) && asked.comp_order == 0 &&
         asked.inject_size <= inject_bytes && asked.iov_limit <= net::max_segments;
}

bool acceptable(std::uint64_t known, const fi_rx_attr& asked) {
  return within(asked.caps, known) && within(asked.op_flags, receive_flags) &&
         within(asked.msg_order, orders) && asked.comp_order == 0 &&
         asked.iov_limit <= net::max_segments;
}

bool acceptable(const fi_ep_attr& asked, const fi_ep_attr& offered) {
  return (asked.type == FI_EP_UNSPEC || asked.type == offered.type) &&
         (asked.protocol == FI_PROTO_UNSPEC || asked.protocol == offered.protocol) &&
         asked.max_msg_size <= offered.max_msg_size && asked.msg_prefix_size == 0 &&
         asked.tx_ctx_cnt <= 1 && asked.rx_ctx_cnt <= 1 && asked.auth_key_size == 0;
}

bool acceptable(const fi_domain_attr& asked) {
  return (asked.name == nullptr || std::strcmp(asked.name, provider_name) == 0) &&
         asked.mr_key_size <= sizeof(std::uint64_t) &&
         asked.cq_data_size <= sizeof(std::uint64_t) &&
         within(asked.caps, FI_LOCAL_COMM | FI_REMOTE_COMM) && asked.max_ep_tx_ctx <= 1 &&
         asked.max_ep_rx_ctx <= 1 && asked.auth_key_size == 0;
}

void follow(std::uint32_t version, const fi_domain_attr& asked, fi_domain_attr& domain) {
  if (asked.threading != FI_THREAD_UNSPEC) domain.threading = asked.threading;
  if (asked.control_progress != FI_PROGRESS_UNSPEC)
    domain.control_progress = asked.control_progress;
  if (asked.data_progress != FI_PROGRESS_UNSPEC) domain.data_progress = asked.data_progress;
  if (asked.resource_mgmt != FI_RM_UNSPEC) domain.resource_mgmt = asked.resource_mgmt;
  if (asked.av_type != FI_AV_UNSPEC) domain.av_type = asked.av_type;
  domain.tclass = asked.tclass;
  // Nothing is required of registered memory, so of the modes that are bits none remains. Who asks
  // in the old words gets one of them.
  const bool old_words = FI_VERSION_LT(version, FI_VERSION(1, 5)) || asked.mr_mode == FI_MR_BASIC;
  if (old_words && asked.mr_mode == FI_MR_BASIC) domain.mr_mode = FI_MR_BASIC;
}

}  // namespace

std::uint64_t capabilities(std::uint32_t version) {
  constexpr std::uint64_t always =
      FI_MSG | FI_TAGGED | FI_DIRECTED_RECV | both_directions | secondary_capabilities;
  if (FI_VERSION_LT(version, FI_VERSION(2, 0))) return always;
  return always | tagged_directed_receive | exact_directed_receive;
}

bool acceptable(std::uint32_t version, const fi_info& hints, const fi_info& offered) {
  const std::uint64_t known = capabilities(version);
  const fi_fabric_attr* fabric = hints.fabric_attr;
  const bool same_fabric =
      fabric == nullptr || fabric->name == nullptr || std::strcmp(fabric->name, provider_name) == 0;
  return within(hints.caps, known) && same_fabric &&
         (hints.addr_format == FI_FORMAT_UNSPEC || hints.addr_format == address_format) &&
         (hints.tx_attr == nullptr || acceptable(known, *hints.tx_attr)) &&
         (hints.rx_attr == nullptr || acceptable(known, *hints.rx_attr)) &&
         (hints.ep_attr == nullptr || acceptable(*hints.ep_attr, *offered.ep_attr)) &&
         (hints.domain_attr == nullptr || acceptable(*hints.domain_attr));
}

void follow(std::uint32_t version, const fi_info& hints, fi_info& info) {
  if (hints.caps != 0) info.caps = hints.caps | secondary_capabilities;
  if ((info.caps & both_directions) == 0) info.caps |= both_directions;
  info.tx_attr->caps &= info.caps;
  info.rx_attr->caps &= info.caps;
  if (hints.tx_attr != nullptr) {
    info.tx_attr->op_flags = hints.tx_attr->op_flags;
    info.tx_attr->msg_order |= hints.tx_attr->msg_order;
    if (hints.tx_attr->size != 0) info.tx_attr->size = hints.tx_attr->size;
  }
  if (hints.rx_attr != nullptr) {
    info.rx_attr->op_flags = hints.rx_attr->op_flags;
    info.rx_attr->msg_order |= hints.rx_attr->msg_order;
    if (hints.rx_attr->size != 0) info.rx_attr->size = hints.rx_attr->size;
  }
  if (hints.domain_attr != nullptr) follow(version, *hints.domain_attr, *info.domain_attr);
  info.handle = hints.handle;
}

}  // namespace suiro::fabric
