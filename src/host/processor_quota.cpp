// SPDX-License-Identifier: BSD-3-Clause
#include "host/processor_quota.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

namespace suiro::host {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

std::string contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// "max 100000", or two files of which the first says -1, where there is no limit.
double limit_in(const std::string& folder, bool unified) {
  const std::string text = unified ? contents(folder + "/cpu.max")
                                   : contents(folder + "/cpu.cfs_quota_us") + " " +
                                         contents(folder + "/cpu.cfs_period_us");
  double quota = 0, period = 0;
  const bool limited = std::sscanf(text.c_str(), "%lf %lf", &quota, &period) == 2;
  return limited && quota > 0 && period > 0 ? quota / period : unlimited;
}

/// "cpu,cpuacct" has, "cpuset" has not.
bool has_processor(const std::string& controllers) {
  std::istringstream names(controllers);
  for (std::string name; std::getline(names, name, ',');)
    if (name == "cpu") return true;
  return false;
}

/// Each group has its own limit, and those of all that it is in.
double least_limit(const std::string& mount, std::string group, bool unified) {
  double least = limit_in(mount, unified);
  while (group.size() > 1) {
    least = std::min(least, limit_in(mount + group, unified));
    group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
  }
  return least;
}

}  // namespace

double processor_quota(const std::string& groups, const std::string& root) {
  double least = unlimited;
  std::istringstream lines(groups);
  for (std::string line; std::getline(lines, line);) {  // number:controllers:group
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    const bool unified = controllers.empty();
    const bool of_processor = has_processor(controllers);
    if (unified || of_processor)
      least = std::min(least, least_limit(unified ? root : fmt::format("{}/{}", root, controllers),
                                          group, unified));
  }
  return least;
}

double processor_quota() {
  return processor_quota(contents("/proc/self/cgroup"), "/sys/fs/cgroup");
}

}  // namespace suiro::host
