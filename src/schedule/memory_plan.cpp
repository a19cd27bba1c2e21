#include "schedule/memory_plan.h"

#include <algorithm>
#include <numeric>

namespace ingot::schedule {
namespace {

bool overlap(const Lifetime& a, const Lifetime& b) {
  return a.first <= b.last && b.first <= a.last;
}

// Largest first, each at the lowest offset that is free during its life.
MemoryPlan pack(const std::vector<Lifetime>& lifetimes) {
  std::vector<int64_t> sizes;
  for (const Lifetime& lifetime : lifetimes) {
    sizes.push_back(*sym::align_up(lifetime.bytes, kBufferAlignment).as_const());
  }
  std::vector<size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return sizes[a] > sizes[b]; });
  std::vector<int64_t> offsets(lifetimes.size(), 0);
  std::vector<size_t> placed;
  int64_t total = 0;
  for (const size_t i : order) {
    std::vector<size_t> neighbours;
    for (const size_t j : placed) {
      if (overlap(lifetimes[i], lifetimes[j])) neighbours.push_back(j);
    }
    std::sort(neighbours.begin(), neighbours.end(),
              [&](size_t a, size_t b) { return offsets[a] < offsets[b]; });
    int64_t offset = 0;
    for (const size_t j : neighbours) {
      if (offset + sizes[i] <= offsets[j]) break;
      offset = std::max(offset, offsets[j] + sizes[j]);
    }
    offsets[i] = offset;
    total = std::max(total, offset + sizes[i]);
    placed.push_back(i);
  }
  return {{offsets.begin(), offsets.end()}, total};
}

struct Slot {
  sym::Expr bytes;
  uint32_t busy_until = 0;
};

// In order of birth; a free slot is taken when one of the two sizes provably covers the other.
MemoryPlan share_slots(const std::vector<Lifetime>& lifetimes, const sym::Ranges& ranges) {
  std::vector<size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return lifetimes[a].first < lifetimes[b].first; });
  std::vector<Slot> slots;
  std::vector<size_t> slot_of(lifetimes.size(), 0);
  for (const size_t i : order) {
    const sym::Expr bytes = sym::align_up(lifetimes[i].bytes, kBufferAlignment);
    size_t chosen = slots.size();
    bool grows = false;
    for (size_t s = 0; s < slots.size(); ++s) {
      if (slots[s].busy_until >= lifetimes[i].first) continue;
      if (sym::provably(sym::le(bytes, slots[s].bytes), ranges)) {
        if (chosen == slots.size() || grows ||
            sym::provably(sym::le(slots[s].bytes, slots[chosen].bytes), ranges)) {
          chosen = s;
          grows = false;
        }
      } else if (chosen == slots.size() && sym::provably(sym::le(slots[s].bytes, bytes), ranges)) {
        chosen = s;
        grows = true;
      }
    }
    if (chosen == slots.size()) slots.push_back({bytes, 0});
    if (grows) slots[chosen].bytes = bytes;
    slots[chosen].busy_until = lifetimes[i].last;
    slot_of[i] = chosen;
  }
  std::vector<sym::Expr> starts;
  sym::Expr total = 0;
  for (const Slot& slot : slots) {
    starts.push_back(total);
    total = total + slot.bytes;
  }
  MemoryPlan plan;
  for (const size_t slot : slot_of) plan.offsets.push_back(starts[slot]);
  plan.total_bytes = total;
  return plan;
}

}  // namespace

MemoryPlan plan_memory(const std::vector<Lifetime>& lifetimes, const sym::Ranges& ranges) {
  const bool all_constant =
      std::all_of(lifetimes.begin(), lifetimes.end(),
                  [](const Lifetime& lifetime) { return lifetime.bytes.is_const(); });
  return all_constant ? pack(lifetimes) : share_slots(lifetimes, ranges);
}

}  // namespace ingot::schedule
