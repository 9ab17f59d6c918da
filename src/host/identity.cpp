// SPDX-License-Identifier: BSD-3-Clause
#include "host/identity.hpp"

#include <fmt/format.h>
#include <sodium.h>
#include <sys/stat.h>

#include <array>
#include <bit>
#include <cstring>
#include <fstream>
#include <string>

#include "base/random.hpp"

namespace suiro::host {

std::uint64_t lone_identity() {
  std::array<std::uint8_t, sizeof(std::uint64_t)> bytes{};
  random_bytes(bytes);
  return std::bit_cast<std::uint64_t>(bytes);
}

std::uint64_t host_identity() {
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  struct stat network {};
  if (boot.empty() || stat("/proc/self/ns/net", &network) != 0) return lone_identity();
  const std::string text = fmt::format("{} {}:{}", boot, network.st_dev, network.st_ino);
  std::array<std::uint8_t, 16> hash{};
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(text.data()),
                     text.size(), nullptr, 0);
  std::uint64_t identity = 0;
  std::memcpy(&identity, hash.data(), sizeof identity);
  return identity;
}

}  // namespace suiro::host
