// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/parts/gathering.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

#include "algorithms/parts/lanes.hpp"

namespace suiro {

namespace {

/// What every place of a tree passes on: the blocks of all ranks in its subtree, as ranges.
struct Subtrees {
  Subtrees(const Tree& given, const std::vector<int>& order) : tree(given) {
    const auto size = static_cast<std::size_t>(tree.size());
    ranks.resize(size);
    height.resize(size);
    depth.resize(size);
    collect(static_cast<int>(std::ranges::find(tree.parent, -1) - tree.parent.begin()), order);
  }

  /// The blocks of a subtree, in as few ranges as can be.
  std::vector<Range> ranges(int place) const {
    std::vector<Range> found;
    for (const int rank : ranks[place]) {
      if (!found.empty() && found.back().first + found.back().count == rank) {
        ++found.back().count;
      } else {
        found.push_back({rank, 1});
      }
    }
    return found;
  }

  bool is_leaf(int place) const { return tree.children[place].empty(); }
  bool is_root(int place) const { return tree.parent[place] < 0; }

  Tree tree;
  std::vector<std::vector<int>> ranks;  // of the subtree, in ascending order
  std::vector<std::int64_t> height;     // messages from the last leaf below
  std::vector<std::int64_t> depth;      // messages from the root

 private:
  void collect(int place, const std::vector<int>& order) {
    std::vector<int>& all = ranks[place];
    all.push_back(order[place]);
    for (const int child : tree.children[place]) {
      depth[child] = depth[place] + 1;
      collect(child, order);
      all.insert(all.end(), ranks[child].begin(), ranks[child].end());
      height[place] = std::max(height[place], height[child] + 1);
    }
    std::ranges::sort(all);
  }
};

Schedule over_subtrees(const Subtrees& subtrees, std::int64_t rounds) {
  Schedule schedule;
  schedule.ranks = subtrees.tree.size();
  schedule.rounds = rounds;
  schedule.work = subtrees.tree.depth > 1;
  return schedule;
}

}  // namespace

Schedule gather_up(const Tree& tree, const std::vector<int>& order) {
  const auto trees = std::make_shared<const Subtrees>(tree, order);
  Schedule schedule = over_subtrees(*trees, tree.depth + 1);
  schedule.function = [trees, order](int me, std::int64_t i, Round& round) {
    const Buffer kept = trees->is_root(me)   ? Buffer::receive
                        : trees->is_leaf(me) ? Buffer::send
                                             : Buffer::work;
    const Blocks own{Buffer::send, 0, 1};
    if (i == 0 && kept != Buffer::send) round.steps.push_back(copy(own, {kept, order[me], 1}));
    for (const int child : trees->tree.children[me]) {
      if (trees->height[child] != i) continue;
      for (const Range& range : trees->ranges(child)) {
        round.steps.push_back(receive(child, {kept, range.first, range.count}));
      }
    }
    if (trees->is_root(me) || trees->height[me] != i) return;
    const int parent = trees->tree.parent[me];
    if (kept == Buffer::send) {
      round.steps.push_back(send(own, parent));
      return;
    }
    for (const Range& range : trees->ranges(me)) {
      round.steps.push_back(send({kept, range.first, range.count}, parent));
    }
  };
  return relabelled(std::move(schedule), order);
}

Schedule scatter_down(const Tree& tree, const std::vector<int>& order) {
  const auto trees = std::make_shared<const Subtrees>(tree, order);
  Schedule schedule = over_subtrees(*trees, tree.depth + 1);
  schedule.function = [trees, order](int me, std::int64_t i, Round& round) {
    const Buffer kept = trees->is_root(me) ? Buffer::send : Buffer::work;
    const Blocks own{Buffer::receive, 0, 1};
    const int parent = trees->tree.parent[me];
    if (parent >= 0 && trees->depth[me] == i + 1) {
      for (const Range& range : trees->ranges(me)) {
        const Blocks place{Buffer::work, range.first, range.count};
        round.steps.push_back(receive(parent, trees->is_leaf(me) ? own : place));
      }
    }
    if (trees->depth[me] != i || (trees->is_leaf(me) && parent >= 0)) return;
    round.steps.push_back(copy({kept, order[me], 1}, own));
    for (const int child : trees->tree.children[me]) {
      for (const Range& range : trees->ranges(child)) {
        round.steps.push_back(send({kept, range.first, range.count}, child));
      }
    }
  };
  return relabelled(std::move(schedule), order);
}

std::vector<int> ranks_from(const Call& call) {
  std::vector<int> order(static_cast<std::size_t>(call.topology.ranks()));
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin(), order.begin() + call.root, order.end());
  return order;
}

Tree node_tree(const Topology& topology, int root) {
  std::vector<int> parent;
  for (const std::vector<int>& node : nodes_from(topology, root)) {
    const auto leader = static_cast<int>(parent.size());
    parent.push_back(leader == 0 ? -1 : 0);
    parent.insert(parent.end(), node.size() - 1, leader);
  }
  return tree_of(std::move(parent));
}

namespace {

// More in flight than this only take memory.
constexpr std::int64_t stride_max = 4;

}  // namespace

Circulation::Circulation(int size, std::int64_t items, Held held)
    : size_(size), items_(items), stride_(std::min(items, stride_max)), held_(std::move(held)) {}

std::int64_t Circulation::rounds() const {
  return (items_ + stride_ - 1) / stride_ * (size_ - 1) * stride_;
}

Range Circulation::sent(int place, std::int64_t i) const {
  if (i < 0 || i >= rounds()) return {};
  const std::int64_t steps = size_ - 1;
  const std::int64_t item = i / (stride_ * steps) * stride_ + i % stride_;
  const std::int64_t step = i / stride_ % steps;
  if (item >= items_) return {};
  const std::int64_t found = held_(static_cast<int>((place + size_ - step) % size_), item);
  return found < 0 ? Range{} : Range{found, 1};
}

Schedule Circulation::schedule() const {
  Schedule schedule;
  schedule.ranks = size_;
  schedule.rounds = rounds();
  schedule.receive_window = stride_;
  schedule.window = 2 * stride_;
  schedule.lookahead = stride_;
  schedule.function = [ring = *this, size = size_](int me, std::int64_t i, Round& round) {
    if (const Range in = ring.arriving(me, i); in.count > 0) {
      round.steps.push_back(receive((me + size - 1) % size, {Buffer::receive, in.first, 1}));
    }
    if (const Range out = ring.sent(me, i); out.count > 0) {
      round.steps.push_back(send({Buffer::receive, out.first, 1}, (me + 1) % size));
    }
  };
  return schedule;
}

Schedule own_block(int ranks, std::int64_t pieces) {
  Schedule schedule;
  schedule.ranks = ranks;
  schedule.pieces = pieces;
  schedule.rounds = 1;
  schedule.function = [pieces](int me, std::int64_t, Round& round) {
    round.steps.push_back(copy({Buffer::send, 0, pieces}, {Buffer::receive, me * pieces, pieces}));
  };
  return schedule;
}

namespace {

/// All of a node tell each other the blocks that begin with them, a piece in each round.
Schedule tell_node(const std::vector<std::vector<int>>& owned, std::int64_t pieces) {
  std::size_t most = 0;
  for (const std::vector<int>& blocks : owned) most = std::max(most, blocks.size());
  Schedule schedule;
  schedule.ranks = static_cast<int>(owned.size());
  schedule.rounds = static_cast<std::int64_t>(most) * pieces;
  schedule.window = std::max<std::int64_t>(schedule.rounds, 1);
  schedule.function = [owned, pieces, size = schedule.ranks](int me, std::int64_t i, Round& round) {
    const auto number = static_cast<std::size_t>(i / pieces);
    const auto has = [&](int of) { return number < owned[of].size(); };
    const auto piece = [&](int of) {
      return Blocks{Buffer::receive, owned[of][number] * pieces + i % pieces, 1};
    };
    for (int away = 1; away < size; ++away) {
      const int from = (me + size - away) % size;
      if (has(from)) round.steps.push_back(receive(from, piece(from)));
      if (has(me)) round.steps.push_back(send(piece(me), (me + away) % size));
    }
  };
  return schedule;
}

/// The ring of nodes that a lane drives.
Circulation ring_of_lane(const Groups& nodes, const Owned& owned, std::size_t lane,
                         std::size_t lanes, std::int64_t pieces) {
  std::vector<std::vector<int>> blocks(nodes.size());
  std::size_t most = 0;
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    for (std::size_t at = lane; at < nodes[node].size(); at += lanes) {
      const std::vector<int> more = owned(nodes[node][at]);
      blocks[node].insert(blocks[node].end(), more.begin(), more.end());
    }
    most = std::max(most, blocks[node].size());
  }
  // Every node asks each ring what arrives, so that all have one copy.
  const auto all = std::make_shared<const std::vector<std::vector<int>>>(std::move(blocks));
  const auto held = [all, pieces](int node, std::int64_t item) -> std::int64_t {
    const std::vector<int>& of_node = (*all)[static_cast<std::size_t>(node)];
    const auto number = static_cast<std::size_t>(item / pieces);
    if (number >= of_node.size()) return -1;
    return of_node[number] * pieces + item % pieces;
  };
  const std::int64_t items = static_cast<std::int64_t>(std::max<std::size_t>(most, 1)) * pieces;
  return {static_cast<int>(nodes.size()), items, held};
}

}  // namespace

Schedule spread(const Groups& nodes, const Owned& owned, std::int64_t pieces) {
  const auto lanes = static_cast<std::size_t>(lanes_of(nodes));
  const auto rings = std::make_shared<std::vector<Circulation>>();
  std::vector<Part> parts;
  int ranks = 0;
  bool even = true;
  for (const std::vector<int>& node : nodes) {
    ranks += static_cast<int>(node.size());
    even = even && node.size() == lanes;
  }
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    rings->push_back(ring_of_lane(nodes, owned, lane, lanes, pieces));
    parts.push_back(among(nodes, lane, rings->back().schedule()));
  }
  const auto tell = [&](int node, int) {
    std::vector<std::vector<int>> of_node;
    for (const int rank : nodes[node]) of_node.push_back(owned(rank));
    return tell_node(of_node, pieces);
  };
  Schedule inside = within(nodes, tell);
  if (nodes.size() == 1) return inside;
  const Schedule ring = side_by_side(ranks, std::move(parts), 0);
  const std::int64_t stride = std::ranges::max(*rings, {}, &Circulation::stride).stride();
  const auto share = [&](int node, int size) {
    const auto came = [rings, node](int lane, std::int64_t i) {
      return (*rings)[static_cast<std::size_t>(lane)].arriving(node, i);
    };
    return share_lanes(size, static_cast<int>(lanes), ring.rounds, stride, came);
  };
  // What a lane drives of ranks that have no lane of their own must have come.
  const std::int64_t ahead = even ? 0 : inside.rounds + ring.receive_reach();
  return overlapped(overlapped(inside, ring, ahead), within(nodes, share), ahead + stride);
}

std::int64_t most_in_spread(const Groups& nodes) {
  std::size_t most = 1;
  for (const std::vector<int>& node : nodes) most = std::max(most, 2 * node.size());
  return static_cast<std::int64_t>(most);
}

namespace {

/// One rank's part of a schedule that gathers, backwards.
class Reversal {
 public:
  Reversal(Schedule gathers, std::int64_t most, Sums sums)
      : gathers_(std::move(gathers)),
        most_(most),
        sums_(sums == Sums::in_receive_buffer ? Buffer::receive : Buffer::work),
        own_only_(sums == Sums::own),
        reach_(gathers_.receive_reach()),
        places_(std::min(gathers_.rounds, reach_ + gathers_.lookahead + 1)) {}

  std::int64_t rounds() const { return gathers_.rounds + reach_; }
  std::int64_t scratch() const { return places_ * most_; }

  void operator()(int me, std::int64_t i, Round& round) const {
    const std::int64_t all = own_only_ ? gathers_.ranks * gathers_.pieces : gathers_.pieces;
    if (i == 0) round.steps.push_back(copy({Buffer::send, 0, all}, {sums_, 0, all}));
    round.fence = has_fence(me, i);
    add_arrived(me, i, round);
    if (i + 1 == rounds() && own_only_) {
      const std::int64_t own = me * gathers_.pieces;
      round.steps.push_back(
          copy({Buffer::work, own, gathers_.pieces}, {Buffer::receive, 0, gathers_.pieces}));
    }
    Round forward;
    if (!take(me, i, forward)) return;
    const std::vector<Step> arriving = arrivals(me, i, forward);
    auto next = arriving.begin();
    for (auto step = forward.steps.rbegin(); step != forward.steps.rend(); ++step) {
      if (step->action == Action::send) round.steps.push_back(*next++);
      if (step->action != Action::receive) continue;
      const Blocks& target = step->target;
      const Blocks sum{sums_, target.first, target.count};
      round.steps.push_back(send(target.count > 0 ? sum : no_blocks, step->peer));
    }
  }

 private:
  /// The round of what gathers that is run in round i.
  bool take(int me, std::int64_t i, Round& forward) const {
    if (i < 0 || i >= gathers_.rounds) return false;
    gathers_.round(me, gathers_.rounds - 1 - i, forward);
    return true;
  }

  /// A fence lets everything before it end; backwards, what comes before is what came after.
  bool has_fence(int me, std::int64_t i) const {
    Round forward;
    return i > 0 && take(me, i - 1, forward) && forward.fence;
  }

  std::int64_t first_slot(std::int64_t i) const { return i % places_ * most_; }

  /// What round i receives, in the order of what it undoes from its end.
  std::vector<Step> arrivals(int me, std::int64_t i, const Round& forward) const {
    std::vector<Step> found;
    std::int64_t slot = first_slot(i);
    for (auto step = forward.steps.rbegin(); step != forward.steps.rend(); ++step) {
      if (step->action != Action::send) continue;
      const Blocks& sent = step->source;
      if (sent.count == 0) {
        found.push_back(receive(step->peer, no_blocks));
        continue;
      }
      const bool own = sent.buffer == Buffer::send;
      const std::int64_t piece = own ? me * gathers_.pieces + sent.first : sent.first;
      found.push_back(receive(step->peer, {Buffer::scratch, slot, sent.count, piece}));
      slot += sent.count;
    }
    return found;
  }

  /// What has come `reach` rounds ago is reduced, and at a fence all that has come.
  void add_arrived(int me, std::int64_t i, Round& round) const {
    for (std::int64_t from = std::max<std::int64_t>(i - reach_, 0); from < i; ++from) {
      if (from > i - reach_ && !round.fence) return;
      if (was_added_at_fence(me, from, i)) continue;
      Round forward;
      if (!take(me, from, forward)) continue;
      for (const Step& arrived : arrivals(me, from, forward)) {
        const Blocks& came = arrived.target;
        if (came.count == 0) continue;
        round.steps.push_back(reduce(came, {sums_, came.piece, came.count}));
      }
    }
  }

  bool was_added_at_fence(int me, std::int64_t from, std::int64_t i) const {
    for (std::int64_t between = from + 1; between < i; ++between) {
      if (has_fence(me, between)) return true;
    }
    return false;
  }

  Schedule gathers_;
  std::int64_t most_;
  Buffer sums_;
  bool own_only_;
  std::int64_t reach_;
  std::int64_t places_;
};

}  // namespace

Schedule reversed(Schedule gathers, std::int64_t most, Sums sums) {
  Schedule schedule = gathers;
  const auto reversal = std::make_shared<const Reversal>(std::move(gathers), most, sums);
  schedule.rounds = reversal->rounds();
  schedule.scratch = reversal->scratch();
  schedule.work = sums != Sums::in_receive_buffer;
  schedule.function = [reversal](int me, std::int64_t i, Round& round) {
    (*reversal)(me, i, round);
  };
  return schedule;
}

}  // namespace suiro
