// SPDX-License-Identifier: BSD-3-Clause
// What each MPI asks fi_getinfo for, as seen by tracing them, and what must not be promised.
#include <gtest/gtest.h>

#include <cstring>

#include "pair.hpp"

namespace suiro::fabric {
namespace {

/// Nothing if nothing is offered.
fi_info* ask(std::uint32_t version, const fi_info* hints, std::uint64_t flags = 0) {
  fi_info* info = nullptr;
  const int answer = fi_getinfo(version, nullptr, nullptr, flags, hints, &info);
  REQUIRE(answer == 0 || answer == -FI_ENODATA);
  return answer == 0 ? info : nullptr;
}

TEST(Info, WithoutHints) {
  EXPECT_TRUE(alone([] {
    const fi_info* info = ask(FI_VERSION(0, 0), nullptr);  // Intel MPI's first call
    REQUIRE(info != nullptr && info->next == nullptr);
    REQUIRE(std::strcmp(info->fabric_attr->prov_name, "suiro") == 0);
    REQUIRE(info->ep_attr->type == FI_EP_RDM);
    const std::uint64_t wanted = FI_MSG | FI_TAGGED | FI_MULTI_RECV | FI_DIRECTED_RECV | FI_SOURCE;
    REQUIRE((info->caps & wanted) == wanted);
    REQUIRE((info->caps & (FI_RMA | FI_ATOMIC | FI_HMEM | FI_NAMED_RX_CTX)) == 0);
    REQUIRE(info->domain_attr->cq_data_size >= 4 && info->domain_attr->max_ep_tx_ctx == 1);
    REQUIRE(info->ep_attr->mem_tag_format >> 63 == 1);
    // What a newer libfabric's larger structures have, is zero.
    fi_info* copy = fi_dupinfo(info);
    REQUIRE(copy != nullptr);
    fi_freeinfo(copy);
  }));
}

TEST(Info, MPICH) {
  EXPECT_TRUE(alone([] {
    fi_info* hints = fi_dupinfo(ask(fi_version(), nullptr));
    hints->mode = FI_CONTEXT | FI_CONTEXT2 | FI_ASYNC_IOV | FI_RX_CQ_DATA;
    hints->tx_attr->op_flags = FI_COMPLETION | FI_DELIVERY_COMPLETE;
    hints->tx_attr->msg_order = FI_ORDER_SAS | FI_ORDER_ATOMIC_RAR | FI_ORDER_ATOMIC_WAW;
    hints->ep_attr->mem_tag_format = 0x00c000007fffffff;
    hints->domain_attr->threading = FI_THREAD_DOMAIN;
    hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
    hints->domain_attr->control_progress = FI_PROGRESS_MANUAL;
    hints->domain_attr->av_type = FI_AV_TABLE;
    hints->domain_attr->mr_mode = FI_MR_ENDPOINT;
    const fi_info* info = ask(fi_version(), hints);
    REQUIRE(info != nullptr);
    REQUIRE(info->domain_attr->threading == FI_THREAD_DOMAIN);
    REQUIRE(info->domain_attr->mr_mode == 0 && info->mode == 0);
    REQUIRE((info->tx_attr->op_flags & FI_DELIVERY_COMPLETE) != 0);
  }));
}

fi_info* hints_of_open_mpi() {
  fi_info* hints = fi_allocinfo();
  hints->caps = FI_TAGGED | FI_LOCAL_COMM | FI_REMOTE_COMM | FI_DIRECTED_RECV;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->tx_attr->msg_order = hints->rx_attr->msg_order = FI_ORDER_SAS;
  hints->tx_attr->op_flags = hints->rx_attr->op_flags = FI_COMPLETION;
  hints->domain_attr->cq_data_size = 4;
  hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->domain_attr->av_type = FI_AV_MAP;
  return hints;
}

TEST(Info, OpenMPI) {
  EXPECT_TRUE(alone([] {
    fi_info* hints = hints_of_open_mpi();
    const fi_info* info = ask(FI_VERSION(1, 5), hints);
    REQUIRE(info != nullptr && (info->caps & FI_DIRECTED_RECV) != 0);
    REQUIRE((info->caps & FI_MSG) == 0 && info->domain_attr->av_type == FI_AV_MAP);
    hints->caps |= FI_MSG | FI_HMEM;
    hints->domain_attr->mr_mode = FI_MR_ALLOCATED | FI_MR_HMEM;
    REQUIRE(ask(FI_VERSION(1, 9), hints) == nullptr);  // Open MPI 5 asks again without FI_HMEM
    hints->caps &= ~FI_HMEM;
    hints->domain_attr->mr_mode = FI_MR_ALLOCATED;
    REQUIRE(ask(FI_VERSION(1, 9), hints) != nullptr);
  }));
}

/// Whoever does not ask for directed receives may name any source, which is not looked at.
TEST(Info, PrimaryCapabilitiesAreThoseAskedFor) {
  EXPECT_TRUE(alone([] {
    fi_info* hints = hints_of_open_mpi();
    hints->caps = FI_TAGGED;
    const fi_info* info = ask(FI_VERSION(1, 5), hints);
    REQUIRE(info != nullptr && (info->caps & (FI_MSG | FI_DIRECTED_RECV)) == 0);
    REQUIRE((info->caps & (FI_SEND | FI_RECV)) == (FI_SEND | FI_RECV));
    hints->caps = FI_TAGGED | FI_SEND;
    info = ask(FI_VERSION(1, 5), hints);
    REQUIRE(info != nullptr && (info->caps & FI_RECV) == 0);
    REQUIRE(info->src_addr != nullptr && info->src_addrlen == 64);
  }));
}

TEST(Info, IntelMPI) {
  EXPECT_TRUE(alone([] {
    fi_info* hints = fi_dupinfo(ask(FI_VERSION(1, 6), nullptr));
    hints->tx_attr->op_flags = FI_COMPLETION | FI_DELIVERY_COMPLETE;
    hints->domain_attr->mr_mode = FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
    hints->domain_attr->threading = FI_THREAD_DOMAIN;
    hints->domain_attr->av_type = FI_AV_MAP;
    REQUIRE(ask(FI_VERSION(1, 6), hints) != nullptr);
  }));
}

TEST(Info, RefusesWhatItCannotDo) {
  EXPECT_TRUE(alone([] {
    fi_info* hints = hints_of_open_mpi();
    for (const fi_ep_type type : {FI_EP_MSG, FI_EP_DGRAM}) {
      hints->ep_attr->type = type;
      REQUIRE(ask(FI_VERSION(1, 5), hints) == nullptr);
    }
    hints->ep_attr->type = FI_EP_UNSPEC;
    REQUIRE(ask(FI_VERSION(1, 5), hints) != nullptr);
    for (const std::uint64_t capability : {FI_RMA, FI_ATOMIC, FI_COLLECTIVE, 1ULL << 45}) {
      hints->caps = FI_TAGGED | capability;
      REQUIRE(ask(FI_VERSION(1, 5), hints) == nullptr);
    }
    hints->caps = FI_TAGGED;
    hints->tx_attr->inject_size = 1 << 20;
    REQUIRE(ask(FI_VERSION(1, 5), hints) == nullptr);
    hints->tx_attr->inject_size = 0;
    hints->tx_attr->iov_limit = 9;
    REQUIRE(ask(FI_VERSION(1, 5), hints) == nullptr);
  }));
}

}  // namespace
}  // namespace suiro::fabric
