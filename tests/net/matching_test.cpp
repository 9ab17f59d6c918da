// SPDX-License-Identifier: BSD-3-Clause
// The queues against the definition: a plain list, walked from its beginning. Any sequence of adds,
// finds and removes, with few values so that much matches, and more classes of patterns than have
// tables.
#include "net/operations/matching.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

namespace suiro::net {
namespace {

int any_below(int end) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, end)); }

Space any_space() { return any_below(4) == 0 ? Space::untagged : Space::tagged; }

/// The masks of MPIs first; all of them are more than there are tables for.
std::uint64_t any_ignore(int masks) {
  constexpr std::uint64_t common[] = {0, 0xf, 0x3, ~std::uint64_t{0}};
  const int number = any_below(masks);
  return number < 4 ? common[number] : static_cast<std::uint64_t>(number);
}

Pattern any_pattern(int masks) {
  return {.source = any_below(3) == 0 ? any_peer : static_cast<Peer>(any_below(4)),
          .space = any_space(),
          .tag = static_cast<std::uint64_t>(any_below(20)),
          .ignore = any_ignore(masks)};
}

Envelope any_envelope() {
  Envelope envelope;
  envelope.source = static_cast<Peer>(any_below(4));
  envelope.space = any_space();
  envelope.tag = static_cast<std::uint64_t>(any_below(20));
  return envelope;
}

/// Entries in the order in which they came, beside the queue that is tested.
template <typename Queue, typename Entry>
struct Pair {
  Queue queue;
  std::vector<std::unique_ptr<Entry>> list;

  void add(const Entry& entry) {
    list.push_back(std::make_unique<Entry>(entry));
    queue.add(*list.back());
  }
  void remove(std::size_t place) {
    queue.remove(*list[place]);
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(place));
  }
  template <typename Matches>
  Entry* first(Matches matches) const {
    const auto found =
        std::ranges::find_if(list, [&](const auto& entry) { return matches(*entry); });
    return found == list.end() ? nullptr : found->get();
  }
};

/// One step: an entry comes, or is asked for and mostly taken, or is cancelled wherever it stands.
template <typename Queue, typename Entry, typename MakeEntry, typename MakeQuestion, typename Match>
void play(MakeEntry make_entry, MakeQuestion make_question, Match match) {
  Pair<Queue, Entry> pair;
  const int adding = any_below(5) + 3;  // of 10: queues that grow, and queues that stay short
  const int steps = *rc::gen::inRange(0, 400);
  for (int step = 0; step < steps; ++step) {
    const int dice = any_below(10);
    if (dice < adding) {
      pair.add(make_entry());
    } else if (dice < 9) {
      const auto question = make_question();
      Entry* expected = pair.first([&](const Entry& entry) { return match(entry, question); });
      RC_ASSERT(pair.queue.find(question) == expected);
      const auto place = std::ranges::find(pair.list, expected, &std::unique_ptr<Entry>::get);
      if (expected != nullptr && any_below(4) != 0) {
        pair.remove(static_cast<std::size_t>(place - pair.list.begin()));
      }
    } else if (!pair.list.empty()) {
      pair.remove(static_cast<std::size_t>(any_below(static_cast<int>(pair.list.size()))));
    }
    RC_ASSERT(pair.queue.size() == pair.list.size());
  }
}

RC_GTEST_PROP(Matching, FindsTheReceiveThatWasPostedFirst, ()) {
  const int masks = any_below(2) == 0 ? 3 : 40;
  play<PostedQueue, PostedEntry>([&] { return PostedEntry{.pattern = any_pattern(masks)}; },
                                 any_envelope,
                                 [](const PostedEntry& entry, const Envelope& message) {
                                   return entry.pattern.matches(message);
                                 });
}

RC_GTEST_PROP(Matching, FindsTheMessageThatCameFirst, ()) {
  const int masks = any_below(2) == 0 ? 3 : 40;
  play<UnexpectedQueue, UnexpectedEntry>([] { return UnexpectedEntry{.envelope = any_envelope()}; },
                                         [&] { return any_pattern(masks); },
                                         [](const UnexpectedEntry& entry, const Pattern& pattern) {
                                           return pattern.matches(entry.envelope);
                                         });
}

/// Messages of `tags` tags, received in the order that makes a plain list quadratic.
void take_from_the_back(std::uint64_t tags) {
  constexpr std::uint64_t messages = 100'000;
  UnexpectedQueue queue;
  std::vector<UnexpectedEntry> entries(messages);
  for (std::uint64_t i = 0; i < messages; ++i) {
    entries[i].envelope.tag = i * tags / messages;
    entries[i].envelope.source = static_cast<Peer>(i % 16);
    queue.add(entries[i]);
  }
  EXPECT_EQ(queue.find({.tag = tags}), nullptr);
  for (std::uint64_t tag = tags; tag-- > 0;) {
    while (UnexpectedEntry* entry = queue.find({.tag = tag})) {
      EXPECT_EQ(queue.find({.source = entry->envelope.source, .tag = tag}), entry);
      queue.remove(*entry);
    }
  }
  EXPECT_EQ(queue.size(), 0U);
}

// Quadratic, each of these would take many seconds.
TEST(Matching, CopesWithAHundredThousandMessages) {
  const auto begin = std::chrono::steady_clock::now();
  take_from_the_back(1);
  take_from_the_back(2);
  take_from_the_back(100'000);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(Matching, CopesWithAHundredThousandReceives) {
  const auto begin = std::chrono::steady_clock::now();
  PostedQueue queue;
  std::vector<PostedEntry> entries(100'000);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].pattern = {.source = static_cast<Peer>(i % 16), .tag = i / 16 % 100};
    queue.add(entries[i]);
  }
  for (std::size_t i = entries.size(); i-- > 0;) {
    Envelope message;
    message.source = entries[i].pattern.source;
    message.tag = entries[i].pattern.tag;
    ASSERT_EQ(queue.find(message), &entries[i % 1600]);
    message.tag = 100;
    ASSERT_EQ(queue.find(message), nullptr);
    if (i >= 1600) queue.remove(entries[i]);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

}  // namespace
}  // namespace suiro::net
