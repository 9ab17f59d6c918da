// SPDX-License-Identifier: BSD-3-Clause
// The control socket: who connects gets the counters and is closed. A client may first write a line
// and half-close: {"reset": true} or {"throttle": SHARE}.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "switch/fabric.hpp"
#include "switch/tap.hpp"

namespace suiro {

class Control {
 public:
  struct Request {
    bool reset = false;              // of the counters
    std::optional<double> throttle;  // Network::throttle()
  };

  explicit Control(std::string path);
  ~Control();
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

  /// To wait for: the client that is being served, else the next one.
  int descriptor() const { return client_.open() ? client_.number() : listener_.number(); }
  /// Serves a client as far as that goes without waiting; `answer` is told what was asked for.
  void serve(Time now, const std::function<std::string(const Request&)>& answer);
  /// When serve() is to be called even if nothing happens.
  Time deadline() const { return deadline_; }

 private:
  bool request_complete();

  std::string path_;
  Descriptor listener_;
  Descriptor client_;
  std::string request_;
  Time deadline_ = never;
};

}  // namespace suiro
