// SPDX-License-Identifier: BSD-3-Clause
#include "switch/tap.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "switch/frame.hpp"

namespace suiro {

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

Descriptor::~Descriptor() {
  if (open()) close(number_);
}

Descriptor open_tap(const std::string& name) {
  Descriptor tap(::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (!tap.open()) {
    throw SwitchError(fmt::format(
        "cannot open /dev/net/tun: {}; load the module tun, or run as root", std::strerror(errno)));
  }
  ifreq request{};
  request.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR;
  name.copy(request.ifr_name, IFNAMSIZ - 1);
  if (ioctl(tap.number(), TUNSETIFF, &request) < 0) {
    throw SwitchError(
        fmt::format("cannot create the TAP device {}: {}; it needs the rights of a "
                    "network administrator in this namespace, and a free name",
                    name, std::strerror(errno)));
  }
  int header_bytes = sizeof(OffloadHeader);
  if (ioctl(tap.number(), TUNSETVNETHDRSZ, &header_bytes) < 0 ||
      ioctl(tap.number(), TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6) < 0) {
    throw SwitchError(fmt::format("the TAP device {} does not offer segmentation offload: {}", name,
                                  std::strerror(errno)));
  }
  return tap;
}

}  // namespace suiro
