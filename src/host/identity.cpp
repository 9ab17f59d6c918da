// SPDX-License-Identifier: BSD-3-Clause
#include "host/identity.hpp"

#include <fmt/format.h>
#include <sodium.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include <array>
#include <bit>
#include <cstring>
#include <fstream>
#include <string>

#include "base/random.hpp"

namespace suiro::host {

namespace {

std::uint64_t hash_of(const std::string& text) {
  std::array<std::uint8_t, 16> hash{};
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(text.data()),
                     text.size(), nullptr, 0);
  std::uint64_t identity = 0;
  std::memcpy(&identity, hash.data(), sizeof identity);
  return identity;
}

/// Of this process; empty where /proc does not tell it.
std::string namespace_named(const char* name) {
  struct stat found {};
  if (stat(fmt::format("/proc/self/ns/{}", name).c_str(), &found) != 0) return {};
  return fmt::format(" {}:{}", found.st_dev, found.st_ino);
}

/// Empty where /proc does not tell it.
std::string boot_identity() {
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  return boot;
}

}  // namespace

std::uint64_t lone_identity() {
  std::array<std::uint8_t, sizeof(std::uint64_t)> bytes{};
  random_bytes(bytes);
  return std::bit_cast<std::uint64_t>(bytes);
}

std::uint64_t host_identity() {
  const std::string boot = boot_identity();
  const std::string network = namespace_named("net");
  if (boot.empty() || network.empty()) return lone_identity();
  return hash_of(boot + network);
}

std::uint64_t node_identity() {
  utsname names{};
  uname(&names);
  return hash_of(boot_identity() + namespace_named("net") + ' ' + names.nodename);
}

std::uint64_t view_identity() {
  const std::string processes = namespace_named("pid");
  const std::string users = namespace_named("user");
  if (processes.empty() || users.empty()) return lone_identity();
  return hash_of(processes + users);
}

}  // namespace suiro::host
