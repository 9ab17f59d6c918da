// SPDX-License-Identifier: BSD-3-Clause
// Frames survive the wire; what no honest engine sends is refused.
#include "net/protocol/frames.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string_view>

namespace suiro::net {
namespace {

/// Up to `highest`, which comes often, as 0 does.
template <typename Number>
Number any_number(Number highest) {
  const auto any = rc::gen::map(rc::gen::arbitrary<Number>(), [=](Number number) -> Number {
    return highest == static_cast<Number>(-1) ? number : number % (highest + 1);
  });
  const auto edge = rc::gen::element<Number>(0, highest / 2, highest);
  return *rc::gen::resize(rc::kNominalSize, rc::gen::weightedOneOf<Number>({{1, edge}, {2, any}}));
}

void fill_message(Header& header) {
  header.space = *rc::gen::element(Space::tagged, Space::untagged);
  header.has_data = *rc::gen::arbitrary<bool>();
  header.tag = any_number(~std::uint64_t{0});
  const std::uint64_t most = *rc::gen::element(~std::uint64_t{0}, std::uint64_t{~std::uint32_t{0}});
  if (header.has_data) header.data = any_number(most);
}

/// Any header that the protocol allows.
Header any_header() {
  Header header;
  header.kind = *rc::gen::element(FrameKind::eager, FrameKind::request, FrameKind::grant,
                                  FrameKind::done, FrameKind::acknowledgement, FrameKind::goodbye,
                                  FrameKind::leave, FrameKind::want);
  header.wants_acknowledgement = *rc::gen::arbitrary<bool>();
  header.received = any_number(~std::uint32_t{0});
  header.consumed_bytes = any_number(~std::uint32_t{0});
  if (header.kind != FrameKind::acknowledgement) header.sequence = any_number(~std::uint32_t{0});
  if (header.kind == FrameKind::eager) {
    fill_message(header);
    header.payload_bytes = any_number(max_payload_bytes);
    header.message_bytes = header.payload_bytes;
  } else if (header.kind == FrameKind::request) {
    fill_message(header);
    header.message_bytes = any_number(max_message_bytes);
    const std::uint64_t most = std::min<std::uint64_t>(header.message_bytes, max_payload_bytes + 1);
    if (most > 0) header.payload_bytes = any_number(static_cast<std::uint32_t>(most - 1));
    if (most > 0) header.ahead_bytes = any_number(static_cast<std::uint32_t>(most - 1));
    for (std::uint16_t& steps : header.busy.steps) steps = any_number<std::uint16_t>(1);
  } else if (header.kind == FrameKind::grant) {
    header.stream = any_number(static_cast<std::uint8_t>(max_streams - 1));
    header.tag = any_number(max_message_bytes - 1);
    header.message_bytes = 1 + any_number(max_message_bytes - header.tag - 1);
    header.ahead_bytes = any_number(max_payload_bytes);
    header.only_whole = header.ahead_bytes > 0 && any_number(1) == 1;
  }
  if (header.kind == FrameKind::leave)
    header.stream = any_number(static_cast<std::uint8_t>(max_streams - 1));
  if (header.kind == FrameKind::want)
    header.stream = any_number(static_cast<std::uint8_t>(max_rails - 1));
  if (header.kind == FrameKind::leave || header.kind == FrameKind::grant)
    header.data = any_number(~std::uint64_t{0});
  const bool of_transfer = header.kind == FrameKind::request || header.kind == FrameKind::grant ||
                           header.kind == FrameKind::done;
  if (of_transfer) header.transfer = any_number(~std::uint64_t{0});
  return header;
}

bool same(const HeaderBytes& one, const HeaderBytes& other) {
  return std::ranges::equal(one.span(), other.span());
}

RC_GTEST_PROP(Wire, HeadersSurvive, ()) {
  const Header header = any_header();
  const HeaderBytes bytes = encode(header);
  RC_ASSERT(header_length(bytes.span().first(header_bytes_min)) == bytes.length);
  const auto again = decode(bytes.span());
  RC_ASSERT(again.has_value());
  RC_ASSERT(same(encode(*again), bytes));
  RC_ASSERT(again->kind == header.kind && again->space == header.space);
  RC_ASSERT(again->tag == header.tag && again->message_bytes == header.message_bytes);
  RC_ASSERT(again->payload_bytes == header.payload_bytes && again->data == header.data);
  RC_ASSERT(again->sequence == header.sequence && again->received == header.received);
  RC_ASSERT(again->transfer == header.transfer && again->stream == header.stream);
  RC_ASSERT(again->ahead_bytes == header.ahead_bytes && again->only_whole == header.only_whole);
  RC_ASSERT(again->consumed_bytes == header.consumed_bytes && again->has_data == header.has_data);
  RC_ASSERT(again->wants_acknowledgement == header.wants_acknowledgement);
  RC_ASSERT(again->busy.steps == header.busy.steps);
}

// No two headers have the same bytes, and a changed byte makes another header or none: nothing on
// the wire is ignored.
RC_GTEST_PROP(Wire, EveryByteCounts, ()) {
  HeaderBytes changed = encode(any_header());
  const auto place = any_number<std::size_t>(changed.length - 1);
  changed.bytes[place] ^= std::byte{any_number<std::uint8_t>(255)};
  changed.length = header_length(changed.bytes);
  if (const auto header = decode(changed.span())) RC_ASSERT(same(encode(*header), changed));
}

void expect_refused(const Header& header, const char* why) {
  EXPECT_FALSE(decode(encode(header).span()).has_value()) << why;
}

void expect_refused(const HeaderBytes& bytes, const char* why) {
  EXPECT_FALSE(decode(std::span(bytes.bytes).first(header_length(bytes.bytes)))) << why;
}

TEST(Wire, RefusesWhatNoEngineSends) {
  const auto big = max_payload_bytes + 1;
  expect_refused({.kind = FrameKind::eager, .payload_bytes = big, .message_bytes = big}, "long");
  expect_refused({.kind = FrameKind::done, .has_data = true}, "done with data");
  expect_refused({.kind = FrameKind::eager, .only_whole = true}, "an eager rule");
  expect_refused({.kind = FrameKind::request, .message_bytes = max_message_bytes + 1}, "endless");
  expect_refused({.kind = FrameKind::request, .payload_bytes = 1, .message_bytes = 1}, "whole");
  expect_refused({.kind = FrameKind::request, .payload_bytes = big, .message_bytes = 2 * big},
                 "far");
  expect_refused({.kind = FrameKind::request, .ahead_bytes = 10, .message_bytes = 9},
                 "more than there is");
  expect_refused(
      {.kind = FrameKind::request, .only_whole = true, .ahead_bytes = 1, .message_bytes = 9},
      "a request's rule");
  expect_refused({.kind = FrameKind::grant, .ahead_bytes = big, .message_bytes = 1}, "far ahead");
  expect_refused({.kind = FrameKind::grant, .only_whole = true, .message_bytes = 1},
                 "nothing, but whole");
  expect_refused({.kind = FrameKind::eager, .busy = {.steps = {1}}}, "an eager one's links");
  expect_refused({.kind = FrameKind::grant}, "an empty grant");
  expect_refused({.kind = FrameKind::grant, .tag = max_message_bytes, .message_bytes = 1}, "end");
  expect_refused({.kind = FrameKind::grant, .tag = ~0ULL, .message_bytes = 2}, "overflow");
  expect_refused({.kind = FrameKind::grant, .stream = max_streams, .message_bytes = 1}, "stream");
  expect_refused({.kind = FrameKind::done, .stream = 1}, "a stream that is not granted");
  expect_refused({.kind = FrameKind::done, .space = Space::untagged}, "done in a space");
  expect_refused({.kind = FrameKind::leave, .stream = max_streams}, "left what cannot be");
  expect_refused({.kind = FrameKind::want, .stream = max_rails}, "a rail that cannot be");
  expect_refused({.kind = static_cast<FrameKind>(0)}, "no kind");
  expect_refused({.kind = static_cast<FrameKind>(9)}, "an unknown kind");
}

TEST(Wire, ShortMessagesHaveShortHeaders) {
  EXPECT_EQ(encode({.kind = FrameKind::acknowledgement}).length, header_bytes_min);
  EXPECT_EQ(encode({.kind = FrameKind::eager}).length, 28);
  EXPECT_EQ(encode({.kind = FrameKind::eager, .has_data = true, .data = ~0U}).length, 32);
  const Header longest{
      .kind = FrameKind::request, .has_data = true, .data = 1ULL << 32U, .busy = {.steps = {1}}};
  EXPECT_EQ(encode(longest).length, header_bytes_max);
}

TEST(Wire, RefusesLongWaysToSayTheSame) {
  constexpr std::size_t at_flags = 1;
  HeaderBytes bytes = encode({.kind = FrameKind::eager, .has_data = true, .data = 1ULL << 32U});
  bytes.bytes[bytes.length - 4] = std::byte{0};
  expect_refused(bytes, "small data in 8 bytes");
  bytes = encode({.kind = FrameKind::eager});
  bytes.bytes[at_flags] |= std::byte{16};
  expect_refused(bytes, "8 bytes of no data");
  bytes = encode({.kind = FrameKind::eager});
  bytes.bytes[at_flags] |= std::byte{32};
  expect_refused(bytes, "an unknown flag");
}

TEST(Wire, RefusesOtherProtocols) {
  HeaderBytes bytes;
  expect_refused(bytes, "zeros");
  constexpr std::string_view text =
      "GET / HTTP/1.1\r\nHost: example.com\r\nUser-Agent: curl/7.88.1\r\n";
  std::ranges::transform(text.substr(0, bytes.bytes.size()), bytes.bytes.begin(),
                         [](char letter) { return std::byte(letter); });
  expect_refused(bytes, "HTTP");
  bytes = encode({});
  bytes.bytes[3] ^= std::byte{1};
  expect_refused(bytes, "another format");
}

}  // namespace
}  // namespace suiro::net
