// SPDX-License-Identifier: BSD-3-Clause
// The steady state does not allocate: a second run on the same executor calls operator new not
// once. The transport here completes everything at once, so every allocation seen is the
// executor's.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "algorithms/catalog.hpp"
#include "execute/executor.hpp"

namespace {
std::atomic<long> allocations{0};
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace suiro {
namespace {

class InstantTransport {
 public:
  int send(const Blocks&, int, std::int64_t token) { return complete(token); }
  int send_nothing(const Blocks&, int, std::int64_t token) { return complete(token); }
  int receive(const Blocks&, int, std::int64_t token) { return complete(token); }
  bool copy(const Blocks&, const Blocks&, int) { return true; }
  bool reduce(const Blocks&, const Blocks&, int) { return true; }
  bool wait(std::vector<Ended>& ended, bool) {
    ended.insert(ended.end(), done_.begin(), done_.end());
    done_.clear();
    return true;
  }

 private:
  int complete(std::int64_t token) {
    done_.push_back({token});
    return 1;
  }
  std::vector<Ended> done_;
};

TEST(ExecutorAllocation, SecondRunAllocatesNothing) {
  for (const Algorithm& algorithm : catalog()) {
    const Topology topology = Topology::block(4, 4);
    Executor executor(build(algorithm, Call{.topology = topology, .bytes = 1 << 20}), 5);
    InstantTransport transport;
    ASSERT_TRUE(executor.run(transport));
    const long before = allocations;
    ASSERT_TRUE(executor.run(transport));
    EXPECT_EQ(allocations, before) << algorithm.collective << "/" << algorithm.name;
  }
}

}  // namespace
}  // namespace suiro
