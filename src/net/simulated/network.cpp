// SPDX-License-Identifier: BSD-3-Clause
#include "net/simulated/network.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <utility>

#include "base/clock.hpp"

namespace suiro::net {
namespace {

/// What a link, with the offloads of its hosts, carries in one piece.
constexpr std::size_t packet_bytes = 16 << 10;
constexpr std::int64_t memory_delay_ns = 500;

std::uint32_t address_of(std::size_t process, int rail) {
  const std::array<std::uint8_t, 4> bytes{10, static_cast<std::uint8_t>(rail),
                                          static_cast<std::uint8_t>(process / 250),
                                          static_cast<std::uint8_t>(process % 250 + 1)};
  std::uint32_t address = 0;
  std::memcpy(&address, bytes.data(), sizeof address);
  return address;
}

}  // namespace

/// A connection: its two ends, as far as they are open.
struct SimulatedNetwork::Pipe {
  std::array<End*, 2> ends{};
  std::array<Route, 2> routes{};
  std::array<SimulatedCarrier*, 2> processes{};
  bool broken = false;  // what is written is lost
};

struct SimulatedNetwork::End {
  struct Segment {
    std::int64_t at_ns;
    std::vector<std::byte> bytes;
  };

  std::shared_ptr<Pipe> pipe;
  int side = 0;
  StreamId id = no_stream;
  bool connected = false;
  bool established = false;
  StreamKind kind = StreamKind::control;
  std::deque<Segment> incoming;
  std::size_t taken = 0;      // of the first segment
  std::size_t held = 0;       // bytes of `incoming`
  bool writer_waits = false;  // who writes to this end
  std::int64_t last_at_ns = 0;

  End* other() const { return pipe->ends[1 - side]; }
};

SimulatedNetwork::SimulatedNetwork(std::uint64_t seed, const Conditions& conditions)
    : random_(seed), conditions_(conditions) {}

SimulatedNetwork::~SimulatedNetwork() = default;

SimulatedCarrier& SimulatedNetwork::add(std::uint64_t host, int rails, std::uint32_t local_rank) {
  Name name;
  name.rails = static_cast<std::uint8_t>(rails);
  name.port = 1024;
  name.local_rank = local_rank;
  name.host = host;
  for (std::uint8_t& byte : name.nonce) byte = static_cast<std::uint8_t>(random_());
  std::vector<host::Link> links;
  for (int rail = 0; rail < rails; ++rail) {
    const std::uint32_t address = address_of(processes_.size(), rail);
    name.addresses[static_cast<std::size_t>(rail)] = address;
    links.push_back({.interface = "rail" + std::to_string(rail), .address = address, .prefix = 16});
  }
  std::shared_ptr<Rails>& shared = rails_of_host_[host];
  if (shared == nullptr) shared = std::make_shared<Rails>();
  for (int rail = 0; rail < rails; ++rail)
    shared->try_emplace(rail, Rail{.bytes_per_ns = conditions_.bytes_per_ns});
  processes_.push_back(std::make_unique<SimulatedCarrier>(*this, name, std::move(links), shared));
  return *processes_.back();
}

SimulatedCarrier* SimulatedNetwork::process_of(const Name& name) const {
  const auto found = std::ranges::find_if(
      processes_, [&](const auto& process) { return process->name_.nonce == name.nonce; });
  return found == processes_.end() || (*found)->dead_ ? nullptr : found->get();
}

std::int64_t SimulatedNetwork::delay() {
  const auto spread =
      static_cast<std::uint64_t>(conditions_.longest_delay_ns - conditions_.shortest_delay_ns + 1);
  return conditions_.shortest_delay_ns + static_cast<std::int64_t>(random_() % spread);
}

void SimulatedNetwork::notify(std::int64_t at_ns, What what, SimulatedCarrier& process,
                              StreamId stream, std::shared_ptr<Pipe> pipe) {
  notices_.push({at_ns, order_++, what, &process, stream, std::move(pipe)});
}

bool SimulatedNetwork::passes(const Pipe& pipe) const {
  for (std::size_t side = 0; side < 2; ++side) {
    const SimulatedCarrier::Rail* rail = pipe.processes[side]->rail_of(pipe.routes[side]);
    if (rail != nullptr && rail->stalled) return false;
  }
  return true;
}

bool SimulatedNetwork::step() {
  if (notices_.empty()) return false;
  const Notice notice = notices_.top();
  notices_.pop();
  now_ns_ = std::max(now_ns_, notice.at_ns);
  if (notice.process->dead_) return true;
  const SimulatedNetwork::End* end = notice.process->find(notice.stream);
  const Pipe* pipe = notice.pipe ? notice.pipe.get() : end != nullptr ? end->pipe.get() : nullptr;
  if (pipe != nullptr && notice.what != What::writable && !passes(*pipe))
    held_.push_back(notice);
  else
    notice.process->handle(notice);
  return true;
}

void SimulatedNetwork::run_until(std::int64_t at_ns) {
  while (!notices_.empty() && notices_.top().at_ns <= at_ns) step();
  now_ns_ = std::max(now_ns_, at_ns);
}

void SimulatedNetwork::stall(SimulatedCarrier& process, int rail) {
  (*process.rails_)[rail].stalled = true;
}

void SimulatedNetwork::restore(SimulatedCarrier& process, int rail) {
  (*process.rails_)[rail].stalled = false;
  for (Notice& notice : std::exchange(held_, {}))
    notify(now_ns_ + delay(), notice.what, *notice.process, notice.stream, notice.pipe);
}

void SimulatedNetwork::break_streams(SimulatedCarrier& process, int rail,
                                     std::optional<StreamKind> kind) {
  for (const auto& [id, end] : process.ends_) {
    if (kind && end->kind != *kind) continue;
    const Route& route = end->pipe->routes[static_cast<std::size_t>(end->side)];
    if (route.shared_memory || route.own_rail != rail) continue;
    end->pipe->broken = true;
    for (End* side : {end.get(), end->other()}) {
      if (side == nullptr) continue;
      side->incoming.clear();
      side->taken = side->held = 0;
      notify(now_ns_ + delay(), What::closed,
             *side->pipe->processes[static_cast<std::size_t>(side->side)], side->id);
    }
  }
}

void SimulatedNetwork::kill(SimulatedCarrier& process) {
  while (!process.ends_.empty()) process.close(process.ends_.begin()->first);
  process.dead_ = true;
}

void SimulatedNetwork::set_rate(SimulatedCarrier& process, int rail, double bytes_per_ns) {
  (*process.rails_)[rail].bytes_per_ns = bytes_per_ns;
}

SimulatedCarrier::SimulatedCarrier(SimulatedNetwork& network, const Name& name,
                                   std::vector<host::Link> links,
                                   std::shared_ptr<SimulatedNetwork::Rails> rails)
    : network_(network), name_(name), links_(std::move(links)), rails_(std::move(rails)) {}

SimulatedCarrier::~SimulatedCarrier() = default;

SimulatedCarrier::End* SimulatedCarrier::find(StreamId stream) {
  const auto found = ends_.find(stream);
  return found == ends_.end() ? nullptr : found->second.get();
}

SimulatedCarrier::Rail* SimulatedCarrier::rail_of(const Route& route) {
  return route.shared_memory ? nullptr : &(*rails_)[route.own_rail];
}

SimulatedCarrier::End& SimulatedCarrier::add_end(const std::shared_ptr<Pipe>& pipe, int side) {
  auto end = std::make_unique<End>();
  end->pipe = pipe;
  end->side = side;
  end->id = ++last_id_;
  pipe->ends[static_cast<std::size_t>(side)] = end.get();
  return *(ends_[last_id_] = std::move(end));
}

StreamId SimulatedCarrier::open(const Name& peer, const Route& route) {
  auto pipe = std::make_shared<Pipe>();
  SimulatedCarrier* target = network_.process_of(peer);
  pipe->routes = {route, Route{route.shared_memory, route.peer_rail, route.own_rail}};
  pipe->processes = {this, target != nullptr ? target : this};
  const StreamId id = add_end(pipe, 0).id;
  const std::int64_t at = network_.now_ns_ + network_.delay();
  const bool apart = route.shared_memory && peer.host != name_.host;
  if (target == nullptr || apart)
    network_.notify(at, What::closed, *this, id);
  else
    network_.notify(at, What::accepted, *target, no_stream, pipe);
  return id;
}

/// A kernel accepts before the opener hears of it, so one that leaves meanwhile is seen here.
void SimulatedCarrier::accept(const std::shared_ptr<Pipe>& pipe) {
  const End* opener = pipe->ends[0];
  End& end = add_end(pipe, 1);
  const StreamId id = end.id;
  end.connected = true;
  const std::int64_t at = network_.now_ns_ + network_.delay();
  if (opener == nullptr)
    network_.notify(at, What::closed, *this, id);
  else
    network_.notify(at, What::opened, *pipe->processes[0], opener->id);
  events_->accepted(id, pipe->routes[1]);
}

void SimulatedCarrier::establish(StreamId stream, StreamKind kind) {
  End* end = find(stream);
  if (end == nullptr) return;
  end->established = true;
  end->kind = kind;
}

/// When bytes that are written now will have arrived: each rail sends and receives one thing after
/// the other.
std::int64_t SimulatedCarrier::arrival(const End& from, End& to, std::size_t bytes) {
  const Pipe& pipe = *from.pipe;
  const auto side = static_cast<std::size_t>(from.side);
  Rail* source = rail_of(pipe.routes[side]);
  Rail* target = pipe.processes[1 - side]->rail_of(pipe.routes[1 - side]);
  std::int64_t at = network_.now_ns_ + memory_delay_ns;
  if (source != nullptr && target != nullptr) {
    const auto size = static_cast<double>(bytes);
    const std::int64_t begin = std::max(network_.now_ns_, source->sends_until_ns);
    source->sends_until_ns = begin + static_cast<std::int64_t>(size / source->bytes_per_ns);
    const std::int64_t first = std::max(begin + network_.delay(), target->receives_until_ns);
    at = target->receives_until_ns = std::max(
        first + static_cast<std::int64_t>(size / target->bytes_per_ns), source->sends_until_ns);
  }
  to.last_at_ns = std::max(at, to.last_at_ns);
  return to.last_at_ns;
}

std::size_t SimulatedCarrier::write(StreamId stream, std::span<const iovec> bytes) {
  ++writes_;
  End* end = find(stream);
  if (end == nullptr || !end->connected) return 0;
  std::size_t total = 0;
  for (const iovec& piece : bytes) total += piece.iov_len;
  End* other = end->other();
  if (other == nullptr || end->pipe->broken) return total;  // lost, and nobody has been told
  const std::size_t buffer = network_.conditions_.buffer_bytes;
  const std::size_t room = buffer - std::min(buffer, other->held);
  std::size_t count = std::min(total, room);
  if (network_.conditions_.cut && network_.random_() % 8 == 0)
    count = network_.random_() % (count + 1);
  std::vector<std::byte> taken(count);
  std::size_t done = 0;
  for (const iovec& piece : bytes) {
    const std::size_t here = std::min(piece.iov_len, count - done);
    if (here > 0) std::memcpy(taken.data() + done, piece.iov_base, here);
    done += here;
  }
  if (count < total) {
    other->writer_waits = true;
    if (count < room)  // cut by chance: nothing else will wake the writer
      network_.notify(network_.now_ns_ + network_.delay(), What::writable, *this, stream);
  }
  if (count == 0) return 0;
  other->held += count;
  for (std::size_t offset = 0; offset < count; offset += packet_bytes) {
    const auto packet = std::span(taken).subspan(offset, std::min(packet_bytes, count - offset));
    const std::int64_t at = arrival(*end, *other, packet.size());
    other->incoming.push_back({at, {packet.begin(), packet.end()}});
    network_.notify(at, What::readable,
                    *end->pipe->processes[1 - static_cast<std::size_t>(end->side)], other->id);
  }
  return count;
}

void SimulatedCarrier::arm(StreamId stream) {
  network_.notify(network_.now_ns_, What::readable, *this, stream);
}

void SimulatedCarrier::close(StreamId stream) {
  End* end = find(stream);
  if (end == nullptr) return;
  if (End* other = end->other(); other != nullptr)
    network_.notify(std::max(network_.now_ns_ + network_.delay(), other->last_at_ns), What::closed,
                    *end->pipe->processes[1 - static_cast<std::size_t>(end->side)], other->id);
  end->pipe->ends[static_cast<std::size_t>(end->side)] = nullptr;
  ends_.erase(stream);
}

void SimulatedCarrier::set_alarm(std::int64_t at_ns) {
  alarm_ns_ = at_ns;
  network_.notify(at_ns, What::alarm, *this, no_stream);
}

void SimulatedCarrier::handle(const SimulatedNetwork::Notice& notice) {
  if (notice.what == What::alarm) {
    if (notice.at_ns == alarm_ns_) events_->alarm();
    return;
  }
  if (notice.what == What::accepted) {
    accept(notice.pipe);
    return;
  }
  End* end = find(notice.stream);
  if (end == nullptr) return;
  switch (notice.what) {
    case What::opened:
      end->connected = true;
      events_->opened(notice.stream);
      break;
    case What::writable:
      events_->writable(notice.stream);
      break;
    case What::readable:
      read(notice.stream);
      break;
    default:
      read(notice.stream);  // what was sent before the end
      end_stream(notice.stream);
  }
}

void SimulatedCarrier::end_stream(StreamId stream) {
  End* end = find(stream);
  if (end == nullptr) return;
  end->pipe->ends[static_cast<std::size_t>(end->side)] = nullptr;
  ends_.erase(stream);
  events_->closed(stream, "the connection ended");
}

void SimulatedCarrier::read(StreamId stream) {
  bool any = false;
  for (End* end = find(stream); end != nullptr; end = find(stream)) {
    if (end->incoming.empty() || end->incoming.front().at_ns > network_.now_ns_) break;
    const std::size_t bytes = read_once(*end);
    if (bytes == 0) return;
    any = true;
    end = find(stream);
    End* writer = end == nullptr ? nullptr : end->other();
    if (writer == nullptr || !end->writer_waits ||
        end->held > network_.conditions_.buffer_bytes / 2)
      continue;
    end->writer_waits = false;
    network_.notify(network_.now_ns_ + network_.delay(), What::writable,
                    *end->pipe->processes[1 - static_cast<std::size_t>(end->side)], writer->id);
  }
  if (any && find(stream) != nullptr) events_->drained(stream);
}

/// Gives some of the first bytes that have arrived; 0: they are not wanted now.
std::size_t SimulatedCarrier::read_once(End& end) {
  const std::vector<std::byte>& bytes = end.incoming.front().bytes;
  std::size_t count = bytes.size() - end.taken;
  if (network_.conditions_.cut && network_.random_() % 4 == 0)
    count = 1 + network_.random_() % count;
  std::span<std::byte> wanted;
  if (end.established) wanted = events_->wanted(end.id);
  const bool bulk = end.established && end.kind == StreamKind::bulk;
  if (bulk && wanted.empty()) return 0;
  const bool place = bulk || (!wanted.empty() && network_.random_() % 2 == 0);
  if (place) count = std::min(count, wanted.size());
  const std::vector<std::byte> part(bytes.begin() + static_cast<std::ptrdiff_t>(end.taken),
                                    bytes.begin() + static_cast<std::ptrdiff_t>(end.taken + count));
  end.taken += count;
  end.held -= count;
  if (end.taken == bytes.size()) {
    end.incoming.pop_front();
    end.taken = 0;
  }
  if (place) {
    // std::ranges::copy of libstdc++ 12 goes byte by byte here.
    std::copy(part.begin(), part.end(), wanted.begin());
    events_->placed(end.id, count);
  } else {
    events_->received(end.id, part);
  }
  return count;
}

}  // namespace suiro::net
