#include "runtime/core/segment_cache.h"

#include <algorithm>

#include "support/hash.h"

namespace ingot::runtime {

Segment* SegmentCache::find(std::span<const int64_t> key) {
  const uint64_t hash = xxh3(std::as_bytes(key));
  for (Entry& entry : entries_) {
    if (entry.hash != hash ||
        !std::equal(entry.key.begin(), entry.key.end(), key.begin(), key.end()))
      continue;
    entry.last_use = ++clock_;
    return entry.segment.get();
  }
  return nullptr;
}

Segment* SegmentCache::add(std::span<const int64_t> key, std::unique_ptr<Segment> segment) {
  Entry entry{xxh3(std::as_bytes(key)), ++clock_, {key.begin(), key.end()}, std::move(segment)};
  if (entries_.size() < capacity_) return entries_.emplace_back(std::move(entry)).segment.get();
  Entry& oldest =
      *std::min_element(entries_.begin(), entries_.end(),
                        [](const Entry& a, const Entry& b) { return a.last_use < b.last_use; });
  oldest = std::move(entry);
  return oldest.segment.get();
}

}  // namespace ingot::runtime
