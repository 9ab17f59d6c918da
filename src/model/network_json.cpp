// SPDX-License-Identifier: BSD-3-Clause
#include "model/network_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>

namespace suiro {

std::optional<SwitchKind> switch_kind_of(std::string_view name) {
  for (std::size_t i = 0; i < switch_kind_names.size(); ++i) {
    if (switch_kind_names[i] == name) return static_cast<SwitchKind>(i);
  }
  return std::nullopt;
}

namespace {

using Json = nlohmann::json;

struct Field {
  std::string_view name;
  double Network::*value;
};
constexpr std::array fields = {
    Field{"link_Bps", &Network::link_Bps},
    Field{"stream_Bps", &Network::stream_Bps},
    Field{"message_s", &Network::message_s},
    Field{"latency_s", &Network::latency_s},
    Field{"local_message_s", &Network::local_message_s},
    Field{"local_latency_s", &Network::local_latency_s},
    Field{"signal_s", &Network::signal_s},
    Field{"copy_Bps", &Network::copy_Bps},
    Field{"local_Bps", &Network::local_Bps},
    Field{"reduce_Bps", &Network::reduce_Bps},
    Field{"kernel_Bps", &Network::kernel_Bps},
    Field{"processors", &Network::processors},
    Field{"eager", &Network::eager},
    Field{"buffer", &Network::buffer},
    Field{"retransmit_s", &Network::retransmit_s},
};

struct WanField {
  std::string_view name;
  double Wan::*value;
};
constexpr std::array wan_fields = {
    WanField{"wan_Bps", &Wan::Bps},
    WanField{"wan_latency_s", &Wan::latency_s},
    WanField{"wan_window", &Wan::window},
};

class Reader {
 public:
  explicit Reader(std::string_view name) : name_(name) {}

  void read(std::string_view key, const Json& value, NetworkFile& file) const {
    if (key == "kind") return read_kind(value, file.network);
    if (key == "start_s") return read_number(key, value, file.start_s);
    if (key == "site_of_node") return read_sites(value, file.site_of_node);
    for (const Field& field : fields) {
      if (field.name == key) return read_number(key, value, file.network.*field.value);
    }
    for (const WanField& field : wan_fields) {
      if (field.name == key) return read_number(key, value, file.network.wan.*field.value);
    }
    fail("a network has no '" + std::string(key) + "'");
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(std::string(name_) + ": " + what);
  }

 private:
  void read_number(std::string_view key, const Json& value, double& target) const {
    const bool rate = key.ends_with("_Bps");
    const double number = value.is_number() ? value.get<double>() : NAN;
    if (!(number >= 0) || number > 1e18 || (rate && number < 1)) {
      fail(std::string(key) + ": expected a number from " + (rate ? "1" : "0") + " to 1e18, got " +
           value.dump());
    }
    target = number;
  }

  void read_kind(const Json& value, Network& network) const {
    const auto kind = value.is_string() ? switch_kind_of(value.get<std::string>()) : std::nullopt;
    if (!kind)
      fail("kind: expected \"voq\", \"hol\", \"pause\" or \"shared\", got " + value.dump());
    network.kind = *kind;
  }

  void read_sites(const Json& value, std::vector<int>& sites) const {
    if (!value.is_array()) fail("site_of_node: expected a list, got " + value.dump());
    for (const Json& site : value) {
      if (!site.is_number_unsigned() || site.get<std::uint64_t>() > 65535) {
        fail("site_of_node: expected numbers of sites, got " + site.dump());
      }
      sites.push_back(site.get<int>());
    }
  }

  std::string_view name_;
};

}  // namespace

NetworkFile parse_network(std::string_view text, std::string_view name, const Network& untold) {
  const Reader reader(name);
  const Json document = Json::parse(text, nullptr, false);
  if (!document.is_object()) reader.fail("expected one JSON object");
  NetworkFile file{.network = untold,
                   .tells_kind = document.contains("kind"),
                   .tells_rate = document.contains("link_Bps"),
                   .tells_wan = document.contains("wan_Bps")};
  for (const auto& [key, value] : document.items()) reader.read(key, value, file);
  return file;
}

std::map<std::string_view, double> numbers_of(const Network& network) {
  std::map<std::string_view, double> numbers;
  for (const Field& field : fields) numbers[field.name] = network.*field.value;
  for (const WanField& field : wan_fields) numbers[field.name] = network.wan.*field.value;
  return numbers;
}

}  // namespace suiro
