// SPDX-License-Identifier: BSD-3-Clause
// The text form, read. The text is not trusted: what is stored is proportional to the text, never
// to a number in it, because only the rounds that the text spells out are kept.
#include <algorithm>
#include <climits>
#include <memory>
#include <utility>

#include "schedule/line.hpp"
#include "schedule/schedule.hpp"

namespace suiro {

namespace {

/// The rounds of the text, ordered by rank and index.
struct StoredRounds {
  struct Entry {
    std::pair<int, std::int64_t> key;  // rank and index
    Round round;
  };
  std::vector<Entry> entries;

  void find(int rank, std::int64_t index, Round& out) const {
    const auto found =
        std::ranges::lower_bound(entries, std::pair{rank, index}, std::ranges::less{}, &Entry::key);
    if (found != entries.end() && found->key == std::pair{rank, index}) out = found->round;
  }
};

class Parser {
 public:
  Parser(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  Schedule parse() {
    parse_header();
    parse_rounds();
    schedule_.function = [rounds = std::shared_ptr<const StoredRounds>(std::move(rounds_))](
                             int rank, std::int64_t index, Round& round) {
      rounds->find(rank, index, round);
    };
    return std::move(schedule_);
  }

 private:
  /// The next line that is neither blank nor a comment; an empty line at the end of the text.
  Line& next() {
    while (!text_.empty()) {
      const std::size_t length = std::min(text_.find('\n'), text_.size());
      std::string_view bytes = text_.substr(0, length);
      text_.remove_prefix(std::min(length + 1, text_.size()));
      line_ = Line(bytes.substr(0, TextLimits::line_length), name_, ++line_number_);
      if (length > TextLimits::line_length) {
        line_.fail("a line of at most " + std::to_string(TextLimits::line_length) + " bytes");
      }
      if (bytes.ends_with('\r')) bytes.remove_suffix(1);
      line_ = Line(bytes, name_, line_number_);
      if (!line_.at_end() && !line_.take("#")) return line_;
    }
    return line_ = Line({}, name_, line_number_ + 1);
  }

  std::int64_t parse_number(const std::string& key, std::int64_t minimum, std::int64_t maximum) {
    line_.expect(key);
    const std::int64_t value = line_.number(key, minimum, maximum);
    line_.expect_end();
    next();
    return value;
  }

  std::string parse_name(const std::string& key) {
    line_.expect(key);
    std::string value = line_.name("the name of the " + key);
    line_.expect_end();
    next();
    return value;
  }

  void parse_header() {
    next();
    parse_number("suiro-schedule", 1, 1);
    schedule_.collective = parse_name("collective");
    schedule_.algorithm = parse_name("algorithm");
    while (line_.take_word("parameter")) parse_parameter();
    schedule_.ranks = static_cast<int>(parse_number("ranks", 1, TextLimits::ranks));
    while (line_.take_word("nodes")) parse_nodes();
    if (!schedule_.node_of_rank.empty() && std::ssize(schedule_.node_of_rank) != schedule_.ranks) {
      line_.fail("nodes for " + std::to_string(schedule_.ranks) + " ranks, not for " +
                 std::to_string(schedule_.node_of_rank.size()));
    }
    if (line_.next_is("root")) {
      schedule_.root = static_cast<int>(parse_number("root", 0, schedule_.ranks - 1));
    }
    if (line_.next_is("pieces")) {
      schedule_.pieces = parse_number("pieces", 0, TextLimits::rank_rounds);
    }
    schedule_.rounds = parse_number("rounds", 0, TextLimits::rank_rounds / schedule_.ranks);
    schedule_.window = parse_number("window", 1, TextLimits::rank_rounds);
    if (line_.next_is("receive_window")) {
      schedule_.receive_window = parse_number("receive_window", 0, schedule_.window);
    }
    if (line_.take_word("overtaking")) schedule_.overtaking = parse_flag();
    schedule_.lookahead = parse_number("lookahead", 0, TextLimits::rank_rounds);
    schedule_.scratch = parse_number("scratch", 0, TextLimits::blocks);
    if (line_.take_word("work")) schedule_.work = parse_flag();
    if (line_.next_is("shared")) schedule_.shared = parse_number("shared", 0, TextLimits::blocks);
  }

  bool parse_flag() {
    line_.expect_end();
    next();
    return true;
  }

  void parse_parameter() {
    std::string name = line_.name("the name of a parameter");
    const std::int64_t value = line_.number("a value", INT64_MIN, INT64_MAX);
    line_.expect_end();
    schedule_.parameters.insert_or_assign(std::move(name), value);
    next();
  }

  void parse_nodes() {
    while (!line_.at_end()) {
      schedule_.node_of_rank.push_back(
          static_cast<int>(line_.number("a node", 0, schedule_.ranks - 1)));
      if (std::ssize(schedule_.node_of_rank) > schedule_.ranks) {
        line_.fail("no more nodes than ranks");
      }
    }
    next();
  }

  void parse_rounds() {
    while (!line_.at_end()) {
      line_.expect("rank");
      const auto rank = static_cast<int>(line_.number("a rank", 0, schedule_.ranks - 1));
      line_.expect_end();
      next();
      while (line_.take_word("round")) parse_round(rank);
      if (!line_.at_end() && !line_.next_is("rank")) line_.fail("a round, a step or a rank");
    }
  }

  void parse_round(int rank) {
    const std::pair key{rank, line_.number("a round", 0, schedule_.rounds - 1)};
    if (!rounds_->entries.empty() && rounds_->entries.back().key >= key) {
      line_.fail("ranks and rounds in ascending order");
    }
    StoredRounds::Entry& entry = rounds_->entries.emplace_back();
    entry.key = key;
    entry.round.fence = line_.take_word("fence");
    line_.expect_end();
    next();
    while (parse_step(entry.round)) next();
  }

  bool parse_step(Round& round) {
    if (line_.take_word("send")) {
      const Blocks source = parse_blocks();
      line_.expect("->");
      round.steps.push_back(send(source, parse_peer()));
    } else if (line_.take_word("receive")) {
      const Blocks target = parse_blocks();
      line_.expect("<-");
      round.steps.push_back(receive(parse_peer(), target));
    } else if (line_.take_word("copy")) {
      round.steps.push_back(parse_local(copy));
    } else if (line_.take_word("reduce")) {
      round.steps.push_back(parse_local(reduce));
    } else {
      return false;
    }
    line_.expect_end();
    return true;
  }

  Step parse_local(Step (*make)(Blocks, Blocks, int)) {
    const Blocks source = parse_blocks();
    const int owner = line_.take_word("of") ? parse_peer() : -1;
    line_.expect("->");
    return make(source, parse_blocks(), owner);
  }

  int parse_peer() { return static_cast<int>(line_.number("a rank", 0, INT_MAX)); }

  Buffer parse_buffer() {
    for (std::size_t buffer = 0; buffer < buffers; ++buffer) {
      if (line_.take_word(buffer_names[buffer])) return static_cast<Buffer>(buffer);
    }
    line_.fail("send[...], receive[...], scratch[...], work[...] or shared[...]");
  }

  Blocks parse_blocks() {
    Blocks blocks{.buffer = parse_buffer()};
    line_.expect("[");
    blocks.first = line_.number("a block", 0, TextLimits::blocks);
    blocks.count = line_.take("x") ? line_.number("a count", 0, TextLimits::blocks) : 1;
    if (line_.take("of")) blocks.piece = line_.number("a piece", 0, TextLimits::blocks);
    line_.expect("]");
    return blocks;
  }

  std::string_view text_;
  std::string_view name_;
  std::int64_t line_number_ = 0;
  Line line_{{}, {}, 0};
  Schedule schedule_;
  std::shared_ptr<StoredRounds> rounds_ = std::make_shared<StoredRounds>();
};

}  // namespace

Schedule parse(std::string_view text, std::string_view name) { return Parser(text, name).parse(); }

}  // namespace suiro
