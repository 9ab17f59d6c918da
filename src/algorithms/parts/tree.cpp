// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/parts/tree.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "algorithms/parts/compose.hpp"
#include "algorithms/parts/segments.hpp"

namespace suiro {

namespace {

// Pieces that may be on their way out of a rank, and that it is ready to receive: enough to keep a
// link busy while a rank waits for its turn on a core.
constexpr std::int64_t pieces_out = 8;
constexpr std::int64_t pieces_ahead = 4;

Schedule pipeline_over(const Tree& tree, std::int64_t pieces) {
  Schedule schedule;
  schedule.ranks = tree.size();
  schedule.pieces = pieces;
  schedule.window = pieces_out;
  schedule.receive_window = 1;
  schedule.lookahead = pieces_ahead;
  return schedule;
}

}  // namespace

Tree tree_of(std::vector<int> parent) {
  Tree tree{.parent = std::move(parent), .children = {}, .depth = 0};
  tree.children.resize(tree.parent.size());
  std::vector<int> depth(tree.parent.size(), -1);
  std::vector<int> way;  // up to the first place whose depth is known
  for (int place = 0; place < tree.size(); ++place) {
    if (tree.parent[place] >= 0) tree.children[tree.parent[place]].push_back(place);
    int at = place;
    for (; at >= 0 && depth[at] < 0; at = tree.parent[at]) way.push_back(at);
    int above = at < 0 ? -1 : depth[at];
    for (; !way.empty(); way.pop_back()) depth[way.back()] = ++above;
    tree.depth = std::max(tree.depth, above);
  }
  return tree;
}

Tree linear_tree(int size) {
  std::vector<int> parent(static_cast<std::size_t>(size), 0);
  parent[0] = -1;
  return tree_of(std::move(parent));
}

Tree chain_tree(int size, int chains) {
  std::vector<int> parent(static_cast<std::size_t>(size), -1);
  const int links = size - 1;
  int place = 1;
  for (int chain = 0; chain < chains && place < size; ++chain) {
    const int length = (links + chains - 1 - chain) / chains;
    for (int i = 0; i < length; ++i, ++place) parent[place] = i == 0 ? 0 : place - 1;
  }
  return tree_of(std::move(parent));
}

Tree complete_tree(int size, int k) {
  std::vector<int> parent(static_cast<std::size_t>(size), -1);
  for (int place = 1; place < size; ++place) parent[place] = (place - 1) / k;
  return tree_of(std::move(parent));
}

Tree knomial_tree(int size, int radix) {
  std::vector<int> parent(static_cast<std::size_t>(size), -1);
  for (int place = 1; place < size; ++place) {
    int weight = 1;
    while (place / weight % radix == 0) weight *= radix;
    parent[place] = place - place / weight % radix * weight;
  }
  Tree tree = tree_of(std::move(parent));
  for (std::vector<int>& children : tree.children) std::ranges::reverse(children);
  return tree;
}

namespace {

/// Gives the places first .. last - 1 their parents, with `above` as that of the one in the middle;
/// two are a chain.
void halve(int first, int last, int above, std::vector<int>& parent) {
  if (first >= last) return;
  const int middle = first + (last - first - 1) / 2;
  parent[middle] = above;
  halve(first, middle, middle, parent);
  halve(middle + 1, last, middle, parent);
}

}  // namespace

Tree in_order_chain_tree(int size, int root) {
  std::vector<int> parent(static_cast<std::size_t>(size), -1);
  for (int place = 0; place < size; ++place) {
    if (place != root) parent[place] = place == 0 ? root : place - 1;
  }
  return tree_of(std::move(parent));
}

Tree in_order_binary_tree(int size, int root) {
  std::vector<int> parent(static_cast<std::size_t>(size), -1);
  halve(0, root, root, parent);
  halve(root + 1, size, root, parent);
  return tree_of(std::move(parent));
}

Schedule send_down(const Tree& given, std::int64_t pieces) {
  const auto tree = std::make_shared<const Tree>(given);
  Schedule schedule = pipeline_over(*tree, pieces);
  schedule.rounds = tree->size() == 1 ? 0 : pieces + 1;
  schedule.function = [tree, pieces](int me, std::int64_t i, Round& round) {
    const int parent = tree->parent[me];
    const Buffer held = parent < 0 ? Buffer::send : Buffer::receive;
    if (parent >= 0 && i < pieces) {
      round.steps.push_back(receive(parent, {Buffer::receive, i, 1}));
    }
    if (i == 0) return;
    for (const int child : tree->children[me]) {
      round.steps.push_back(send({held, i - 1, 1}, child));
    }
  };
  return schedule;
}

namespace {

/// Where a place has what comes from its children. What the last child sent becomes the sum, and is
/// free again when that has left; what others sent, when it has been reduced in the round after.
class Arrivals {
 public:
  Arrivals(std::int64_t children, bool is_root, std::int64_t pieces)
      : reduced_(is_root || children == 0 ? children : children - 1),
        reduced_places_(std::min(pieces, pieces_ahead + 2)),
        sum_places_(reduced_ < children ? std::min(pieces, pieces_out + pieces_ahead + 1) : 0) {}

  Blocks of(std::int64_t piece, std::int64_t child) const {
    const std::int64_t first = child < reduced_ ? piece % reduced_places_ * reduced_ + child
                                                : reduced_places_ * reduced_ + piece % sum_places_;
    return {Buffer::scratch, first, 1, piece};
  }

  std::int64_t scratch() const { return reduced_places_ * reduced_ + sum_places_; }

 private:
  std::int64_t reduced_;  // children whose pieces are not sent on
  std::int64_t reduced_places_;
  std::int64_t sum_places_;
};

/// What one place does in reduce_up().
class Reducer {
 public:
  Reducer(const Tree& tree, std::int64_t pieces, Operands operands)
      : tree_(tree), pieces_(pieces), operands_(operands) {
    arrivals_.reserve(tree_.children.size());
    for (int place = 0; place < tree_.size(); ++place) {
      std::vector<int>& children = tree_.children[place];
      if (operands == Operands::in_order) std::ranges::sort(children);
      arrivals_.emplace_back(std::ssize(children), tree_.parent[place] < 0, pieces);
    }
  }

  std::int64_t scratch() const {
    std::int64_t most = 0;
    for (const Arrivals& arrivals : arrivals_) most = std::max(most, arrivals.scratch());
    return most;
  }

  void operator()(int me, std::int64_t i, Round& round) const {
    if (i > 0) combine(me, i - 1, round);
    if (i == pieces_) return;
    const std::vector<int>& children = tree_.children[me];
    for (std::size_t child = 0; child < children.size(); ++child) {
      round.steps.push_back(receive(children[child], from_child(me, i, child)));
    }
  }

 private:
  Blocks from_child(int me, std::int64_t piece, std::size_t child) const {
    return arrivals_[me].of(piece, static_cast<std::int64_t>(child));
  }

  /// Where `me` finds a piece of each of its operands: one for each child, and its own.
  std::vector<Blocks> operands(int me, std::int64_t piece) const {
    std::vector<Blocks> found;
    const std::vector<int>& children = tree_.children[me];
    const bool root = tree_.parent[me] < 0;
    const bool own_last = operands_ == Operands::any && root;
    const auto own_at = own_last                     ? children.end()
                        : operands_ == Operands::any ? children.begin()
                                                     : std::ranges::upper_bound(children, me);
    for (auto child = children.begin();; ++child) {
      if (child == own_at) found.push_back({Buffer::send, piece, 1});
      if (child == children.end()) return found;
      found.push_back(from_child(me, piece, static_cast<std::size_t>(child - children.begin())));
    }
  }

  /// The last operand takes in the others, from right to left. The send buffer cannot: a root
  /// copies it, and no other place that has children has its own last.
  void combine(int me, std::int64_t piece, Round& round) const {
    const std::vector<Blocks> all = operands(me, piece);
    const int parent = tree_.parent[me];
    const Blocks result{Buffer::receive, piece, 1};
    const bool own_last = all.back().buffer == Buffer::send;
    const Blocks sum = parent < 0 && own_last ? result : all.back();
    if (sum != all.back()) round.steps.push_back(copy(all.back(), sum));
    for (auto operand = all.rbegin() + 1; operand != all.rend(); ++operand) {
      round.steps.push_back(reduce(*operand, sum));
    }
    if (parent >= 0) {
      round.steps.push_back(send(sum, parent));
    } else if (sum != result) {
      round.steps.push_back(copy(sum, result));
    }
  }

  Tree tree_;
  std::int64_t pieces_;
  std::vector<Arrivals> arrivals_;  // by place
  Operands operands_;
};

}  // namespace

Schedule reduce_up(const Tree& tree, std::int64_t pieces, Operands operands) {
  Schedule schedule = pipeline_over(tree, pieces);
  const auto reducer = std::make_shared<const Reducer>(tree, pieces, operands);
  schedule.rounds = pieces + 1;
  schedule.scratch = reducer->scratch();
  schedule.function = [reducer](int me, std::int64_t i, Round& round) { (*reducer)(me, i, round); };
  return schedule;
}

Schedule send_down(const Tree& tree, const Call& call, const Parameters& parameters) {
  return relabelled(send_down(tree, segments_of(call.bytes, tree.depth, call, parameters)),
                    node_order(call.topology, call.root));
}

Schedule reduce_up(const Tree& tree, const Call& call, const Parameters& parameters) {
  return relabelled(
      reduce_up(tree, segments_of(call.bytes, tree.depth, call, parameters), Operands::any),
      node_order(call.topology, call.root));
}

}  // namespace suiro
