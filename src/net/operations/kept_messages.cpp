// SPDX-License-Identifier: BSD-3-Clause
#include "net/operations/kept_messages.hpp"

#include <utility>

#include "net/operations/origin.hpp"
#include "net/protocol/frames.hpp"

namespace suiro::net {

Unexpected& KeptMessages::keep(const Envelope& message, Unexpected::Kind kind,
                               std::uint64_t payload_bytes, Origin* origin) {
  Unexpected& kept = messages_.take();
  kept.envelope = message;
  kept.kind = kind;
  kept.origin = origin;
  kept.payload_bytes = payload_bytes;
  if (kind == Unexpected::Kind::eager || payload_bytes > 0) {
    kept.payload = spare_.take(payload_bytes);
    kept.charged_bytes = cost(payload_bytes);
    bytes_ += kept.charged_bytes;
    if (origin == nullptr) bytes_to_self_ += kept.charged_bytes;
    statistics_.most_unexpected_bytes = std::max(statistics_.most_unexpected_bytes, bytes_);
  }
  kept.queued = true;
  queue_.add(kept);
  ++statistics_.unexpected;
  return kept;
}

Unexpected* KeptMessages::find(const Pattern& pattern) {
  return static_cast<Unexpected*>(queue_.find(pattern));
}

void KeptMessages::take_out(Unexpected& message) {
  queue_.remove(message);
  message.queued = false;
}

void KeptMessages::claim(Unexpected& message, void* context) {
  message.claimed = true;
  claimed_.emplace(context, &message);
}

Unexpected* KeptMessages::take_claimed(void* context) {
  const auto found = claimed_.find(context);
  if (found == claimed_.end()) return nullptr;
  Unexpected* message = found->second;
  claimed_.erase(found);
  message->claimed = false;
  return message;
}

void KeptMessages::discard(Unexpected& message) {
  if (!message.complete) {
    message.discarded = true;
    return;
  }
  if (message.kind == Unexpected::Kind::local) sends_.finish(*message.local, Status::ok);
  if (message.kind == Unexpected::Kind::request && message.origin != nullptr)
    message.origin->decline(message.transfer);
  drop(message);
}

void KeptMessages::discard_all() {
  std::vector<Unexpected*> messages;
  messages_.for_each([&](Unexpected& message) {
    const bool unwanted = message.queued || message.claimed;
    if (unwanted && message.kind != Unexpected::Kind::eager) messages.push_back(&message);
  });
  for (Unexpected* message : messages) {
    if (message->queued) take_out(*message);
    std::erase_if(claimed_, [&](const auto& claimed) { return claimed.second == message; });
    discard(*message);
  }
}

void KeptMessages::drop(Unexpected& message) {
  Origin* origin = message.origin;
  const std::uint64_t freed = message.charged_bytes;
  bytes_ -= freed;
  spare_.give(std::move(message.payload));
  messages_.give(message);
  if (freed == 0) return;
  if (origin != nullptr)
    origin->consumed(freed);
  else
    bytes_to_self_ -= freed;
}

std::vector<Unexpected*> KeptMessages::incomplete_of(const Origin& origin) {
  std::vector<Unexpected*> messages;
  messages_.for_each([&](Unexpected& message) {
    const bool whole = message.kind == Unexpected::Kind::eager && message.complete;
    if (message.origin == &origin && !whole) messages.push_back(&message);
  });
  return messages;
}

void KeptMessages::count(Statistics& statistics) const {
  statistics.unexpected_now = queue_.size();
  statistics.unexpected_bytes_now = bytes_;
}

}  // namespace suiro::net
