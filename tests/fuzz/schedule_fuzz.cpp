// SPDX-License-Identifier: BSD-3-Clause
// A printed schedule is read or refused with a line, and what was read survives printing.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "expect.hpp"
#include "schedule/schedule.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  suiro::Schedule schedule;
  try {
    schedule = suiro::parse(text, "schedule");
  } catch (const std::runtime_error& error) {
    suiro::fuzz::expect_located(error.what(), "schedule");
    return 0;
  }
  // Printing takes time for every round that the text leaves out; more would only be slower.
  constexpr std::int64_t rank_rounds_max = 4096;
  if (schedule.ranks * schedule.rounds > rank_rounds_max) return 0;
  const suiro::Schedule again = suiro::parse(suiro::print(schedule), "again");
  suiro::fuzz::expect(suiro::equal(schedule, again), "parse(print(s)) equals s");
  return 0;
}
