// SPDX-License-Identifier: BSD-3-Clause
// fi_getinfo: what the provider offers, and how that meets what is asked for.
#pragma once

#include <rdma/fabric.h>

#include <cstddef>
#include <cstdint>

namespace suiro::fabric {

constexpr std::size_t inject_bytes = 4 << 10;
constexpr std::uint32_t address_format = FI_PROV_SPECIFIC | 0x5375;  // a net::Name

// Names of libfabric 2, whose bits mean other things in 1.x.
constexpr std::uint64_t tagged_directed_receive = 1ULL << 45;
constexpr std::uint64_t exact_directed_receive = 1ULL << 48;

int get_info(std::uint32_t version, const char* node, const char* service, std::uint64_t flags,
             const fi_info* hints, fi_info** info);

/// Everything that can be asked for by an application that knows `version` of libfabric.
std::uint64_t capabilities(std::uint32_t version);

/// Whether the offer meets these hints.
bool acceptable(std::uint32_t version, const fi_info& hints, const fi_info& offered);

/// Narrows the offer to what was asked for.
void follow(std::uint32_t version, const fi_info& hints, fi_info& info);

}  // namespace suiro::fabric
