// SPDX-License-Identifier: BSD-3-Clause
#include "host/local_place.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"
#include "host/launcher.hpp"
#include "host/processor_quota.hpp"

namespace suiro::host {
namespace {

using Cores = std::array<cpu_set_t, 8>;  // 8,192 of them

/// Those that a process may use, 0 for this one; none if it cannot be asked.
Cores cores_of(pid_t process) {
  Cores cores{};
  if (sched_getaffinity(process, sizeof cores, cores.data()) < 0) cores = {};
  return cores;
}

/// Nothing if it cannot be read, or the process is gone.
std::string contents(pid_t process, const char* file) {
  const Descriptor descriptor(
      ::open(fmt::format("/proc/{}/{}", process, file).c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 4096> part;
  for (ssize_t count; (count = ::read(descriptor.number(), part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(count));
  return text;
}

/// 0 if it cannot be seen from here (proc_pid_stat(5): the name, in brackets, can be anything).
pid_t parent_of(pid_t process) {
  const std::string text = contents(process, "stat");
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos || name_end + 4 > text.size()) return 0;
  return std::atoi(&text[name_end + 4]);  // after the state
}

/// Among the variables with which a process was started, which end with a zero each.
bool has_variable(std::string_view environment, std::string_view name) {
  const std::string wanted = fmt::format("{}{}=", '\0', name);
  return environment.starts_with(wanted.substr(1)) ||
         environment.find(wanted) != std::string_view::npos;
}

/// By its name: an inner launcher was itself given the variable by an outer one.
bool is_launcher(std::string_view name) {
  constexpr std::array<std::string_view, 9> known{"mpirun",  "mpiexec",        "orterun",
                                                  "orted",   "prterun",        "prted",
                                                  "hydra_p", "hydra_bstrap_p", "slurmstepd"};
  return std::ranges::any_of(known, [name](auto one) { return name.starts_with(one); });
}

/// What Slurm gives the job of this host; its own launcher is root's, and may use more.
int cores_from_slurm() {
  const char* told = std::getenv("SLURM_CPUS_ON_NODE");
  return told == nullptr ? 0 : std::atoi(told);
}

/// The launcher is the nearest ancestor that is called so, or was started without the variable
/// which it gives to each rank: wrappers of programs hand it on.
int cores_of_job(const char* rank_variable) {
  Cores cores = cores_of(0);
  const auto count = [&cores] { return std::max(1, CPU_COUNT_S(sizeof cores, cores.data())); };
  if (rank_variable == nullptr) return count();
  pid_t launcher = getppid();
  std::string name = contents(launcher, "comm");
  while (launcher > 1 && !is_launcher(name) &&
         has_variable(contents(launcher, "environ"), rank_variable)) {
    launcher = parent_of(launcher);
    name = contents(launcher, "comm");
  }
  if (launcher < 1) return count();
  if (const int slurms = cores_from_slurm(); name.starts_with("slurmstepd") && slurms > 0)
    return std::max(count(), slurms);
  const Cores more = cores_of(launcher);
  CPU_OR_S(sizeof cores, cores.data(), cores.data(), more.data());
  return count();
}

}  // namespace

LocalPlace local_place() {
  const LauncherLocalPlace told = launcher_local_place();
  LocalPlace place{
      .rank = told.rank, .ranks = told.size, .cores = cores_of_job(told.rank_variable)};
  if (const double quota = processor_quota(); quota < place.cores)
    place.cores = std::max(1, static_cast<int>(quota));
  return place;
}

}  // namespace suiro::host
