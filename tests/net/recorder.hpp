// SPDX-License-Identifier: BSD-3-Clause
// The engine's place, taken by something that writes down what a carrier tells it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "net/carrier/carrier.hpp"

namespace suiro::net {

class Recorder : public Events {
 public:
  struct Stream {
    bool accepted = false;
    Route route;
    int opened = 0, closed = 0, writable = 0, drained = 0;
    std::string reason;
    std::vector<std::byte> received;
    std::size_t placed = 0;
    std::span<std::byte> wanted;
  };

  void accepted(StreamId stream, const Route& route) override {
    expect_open(stream);
    streams[stream].accepted = true;
    streams[stream].route = route;
    last_accepted = stream;
    tell(stream, "accepted");
  }
  void opened(StreamId stream) override {
    expect_open(stream);
    ++streams[stream].opened;
    tell(stream, "opened");
  }
  void closed(StreamId stream, std::string_view reason) override {
    expect_open(stream);
    ++streams[stream].closed;
    streams[stream].reason = reason;
    tell(stream, "closed");
  }
  void writable(StreamId stream) override {
    expect_open(stream);
    ++streams[stream].writable;
    tell(stream, "writable");
  }
  std::span<std::byte> wanted(StreamId stream) override { return streams[stream].wanted; }
  void placed(StreamId stream, std::size_t bytes) override {
    expect_open(stream);
    Stream& s = streams[stream];
    if (bytes > s.wanted.size()) errors.emplace_back("more placed than wanted");
    s.wanted = s.wanted.subspan(bytes);
    s.placed += bytes;
    tell(stream, "placed");
  }
  void received(StreamId stream, std::span<const std::byte> bytes) override {
    expect_open(stream);
    Stream& s = streams[stream];
    s.received.insert(s.received.end(), bytes.begin(), bytes.end());
    tell(stream, "received");
  }
  void drained(StreamId stream) override {
    expect_open(stream);
    ++streams[stream].drained;
    tell(stream, "drained");
  }
  void alarm() override { ++alarms; }

  /// The test closes a stream itself: nothing may be told of it from now on.
  void forget(StreamId stream) { ++streams[stream].closed; }

  std::map<StreamId, Stream> streams;
  StreamId last_accepted = no_stream;
  int alarms = 0;
  std::vector<std::string> errors;
  std::function<void(StreamId, const std::string&)> on_event;

 private:
  void expect_open(StreamId stream) {
    if (streams[stream].closed > 0) errors.emplace_back("an event of a closed stream");
  }
  void tell(StreamId stream, const std::string& event) {
    if (on_event) on_event(stream, event);
  }
};

}  // namespace suiro::net
