// SPDX-License-Identifier: BSD-3-Clause
// One lock per receiving rank guards its mailboxes; a finished operation is put into its owner's
// list of completions, which has a lock of its own. No path holds two locks, so no order between
// them is needed.
#include "execute/memory_transport.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>

namespace suiro {

struct MemoryNetwork::Mailbox {
  struct Sent {
    std::span<const std::byte> bytes;
    std::vector<std::byte> buffered;
    bool nothing = false;
    std::int64_t token = 0;
  };
  struct Expected {
    std::span<std::byte> bytes;
    std::int64_t token = 0;
  };
  std::deque<Sent> sent;
  std::deque<Expected> expected;
};

struct MemoryNetwork::Inbox {
  explicit Inbox(int ranks) : from(static_cast<std::size_t>(ranks)) {}

  void complete(std::int64_t token, bool lost = false) {
    const std::scoped_lock lock(completion_mutex);
    completions.push_back({token, lost});
    arrived.notify_one();
  }

  std::mutex mailbox_mutex;
  std::vector<Mailbox> from;

  std::mutex completion_mutex;
  std::condition_variable arrived;
  std::vector<Ended> completions;  // of operations that this rank started
};

MemoryNetwork::MemoryNetwork(int ranks, SendMode mode, Lengths lengths)
    : ranks_(ranks), mode_(mode), lengths_(lengths) {
  for (int rank = 0; rank < ranks; ++rank) inboxes_.push_back(std::make_unique<Inbox>(ranks));
}

MemoryNetwork::~MemoryNetwork() = default;

namespace {

void deliver(std::span<const std::byte> source, std::span<std::byte> target,
             Lengths lengths = Lengths::equal) {
  if (source.size() > target.size() || (lengths == Lengths::equal && source.size() < target.size()))
    throw std::length_error("memory transport: a message has another length");
  // std::ranges::copy of libstdc++ 12 goes byte by byte here.
  if (source.data() != target.data()) std::copy(source.begin(), source.end(), target.begin());
}

}  // namespace

/// A schedule that verify rejects may ask for anything; say what instead of reading elsewhere.
template <class Span>
Span MemoryTransport::part(Span buffer, const Blocks& blocks) const {
  const auto [block_bytes, cut, unit] =
      std::tuple(buffers_.block_bytes, buffers_.cut, buffers_.unit_bytes);
  const bool whole_blocks = !cut || is_slots(blocks.buffer);
  const std::int64_t begin = blocks.buffer == Buffer::send      ? buffers_.first_sent
                             : blocks.buffer == Buffer::receive ? buffers_.first_received
                                                                : 0;
  const std::int64_t piece = whole_blocks ? blocks.piece : begin + blocks.first;
  if (blocks.first < 0 || blocks.count < 0 || (cut && piece < 0))
    throw std::out_of_range("memory transport: a step is outside its buffer");
  const auto count = static_cast<std::size_t>(blocks.count);
  const std::size_t first = whole_blocks
                                ? static_cast<std::size_t>(blocks.first) * block_bytes
                                : static_cast<std::size_t>(cut.size(begin, blocks.first)) * unit;
  const std::size_t size =
      cut ? static_cast<std::size_t>(cut.size(piece, blocks.count)) * unit : count * block_bytes;
  if (first + size > buffer.size())
    throw std::out_of_range("memory transport: a step is outside its buffer");
  return buffer.subspan(first, size);
}

std::span<std::byte> MemoryTransport::shared(const Blocks& blocks, int owner) const {
  if (static_cast<std::size_t>(owner) >= buffers_.shared.size())
    throw std::out_of_range("memory transport: there are no shared blocks of that rank");
  return part(buffers_.shared[static_cast<std::size_t>(owner)], blocks);
}

std::span<const std::byte> MemoryTransport::bytes(const Blocks& blocks, int owner) const {
  if (blocks.count == 0) return {};
  if (owner >= 0) return shared(blocks, owner);
  if (blocks.buffer == Buffer::send) return part(buffers_.send, blocks);
  return writable(blocks);
}

std::span<std::byte> MemoryTransport::writable(const Blocks& blocks) const {
  if (blocks.count == 0) return {};
  if (blocks.buffer == Buffer::send)
    throw std::logic_error("memory transport: the send buffer is read only");
  if (blocks.buffer == Buffer::shared) return shared(blocks, rank_);
  if (blocks.buffer == Buffer::work) return part(buffers_.work, blocks);
  return part(blocks.buffer == Buffer::receive ? buffers_.receive : buffers_.scratch, blocks);
}

int MemoryTransport::send(const Blocks& blocks, int peer, std::int64_t token) {
  return send(bytes(blocks), false, peer, token);
}

int MemoryTransport::send_nothing(const Blocks& /*blocks*/, int peer, std::int64_t token) {
  return send({}, true, peer, token);
}

int MemoryTransport::send(std::span<const std::byte> source, bool nothing, int peer,
                          std::int64_t token) {
  const bool buffered = network_.mode_ == SendMode::buffered;
  MemoryNetwork::Inbox& inbox = *network_.inboxes_[static_cast<std::size_t>(peer)];
  bool matched = false;
  std::int64_t receive_token = 0;
  {
    const std::scoped_lock lock(inbox.mailbox_mutex);
    MemoryNetwork::Mailbox& mailbox = inbox.from[static_cast<std::size_t>(rank_)];
    if (!mailbox.expected.empty()) {
      if (!nothing) deliver(source, mailbox.expected.front().bytes, network_.lengths_);
      receive_token = mailbox.expected.front().token;
      mailbox.expected.pop_front();
      matched = true;
    } else if (buffered) {
      mailbox.sent.push_back(
          {{}, std::vector<std::byte>(source.begin(), source.end()), nothing, token});
    } else {
      mailbox.sent.push_back({source, {}, nothing, token});
    }
  }
  if (matched) inbox.complete(receive_token, nothing);
  if (matched || buffered) network_.inboxes_[static_cast<std::size_t>(rank_)]->complete(token);
  return 1;
}

int MemoryTransport::receive(const Blocks& blocks, int peer, std::int64_t token) {
  const auto target = writable(blocks);
  const bool buffered = network_.mode_ == SendMode::buffered;
  MemoryNetwork::Inbox& inbox = *network_.inboxes_[static_cast<std::size_t>(rank_)];
  bool matched = false;
  bool nothing = false;
  std::int64_t send_token = 0;
  {
    const std::scoped_lock lock(inbox.mailbox_mutex);
    MemoryNetwork::Mailbox& mailbox = inbox.from[static_cast<std::size_t>(peer)];
    if (mailbox.sent.empty()) {
      mailbox.expected.push_back({target, token});
    } else {
      const auto& sent = mailbox.sent.front();
      nothing = sent.nothing;
      if (!nothing) {
        deliver(buffered ? std::span<const std::byte>(sent.buffered) : sent.bytes, target,
                network_.lengths_);
      }
      send_token = sent.token;
      mailbox.sent.pop_front();
      matched = true;
    }
  }
  if (matched) inbox.complete(token, nothing);
  if (matched && !buffered) network_.inboxes_[static_cast<std::size_t>(peer)]->complete(send_token);
  return 1;
}

bool MemoryTransport::copy(const Blocks& source, const Blocks& target, int owner) {
  deliver(bytes(source, owner), writable(target));
  return true;
}

bool MemoryTransport::reduce(const Blocks& source, const Blocks& target, int owner) {
  const auto in = bytes(source, owner);
  const auto inout = writable(target);
  if (in.size() != inout.size())
    throw std::length_error("memory transport: operands differ in length");
  if (!buffers_.reduction) throw std::logic_error("memory transport: there is no operation");
  buffers_.reduction(in, inout);
  return true;
}

bool MemoryTransport::wait(std::vector<Ended>& ended, bool /*all*/) {
  MemoryNetwork::Inbox& inbox = *network_.inboxes_[static_cast<std::size_t>(rank_)];
  std::unique_lock lock(inbox.completion_mutex);
  inbox.arrived.wait(lock, [&] { return !inbox.completions.empty(); });
  ended.insert(ended.end(), inbox.completions.begin(), inbox.completions.end());
  inbox.completions.clear();
  return true;
}

}  // namespace suiro
