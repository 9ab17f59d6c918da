// SPDX-License-Identifier: BSD-3-Clause
#include "choose/shown.hpp"

#include <algorithm>

namespace suiro {

bool is_near(double one_s, double other_s) {
  constexpr double doubt = 1.5;
  return one_s < doubt * other_s && other_s < doubt * one_s;
}

bool explains(const Foretold& native, double shown_s) { return is_near(native.seconds, shown_s); }

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

void leave_out_what_does_not_explain(std::vector<Network>& networks, std::vector<Foretold>& native,
                                     double shown_s) {
  for (std::size_t i = native.size(); i-- > 0;) {
    if (explains(native[i], shown_s)) continue;
    networks.erase(networks.begin() + static_cast<std::ptrdiff_t>(i));
    native.erase(native.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace suiro
