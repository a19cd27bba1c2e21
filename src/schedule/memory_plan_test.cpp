#include "schedule/memory_plan.h"

#include <gtest/gtest.h>

#include <random>

namespace ingot::schedule {
namespace {

using Random = std::mt19937;

uint32_t below(Random& random, uint32_t bound) { return static_cast<uint32_t>(random() % bound); }

bool together(const Lifetime& a, const Lifetime& b) {
  return a.first <= b.last && b.first <= a.last;
}

// No two live buffers overlap, and everything lies in the arena.
void check(const std::vector<Lifetime>& lifetimes, const MemoryPlan& plan,
           const sym::Values& values) {
  const auto value = [&](const sym::Expr& expr) {
    const auto result = sym::evaluate(expr, values);
    EXPECT_TRUE(result.ok());
    return result.ok() ? *result : 0;
  };
  for (size_t i = 0; i < lifetimes.size(); ++i) {
    const int64_t begin = value(plan.offsets[i]);
    const int64_t end = begin + value(lifetimes[i].bytes);
    EXPECT_EQ(begin % kBufferAlignment, 0);
    EXPECT_LE(end, value(plan.total_bytes));
    for (size_t j = 0; j < i; ++j) {
      if (!together(lifetimes[i], lifetimes[j])) continue;
      const int64_t other = value(plan.offsets[j]);
      EXPECT_TRUE(end <= other || other + value(lifetimes[j].bytes) <= begin) << i << " " << j;
    }
  }
}

TEST(MemoryPlan, BuffersOfAChainShareTwoPlaces) {
  std::vector<Lifetime> chain;
  for (uint32_t i = 0; i < 10; ++i) chain.push_back({1000, i, i + 1});
  const MemoryPlan plan = plan_memory(chain, {});
  check(chain, plan, {});
  EXPECT_EQ(plan.total_bytes, sym::Expr(2 * 1024));
}

TEST(MemoryPlan, RandomConstantSizesNeverOverlap) {
  Random random(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<Lifetime> lifetimes;
    for (int i = 0; i < 40; ++i) {
      const uint32_t first = below(random, 30);
      lifetimes.push_back({below(random, 5000), first, first + below(random, 8)});
    }
    check(lifetimes, plan_memory(lifetimes, {}), {});
  }
}

TEST(MemoryPlan, SymbolicSizesNeverOverlapAtAnySize) {
  const sym::Expr s = sym::Expr::symbol("s");
  const sym::Expr t = sym::Expr::symbol("t");
  const sym::Ranges ranges = {{"s", {1, 512}}, {"t", {1, 64}}};
  const std::vector<sym::Expr> sizes = {s * 4, s * 64, s * s, t * 256, 4096, s * t};
  Random random(2);
  for (int round = 0; round < 30; ++round) {
    std::vector<Lifetime> lifetimes;
    for (int i = 0; i < 25; ++i) {
      const uint32_t first = below(random, 20);
      lifetimes.push_back({sizes[below(random, 6)], first, first + below(random, 6)});
    }
    const MemoryPlan plan = plan_memory(lifetimes, ranges);
    for (const int64_t size : {1, 3, 17, 512}) {
      check(lifetimes, plan, {{"s", size}, {"t", std::min<int64_t>(size, 64)}});
    }
  }
}

TEST(MemoryPlan, EqualSymbolicSizesShareTheirSlots) {
  const sym::Expr s = sym::Expr::symbol("s");
  std::vector<Lifetime> chain;
  for (uint32_t i = 0; i < 10; ++i) chain.push_back({s * 256, i, i + 1});
  const MemoryPlan plan = plan_memory(chain, {{"s", {1, 100}}});
  EXPECT_EQ(plan.total_bytes, s * 512);
}

}  // namespace
}  // namespace ingot::schedule
