// SPDX-License-Identifier: BSD-3-Clause
#include "execute/net_transport.hpp"

#include <algorithm>
#include <cstring>

namespace suiro {
namespace {

// How long a rank sleeps before it looks after its other work again.
constexpr std::int64_t idle_period_ns = 100'000;

// What the engine gives back with an operation: its token, and whether it awaits payload.
std::uint64_t flags_of(std::int64_t token, bool awaits_payload) {
  return static_cast<std::uint64_t>(token) << 1 | (awaits_payload ? 1 : 0);
}

const char* describe(net::Status status) {
  switch (status) {
    case net::Status::truncated:
      return "sent more than was expected";
    case net::Status::unreachable:
      return "no link to it is left";
    default:
      return "refused the message";
  }
}

}  // namespace

std::span<std::byte> ByteBlocks::bytes(const Blocks& blocks) const {
  if (blocks.count == 0) return {};
  const auto block = static_cast<std::size_t>(blocks.first);
  if (cut) {
    const bool kept = blocks.buffer == Buffer::scratch;
    const std::int64_t piece = kept ? blocks.piece : first_piece + blocks.first;
    const auto before = static_cast<std::size_t>(cut.size(first_piece, blocks.first)) * unit_bytes;
    std::byte* begin = base + (kept ? block * block_bytes : before);
    return {begin, static_cast<std::size_t>(cut.size(piece, blocks.count)) * unit_bytes};
  }
  if (!offsets.empty()) return {base + offsets[block], sizes[block]};
  return {base + block * block_bytes, static_cast<std::size_t>(blocks.count) * block_bytes};
}

NetTransport::NetTransport(const NetGroup& group, const BytesOfBuffers& bytes, IdleWork idle,
                           Reduction reduction, bool direct)
    : group_(group), buffers_(bytes), idle_(idle), reduction_(reduction), direct_(direct) {}

NetTransport::~NetTransport() { group_.endpoint->forget(this); }

std::span<std::byte> NetTransport::bytes(const Blocks& blocks) const {
  return buffers_[static_cast<std::size_t>(blocks.buffer)].bytes(blocks);
}

int NetTransport::rank_of(net::Peer peer) const {
  const auto found = std::ranges::find(group_.peers, peer);
  return static_cast<int>(found - group_.peers.begin());
}

int NetTransport::fail(int peer, net::Status status) {
  if (error_.empty()) error_ = "rank " + std::to_string(peer) + ": " + describe(status);
  return -1;
}

int NetTransport::send_nothing(const Blocks& /*blocks*/, int peer, std::int64_t token) {
  return send(no_blocks, peer, token);
}

int NetTransport::send(const Blocks& blocks, int peer, std::int64_t token) {
  const std::span<std::byte> from = bytes(blocks);
  const iovec segment{from.data(), from.size()};
  net::SendRequest request;
  request.peer = group_.peers[static_cast<std::size_t>(peer)];
  request.space = net::Space::untagged;
  request.tag = group_.tag;
  request.buffers = {&segment, 1};
  request.sink = this;
  request.flags = flags_of(token, false);
  const net::Status status = group_.endpoint->send(request);
  if (status != net::Status::ok) return fail(peer, status);
  return 1;
}

int NetTransport::receive(const Blocks& blocks, int peer, std::int64_t token) {
  const std::span<std::byte> to = bytes(blocks);
  const iovec segment{to.data(), to.size()};
  net::ReceiveRequest request;
  request.pattern = {group_.peers[static_cast<std::size_t>(peer)], net::Space::untagged, group_.tag,
                     0};
  request.buffers = {&segment, 1};
  request.sink = this;
  const bool awaits_payload = !to.empty() && !direct_;
  request.flags = flags_of(token, awaits_payload);
  const net::Status status = group_.endpoint->receive(request);
  if (status != net::Status::ok) return fail(peer, status);
  return 1;
}

bool NetTransport::copy(const Blocks& source, const Blocks& target, int /*owner*/) {
  const std::span<std::byte> from = bytes(source);
  const std::span<std::byte> to = bytes(target);
  if (!from.empty()) std::memmove(to.data(), from.data(), std::min(from.size(), to.size()));
  return true;
}

bool NetTransport::reduce(const Blocks& source, const Blocks& target, int /*owner*/) {
  const std::span<std::byte> from = bytes(source);
  const std::span<std::byte> into = bytes(target);
  if (reduction_.function != nullptr &&
      reduction_.function(reduction_.argument, from.data(), into.data(), into.size())) {
    return true;
  }
  error_ = "the reduction failed";
  return false;
}

void NetTransport::complete(const net::Completion& completion) {
  const bool failed = completion.status != net::Status::ok;
  const bool came_empty = (completion.flags & 1) != 0 && completion.length == 0;
  const bool receives = completion.kind == net::Completion::Kind::receive;
  finished_.push_back(
      {static_cast<std::int64_t>(completion.flags >> 1), receives && (failed || came_empty)});
  if (completion.status == net::Status::ok || first_failure_ != net::Status::ok) return;
  first_failure_ = completion.status;
  failed_peer_ =
      completion.kind == net::Completion::Kind::send ? completion.peer : completion.envelope.source;
}

bool NetTransport::has_finished(void* transport) {
  return !static_cast<NetTransport*>(transport)->finished_.empty();
}

void NetTransport::take_finished(void* argument) {
  auto* transport = static_cast<NetTransport*>(argument);
  std::vector<Ended>& taken = *transport->taken_;
  taken.insert(taken.end(), transport->finished_.begin(), transport->finished_.end());
  transport->finished_.clear();
  if (transport->first_failure_ != net::Status::ok) {
    transport->fail(transport->rank_of(transport->failed_peer_), transport->first_failure_);
  }
}

/// A message that fails is over, and the run goes on: the others get what they wait for.
bool NetTransport::wait(std::vector<Ended>& ended, bool /*all*/) {
  while (!group_.endpoint->wait(&NetTransport::has_finished, this, idle_period_ns)) {
    if (idle_.function != nullptr && !idle_.function(idle_.argument)) return false;
  }
  taken_ = &ended;
  group_.endpoint->locked(&NetTransport::take_finished, this);
  return true;
}

}  // namespace suiro
