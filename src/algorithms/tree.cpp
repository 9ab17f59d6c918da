// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/tree.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace suiro {

namespace {

// Pieces that may be on their way out of a rank, and that it is ready to receive: enough to keep a
// link busy while a rank waits for its turn on a core.
constexpr std::int64_t pieces_out = 8;
constexpr std::int64_t pieces_ahead = 4;

}  // namespace

Tree tree_of(std::vector<int> parent) {
  Tree tree{.parent = std::move(parent), .children = {}, .depth = 0};
  tree.children.resize(tree.parent.size());
  for (int place = 1; place < tree.size(); ++place) {
    tree.children[tree.parent[place]].push_back(place);
  }
  for (int place = 1; place < tree.size(); ++place) {
    int depth = 0;
    for (int above = place; above != 0; above = tree.parent[above]) ++depth;
    tree.depth = std::max(tree.depth, depth);
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

Tree binary_tree(int size) {
  std::vector<int> parent(static_cast<std::size_t>(size), -1);
  for (int place = 1; place < size; ++place) parent[place] = (place - 1) / 2;
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

/// A tree whose places are ranks.
struct Family {
  struct Member {
    int parent = -1;
    std::vector<int> children;
  };
  std::vector<Member> of_rank;
  std::size_t most_children = 0;

  Family(const Tree& tree, const std::vector<int>& order)
      : of_rank(static_cast<std::size_t>(tree.size())) {
    for (int place = 0; place < tree.size(); ++place) {
      Member& member = of_rank[order[place]];
      if (place > 0) member.parent = order[tree.parent[place]];
      for (const int child : tree.children[place]) member.children.push_back(order[child]);
      most_children = std::max(most_children, member.children.size());
    }
  }
};

}  // namespace

void send_down(Schedule& schedule, const Tree& tree, const std::vector<int>& order) {
  const auto family = std::make_shared<const Family>(tree, order);
  const std::int64_t pieces = schedule.pieces;
  schedule.rounds = tree.size() == 1 ? 0 : pieces + 1;
  schedule.window = pieces_out;
  schedule.receive_window = 1;
  schedule.lookahead = pieces_ahead;
  schedule.function = [family, pieces](int me, std::int64_t i, Round& round) {
    const auto& [parent, children] = family->of_rank[me];
    const Buffer held = parent < 0 ? Buffer::send : Buffer::receive;
    if (parent >= 0 && i < pieces) {
      round.steps.push_back(receive(parent, {Buffer::receive, i, 1}));
    }
    if (i == 0) return;
    for (const int child : children) round.steps.push_back(send({held, i - 1, 1}, child));
  };
}

void reduce_up(Schedule& schedule, const Tree& tree, const std::vector<int>& order) {
  const auto family = std::make_shared<const Family>(tree, order);
  const std::int64_t pieces = schedule.pieces;
  // A piece's place is free again when its reduced value has been sent on.
  const std::int64_t places = std::min(pieces, pieces_out + pieces_ahead + 1);
  const auto slots = static_cast<std::int64_t>(family->most_children);
  schedule.rounds = pieces + 1;
  schedule.window = pieces_out;
  schedule.receive_window = 1;
  schedule.lookahead = pieces_ahead;
  schedule.scratch = places * slots;
  schedule.function = [family, pieces, places, slots](int me, std::int64_t i, Round& round) {
    const auto& [parent, children] = family->of_rank[me];
    const auto place = [&](std::int64_t piece, std::size_t child) {
      const std::int64_t first = piece % places * slots + static_cast<std::int64_t>(child);
      return Blocks{Buffer::scratch, first, 1, piece};
    };
    if (i > 0) {
      const Blocks own{Buffer::send, i - 1, 1};
      Blocks sum = own;
      if (parent < 0) {
        sum = {Buffer::receive, i - 1, 1};
        round.steps.push_back(copy(own, sum));
      } else if (!children.empty()) {
        sum = place(i - 1, 0);
        round.steps.push_back(reduce(own, sum));
      }
      for (std::size_t child = parent < 0 ? 0 : 1; child < children.size(); ++child) {
        round.steps.push_back(reduce(place(i - 1, child), sum));
      }
      if (parent >= 0) round.steps.push_back(send(sum, parent));
    }
    if (i == pieces) return;
    for (std::size_t child = 0; child < children.size(); ++child) {
      round.steps.push_back(receive(children[child], place(i, child)));
    }
  };
}

}  // namespace suiro
