// SPDX-License-Identifier: BSD-3-Clause
#include "choose/shown.hpp"

#include <algorithm>

namespace suiro {

bool explains(const Foretold& native, double shown_s) {
  constexpr double doubt = 1.5;
  return native.seconds < doubt * shown_s && shown_s < doubt * native.seconds;
}

bool is_explained(const std::vector<Foretold>& native, double shown_s) {
  return std::ranges::any_of(
      native, [&](const Foretold& its) { return !its.is_known() || explains(its, shown_s); });
}

std::vector<Network> with_other_links(std::vector<Network> networks,
                                      const std::vector<Foretold>& native, double shown_s) {
  constexpr double times_max = 16;
  for (std::size_t i = 0; i < networks.size(); ++i) {
    const double times = std::clamp(native[i].seconds / shown_s, 1 / times_max, times_max);
    networks[i].link_Bps *= times;
    networks[i].stream_Bps *= times;
    networks[i].wan.Bps *= times;
  }
  return networks;
}

}  // namespace suiro
