// The shapes that a context has seen lately, bound.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "runtime/core/segment.h"

namespace ingot::runtime {

// A bounded map that drops the least recently used shape. Finding allocates nothing.
class SegmentCache {
 public:
  explicit SegmentCache(size_t capacity) : capacity_(capacity) {}

  // Null if absent. The pointer stays valid until `capacity` other keys have been added.
  Segment* find(std::span<const int64_t> key);
  Segment* add(std::span<const int64_t> key, std::unique_ptr<Segment> segment);

 private:
  struct Entry {
    uint64_t hash = 0;
    uint64_t last_use = 0;
    std::vector<int64_t> key;
    std::unique_ptr<Segment> segment;
  };

  size_t capacity_;
  uint64_t clock_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace ingot::runtime
