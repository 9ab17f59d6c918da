// SPDX-License-Identifier: BSD-3-Clause
#include "net/operations/matching.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <vector>

#include "net/operations/matching_index.hpp"

namespace suiro::net {

/// A place of an unexpected entry in the table of one class of patterns.
struct IndexNode {
  IndexNode* next = nullptr;
  IndexNode* previous = nullptr;
  UnexpectedEntry* entry = nullptr;
  IndexNode* of_same_entry = nullptr;
  std::size_t table = 0;
};

namespace {

/// More classes of patterns than that are found by walking; MPIs use three or four.
constexpr std::size_t tables_max = 16;

/// Patterns of one class differ in source and tag only, so that a message has one key in it.
struct PatternClass {
  bool any_source = false;
  std::uint64_t ignore = 0;

  explicit PatternClass(const Pattern& pattern)
      : any_source(pattern.source == any_peer), ignore(pattern.ignore) {}
  bool operator==(const PatternClass&) const = default;

  MatchKey key(const Envelope& message) const {
    return {message.tag & ~ignore, any_source ? any_peer : message.source, message.space};
  }
};

MatchKey key(const Pattern& pattern) {
  return {pattern.tag & ~pattern.ignore, pattern.source, pattern.space};
}

}  // namespace

// Receives: each is in the table of its class, and a message looks into every table.

struct PostedQueue::Tables {
  struct Table {
    PatternClass patterns;
    std::size_t size = 0;
    MatchIndex<PostedEntry> index;
  };

  std::vector<Table> tables;
  OrderedList<PostedEntry> others;  // of classes that have no table
  std::size_t others_size = 0;
  std::uint64_t added = 0;
  std::size_t size = 0;

  Table* find(const PatternClass& patterns) {
    const auto table = std::ranges::find(tables, patterns, &Table::patterns);
    return table == tables.end() ? nullptr : &*table;
  }

  /// A new table takes the place of an empty one when there are too many. A class has no table as
  /// long as any entry may be among the others, so that remove() knows where an entry is.
  Table* make(const PatternClass& patterns) {
    if (others_size > 0) return nullptr;
    if (tables.size() < tables_max) return &tables.emplace_back(Table{patterns, 0, {}});
    const auto unused = std::ranges::find(tables, std::size_t{0}, &Table::size);
    if (unused == tables.end()) return nullptr;
    unused->patterns = patterns;
    return &*unused;
  }
};

PostedQueue::PostedQueue() : tables_(std::make_unique<Tables>()) {}
PostedQueue::~PostedQueue() = default;
std::size_t PostedQueue::size() const { return tables_->size; }

void PostedQueue::add(PostedEntry& entry) {
  const PatternClass patterns(entry.pattern);
  Tables::Table* table = tables_->find(patterns);
  if (table == nullptr) table = tables_->make(patterns);
  entry.order = tables_->added++;
  ++tables_->size;
  if (table != nullptr) {
    table->index.add(key(entry.pattern), entry);
    ++table->size;
  } else {
    tables_->others.append(entry);
    ++tables_->others_size;
  }
}

PostedEntry* PostedQueue::find(const Envelope& message) {
  PostedEntry* best = tables_->others.first();
  while (best != nullptr && !best->pattern.matches(message)) best = best->next;
  for (const Tables::Table& table : tables_->tables) {
    if (table.size == 0) continue;
    PostedEntry* first = table.index.first(table.patterns.key(message));
    if (first != nullptr && (best == nullptr || first->order < best->order)) best = first;
  }
  return best;
}

void PostedQueue::remove(PostedEntry& entry) {
  --tables_->size;
  if (Tables::Table* table = tables_->find(PatternClass(entry.pattern))) {
    table->index.remove(key(entry.pattern), entry);
    --table->size;
  } else {
    tables_->others.remove(entry);
    --tables_->others_size;
  }
}

// Messages: all are in one list. A table has those that were there when its class was asked for
// last, so a class that is asked for no more costs nothing.

struct UnexpectedQueue::Tables {
  struct Table {
    PatternClass patterns;
    UnexpectedEntry* not_indexed = nullptr;  // the first, or null: all are
    MatchIndex<IndexNode> index;
  };

  OrderedList<UnexpectedEntry> all;
  std::vector<Table> tables;
  std::deque<IndexNode> nodes;
  IndexNode* spare_nodes = nullptr;
  std::uint64_t added = 0;
  std::size_t size = 0;

  Table* find_or_make(const PatternClass& patterns) {
    const auto table = std::ranges::find(tables, patterns, &Table::patterns);
    if (table != tables.end()) return &*table;
    if (tables.size() == tables_max) return nullptr;
    return &tables.emplace_back(Table{patterns, all.first(), {}});
  }

  IndexNode& new_node() {
    if (spare_nodes == nullptr) return nodes.emplace_back();
    IndexNode& node = *spare_nodes;
    spare_nodes = node.of_same_entry;
    return node;
  }

  void complete_index(Table& table) {
    const auto number = static_cast<std::size_t>(&table - tables.data());
    for (; table.not_indexed != nullptr; table.not_indexed = table.not_indexed->next) {
      UnexpectedEntry& entry = *table.not_indexed;
      IndexNode& node = new_node();
      node.entry = &entry;
      node.table = number;
      node.of_same_entry = std::exchange(entry.nodes, &node);
      table.index.add(table.patterns.key(entry.envelope), node);
    }
  }

  UnexpectedEntry* walk(const Pattern& pattern) const {
    UnexpectedEntry* entry = all.first();
    while (entry != nullptr && !pattern.matches(entry->envelope)) entry = entry->next;
    return entry;
  }

  /// An empty queue begins anew, so that what a burst or a phase of the program took is given back.
  void clear() {
    constexpr std::size_t nodes_worth_keeping = 1024;
    if (nodes.size() <= nodes_worth_keeping && tables.size() < tables_max) return;
    tables.clear();
    nodes.clear();
    spare_nodes = nullptr;
  }
};

UnexpectedQueue::UnexpectedQueue() : tables_(std::make_unique<Tables>()) {}
UnexpectedQueue::~UnexpectedQueue() = default;
std::size_t UnexpectedQueue::size() const { return tables_->size; }

void UnexpectedQueue::add(UnexpectedEntry& entry) {
  entry.order = tables_->added++;
  entry.nodes = nullptr;
  tables_->all.append(entry);
  ++tables_->size;
  for (Tables::Table& table : tables_->tables) {
    if (table.not_indexed == nullptr) table.not_indexed = &entry;
  }
}

UnexpectedEntry* UnexpectedQueue::find(const Pattern& pattern) {
  constexpr std::size_t walked_sooner_than_hashed = 4;
  if (tables_->size <= walked_sooner_than_hashed) return tables_->walk(pattern);
  Tables::Table* table = tables_->find_or_make(PatternClass(pattern));
  if (table == nullptr) return tables_->walk(pattern);
  tables_->complete_index(*table);
  const IndexNode* node = table->index.first(key(pattern));
  return node != nullptr ? node->entry : nullptr;
}

void UnexpectedQueue::remove(UnexpectedEntry& entry) {
  for (Tables::Table& table : tables_->tables) {
    if (table.not_indexed == &entry) table.not_indexed = entry.next;
  }
  while (entry.nodes != nullptr) {
    IndexNode& node = *entry.nodes;
    Tables::Table& table = tables_->tables[node.table];
    table.index.remove(table.patterns.key(entry.envelope), node);
    entry.nodes = node.of_same_entry;
    node.of_same_entry = std::exchange(tables_->spare_nodes, &node);
  }
  tables_->all.remove(entry);
  if (--tables_->size == 0) tables_->clear();
}

}  // namespace suiro::net
