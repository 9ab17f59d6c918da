// SPDX-License-Identifier: BSD-3-Clause
#include "net/endpoint/complaint.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/private_folder.hpp"
#include "base/tell.hpp"
#include "base/variables.hpp"
#include "host/links.hpp"
#include "net/endpoint/statistics_report.hpp"

namespace suiro::net {
namespace {

namespace files = std::filesystem;

constexpr std::string_view prefix = "said-";
constexpr std::chrono::minutes kept{1};  // after that, whoever could say it again has ended

/// What the processes of a job on this host share: its secret, or else who started them.
std::string mark_of_job() {
  const char* secret = value_of(variables::job_secret);
  const std::string text = secret != nullptr ? secret : std::to_string(getppid());
  std::array<unsigned char, 16> digest{};
  crypto_generichash(digest.data(), digest.size(),
                     reinterpret_cast<const unsigned char*>(text.data()), text.size(), nullptr, 0);
  return fmt::format("{}{:02x}", prefix, fmt::join(digest, ""));
}

void remove_old_marks(const std::string& folder) {
  std::error_code ignored;
  const auto oldest = files::file_time_type::clock::now() - kept;
  for (files::directory_iterator entry(folder, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    const bool mark = entry->path().filename().string().starts_with(prefix);
    std::error_code gone;
    if (mark && entry->last_write_time(gone) < oldest) files::remove(entry->path(), gone);
  }
}

/// Leaves a mark that outlives this process: an MPI ends those who fail, one after the other. It is
/// a folder, since there may be no descriptor left for a file.
bool is_first_of_job() {
  const std::string folder = private_folder();
  if (folder.empty()) return true;
  remove_old_marks(folder);
  const std::string path = fmt::format("{}/{}", folder, mark_of_job());
  return mkdir(path.c_str(), 0700) == 0 || errno != EEXIST;
}

}  // namespace

void complain(std::string_view text) {
  static const bool first = is_first_of_job();
  static std::atomic<bool> said{false};
  if (!first || said.exchange(true)) return;
  const Reporter reporter = this_process({});
  const std::string who = reporter.rank < 0 ? fmt::format("process {}", reporter.process)
                                            : fmt::format("rank {}", reporter.rank);
  tell(fmt::format("suiro: {} on {}: {}\n", who, reporter.host, text));
}

void complain_of(const Name& peer, std::string_view reason) {
  complain(fmt::format("no way is left to process {} of the host with {}: {}", peer.local_rank,
                       host::dotted(peer.addresses[0]), reason));
}

}  // namespace suiro::net
