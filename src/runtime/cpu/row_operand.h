// One operand of a template that works on rows: reading and writing pieces of a row.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/cpu/contraction.h"
#include "runtime/cpu/lane_table.h"

namespace ingot::runtime::cpu {

// The row-major index of a row, taken apart by the rows' sizes.
inline void row_point(int64_t row, std::span<const int64_t> sizes, std::span<int64_t> point) {
  for (size_t k = sizes.size(); k-- > 0;) {
    point[k] = row % sizes[k];
    row /= sizes[k];
  }
}

class RowOperand {
 public:
  RowOperand() = default;
  RowOperand(BoundOperand operand, const LaneTable& table)
      : operand_(std::move(operand)), move_(&table.move[log2_bytes(operand_.dtype)]) {}

  DType dtype() const { return operand_.dtype; }
  int64_t stride() const { return operand_.strides.back(); }

  // The address of the first element of the row at `point`.
  void* row(std::span<void* const> buffers, std::span<const int64_t> point) const {
    int64_t position = 0;
    for (size_t k = 0; k + 1 < operand_.strides.size(); ++k) {
      position += operand_.strides[k] * point[k];
    }
    return const_cast<void*>(operand_.at(buffers, position));
  }

  // Elements [first, first + n) of the row, to and from contiguous memory.
  void load(void* dst, const void* row, int64_t first, int64_t n) const {
    const auto* start = static_cast<const std::byte*>(row) + first * stride() * bytes();
    move_->load(dst, start, 0, stride(), 1, n);
  }
  void store(void* row, const void* src, int64_t first, int64_t n) const {
    auto* start = static_cast<std::byte*>(row) + first * stride() * bytes();
    move_->store(start, src, 0, stride(), 1, n);
  }

 private:
  int64_t bytes() const { return size_of(operand_.dtype); }

  BoundOperand operand_;
  const MoveFns* move_ = nullptr;
};

}  // namespace ingot::runtime::cpu
