// SPDX-License-Identifier: BSD-3-Clause
#include "model/blocking.hpp"

#include <array>
#include <cstddef>

namespace suiro {
namespace {

// Gauss and Legendre's points and weights, for 0 to 1 (Abramowitz and Stegun, table 25.4, n = 8).
struct Point {
  double x;
  double weight;
};
constexpr std::array<double, 4> abscissa = {0.1834346424956498, 0.5255324099163290,
                                            0.7966664774136267, 0.9602898564975363};
constexpr std::array<double, 4> weight = {0.3626837833783620, 0.3137066458778873,
                                          0.2223810344533745, 0.1012285362903763};
constexpr std::size_t points = 2 * abscissa.size();

constexpr Point point(std::size_t i) {
  const std::size_t half = i % abscissa.size();
  const double sign = i < abscissa.size() ? -1 : 1;
  return {(1 + sign * abscissa[half]) / 2, weight[half] / 2};
}

}  // namespace

std::vector<double> served_heads(std::span<const double> share, std::span<const double> busy) {
  const std::size_t nodes = busy.size();
  std::vector<double> served(nodes, 0.0);
  for (std::size_t target = 0; target < nodes; ++target) {
    const auto absent = [&](std::size_t source, double x) {
      return 1 - share[(source * nodes) + target] * busy[source] * (1 - x);
    };
    std::array<double, points> all{};
    for (std::size_t i = 0; i < points; ++i) {
      all[i] = point(i).weight;
      for (std::size_t source = 0; source < nodes; ++source) all[i] *= absent(source, point(i).x);
    }
    for (std::size_t source = 0; source < nodes; ++source) {
      const double part = share[(source * nodes) + target];
      if (part == 0) continue;
      double mean = 0;  // itself is no rival
      for (std::size_t i = 0; i < points; ++i) mean += all[i] / absent(source, point(i).x);
      served[source] += part * mean;
    }
  }
  for (std::size_t node = 0; node < nodes; ++node) {
    if (served[node] == 0) served[node] = 1;
  }
  return served;
}

}  // namespace suiro
