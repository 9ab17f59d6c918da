// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/job/provider.hpp"

#include <dlfcn.h>
#include <glob.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <string_view>
#include <tuple>

#include "base/variables.hpp"
#include "host/launcher.hpp"
#include "host/links.hpp"
#include "mpi/job/service.hpp"
#include "mpi/job/settings.hpp"
#include "mpi/underneath/environment.hpp"
#include "mpi/underneath/load.hpp"
#include "mpi/underneath/real.hpp"
#include "net/protocol/settings.hpp"

namespace suiro::mpi {
namespace {

struct Variable {
  const char* name;
  const char* value;
  bool unless_set = false;
};
// Each MPI has its own; they do nothing under the others, so all are set.
constexpr Variable variables[] = {
    {"OMPI_MCA_pml", "cm"},
    {"OMPI_MCA_mtl", "ofi"},
    {"OMPI_MCA_mtl_ofi_provider_include", "suiro"},
    {"OMPI_MCA_opal_common_ofi_provider_include", "suiro"},
    {"FI_PROVIDER", "suiro"},
    {"MPIR_CVAR_CH4_NETMOD", "ofi"},
    {"I_MPI_OFI_PROVIDER", "suiro"},
    {"I_MPI_FABRICS", "shm:ofi", true},
    // MPICH has the receiver confirm each message over 4 KiB for the sake of its own one-sided
    // communication over libfabric (init_settings.c), which suiro does not offer.
    {"MPIR_CVAR_CH4_OFI_ENABLE_RMA", "0", true},
};

std::string provider_file() { return own_prefix() + "fi.so"; }

/// What the last call of the dynamic linker's says.
std::string loader_error() {
  const char* text = dlerror();
  return text != nullptr ? text : "it cannot be loaded";
}

/// The engine is the same here and in the provider.
std::string network_failure() {
  try {
    host::usable_links(net::settings_from_environment().networks);
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

/// It stays loaded: the MPI is about to do the same.
std::string provider_failure() {
  const std::string path = provider_file();
  if (dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) return loader_error();
  std::ifstream file(path, std::ios::binary);
  const std::string image(std::istreambuf_iterator<char>(file), {});
  if (image.find("suiro build " + build_id()) != std::string::npos) return "";
  return path + " is of another build than the library beside it: install suiro again";
}

/// Open MPI's part for libfabric is inside its library, or in a file near it, or was not built.
std::string component_failure() {
  if (real_symbol_if_any("mca_mtl_ofi_component") != nullptr) return "";
  Dl_info info{};
  char path[PATH_MAX] = {};
  if (dladdr(real_symbol("PMPI_Init"), &info) == 0 || realpath(info.dli_fname, path) == nullptr) {
    return "";
  }
  const std::string_view library = path;
  const std::string folder(library.substr(0, library.rfind('/')));
  const std::string places = folder + "{/openmpi*,/openmpi/lib/openmpi*}/mca_pml_cm.so";
  glob_t found{};
  std::string failure;  // none, where the parts are in a place that is not known
  if (glob(places.c_str(), GLOB_BRACE, nullptr, &found) == 0) {
    const std::string_view part = found.gl_pathv[0];
    const std::string file = std::string(part.substr(0, part.rfind('/'))) + "/mca_mtl_ofi.so";
    if (dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL) == nullptr) {
      failure = "this Open MPI cannot use libfabric: " + loader_error();
    }
  }
  globfree(&found);
  return failure;
}

/// Open MPI before 4.1.6 sends contiguous datatypes that do not begin at their address from the
/// address on, where it makes a persistent request of them (its pml cm): MPI_Send_init,
/// MPI_Alltoallw, one-sided communication. The data that arrive are wrong.
bool has_wrong_offsets(const std::string& version) {
  int major = 0;
  int minor = 0;
  int patch = 0;
  return std::sscanf(version.c_str(), "Open MPI v%d.%d.%d", &major, &minor, &patch) == 3 &&
         std::tuple(major, minor, patch) < std::tuple(4, 1, 6) &&
         text_of(variables::wrong_offsets) != "accept";  // settings.cpp refuses what is no choice
}

std::string mpi_failure() {
  const std::string version = library_version();
  if (version.starts_with("Open MPI")) {
    if (!has_wrong_offsets(version)) return component_failure();
    return version.substr(0, version.find(',')) +
           " sends datatypes with an offset from the wrong place over libfabric (4.1.6 does not)";
  }
  const std::size_t device = version.find("MPICH Device:");
  if (device == std::string::npos) return "";
  const std::string line = version.substr(device, version.find('\n', device) - device);
  return line.find("ofi") == std::string::npos ? "this MPICH is built without libfabric" : "";
}

}  // namespace

Obstacle provider_obstacle() {
  std::string why = network_failure();
  if (!why.empty()) return {why, false};
  if (!host::launcher_place())
    return {"the launcher does not tell how many ranks the job has", true};
  why = mpi_failure();
  return {why.empty() ? provider_failure() : why, true};
}

void choose_provider() {
  const std::string file = provider_file();
  std::string folders = file.substr(0, file.rfind('/'));
  if (const char* others = std::getenv("FI_PROVIDER_PATH")) folders += std::string(":") + others;
  setenv("FI_PROVIDER_PATH", folders.c_str(), 1);
  for (const auto& [name, value, unless_set] : variables) setenv(name, value, unless_set ? 0 : 1);
}

/// By one message to itself.
bool sends_from_right_place() {
  const int sent[] = {1, 2};
  int arrived = 0;
  const int one = 1;
  const MPI_Aint offset = sizeof sent[0];
  MPI_Datatype second = MPI_DATATYPE_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  real.Type_create_hindexed(1, &one, &offset, MPI_INT, &second);
  real.Type_commit(&second);
  real.Send_init(sent, 1, second, 0, 0, MPI_COMM_SELF, &request);
  real.Start(&request);
  real.Recv(&arrived, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  real.Wait(&request, MPI_STATUS_IGNORE);
  real.Request_free(&request);
  real.Type_free(&second);
  return arrived == sent[1];
}

}  // namespace suiro::mpi
