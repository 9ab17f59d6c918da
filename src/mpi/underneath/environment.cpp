// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/underneath/environment.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include "base/variables.hpp"

namespace suiro::mpi {

namespace {

constexpr std::string_view preload = "LD_PRELOAD";

/// The parts of a list that `keep` wants, as it changes them; empty ones go.
template <typename Keep>
std::string filtered(const std::string& list, const char* separators, Keep keep) {
  std::string kept;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find_first_of(separators, begin), list.size());
    const std::string part = keep(list.substr(begin, end - begin));
    if (!part.empty()) kept += (kept.empty() ? std::string() : std::string(1, *separators)) + part;
    begin = end + 1;
  }
  return kept;
}

std::string without_own_libraries(const std::string& list) {
  const std::string own = own_prefix();
  const std::string labs = own + "lab-";  // a lab's programs need them wherever they run
  return filtered(list, ": ", [&](const std::string& path) {
    return path.starts_with(own) && !path.starts_with(labs) ? "" : path;
  });
}

/// A token of Open MPI's list of variables for ranks, to which `suiro run` may have added its own.
std::string without_own_variables(const std::string& token) {
  const std::string_view name = std::string_view(token).substr(0, token.find('='));
  if (name.starts_with("SUIRO_")) return "";
  if (name != preload || name == token) return token;
  const std::string others = without_own_libraries(token.substr(preload.size() + 1));
  return others.empty() ? "" : std::string(preload) + "=" + others;
}

void change(const char* name, const std::string& old, const std::string& value) {
  if (value.empty()) {
    unsetenv(name);
  } else if (value != old) {
    setenv(name, value.c_str(), 1);
  }
}

}  // namespace

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::optional<bool> is_off() try {
  return !is_on(variables::suiro);
} catch (const std::exception&) {
  return std::nullopt;
}

std::string own_prefix() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&leave_environment), &info) == 0) return "/";
  const std::string_view path = info.dli_fname;
  return std::string(path.substr(0, path.rfind('/') + 1)) + "libsuiro-";
}

void leave_environment() {
  unsetenv(variables::token.name);
  unsetenv(variables::job.name);
  const std::string preloaded = variable(preload.data());
  change(preload.data(), preloaded, without_own_libraries(preloaded));
  constexpr const char* list_name = "OMPI_MCA_mca_base_env_list";
  const std::string list = variable(list_name);
  if (list.find(variables::token.name) == std::string::npos) return;
  const std::string given = variable("OMPI_MCA_mca_base_env_list_delimiter");
  const std::string delimiter = given.size() == 1 ? given : ";";
  change(list_name, list, filtered(list, delimiter.c_str(), without_own_variables));
}

}  // namespace suiro::mpi
