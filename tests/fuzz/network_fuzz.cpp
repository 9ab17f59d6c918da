// SPDX-License-Identifier: BSD-3-Clause
// A network is read or refused in one line, and what was read can be played.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "expect.hpp"
#include "model/network_json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using suiro::fuzz::expect;
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const suiro::NetworkFile file = suiro::parse_network(text, "network.json");
    expect(file.network.link_Bps >= 1, "links carry something");
    expect(file.network.message_s >= 0 && file.network.latency_s >= 0, "times are not negative");
    for (const int site : file.site_of_node) expect(site >= 0, "sites are numbered from 0");
  } catch (const std::runtime_error& error) {
    const std::string said = error.what();
    expect(said.starts_with("network.json: "), "a refusal names the file");
  }
  return 0;
}
