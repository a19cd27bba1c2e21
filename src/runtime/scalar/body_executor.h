// Executes a kernel body for one point of its parallel axes.
#pragma once

#include <vector>

#include "program/kernel.h"
#include "runtime/scalar/element.h"
#include "runtime/scalar/index_code.h"
#include "runtime/scalar/scalar_executor.h"

namespace ingot::runtime::scalar {

class BodyExecutor {
 public:
  // `body` belongs to `kernel` or to its template; both outlive the result.
  static Result<BodyExecutor> create(const program::Body& body, const program::Kernel& kernel,
                                     const KernelArgs& args);

  const std::vector<int64_t>& extents() const { return extents_; }
  size_t parallel_axes() const { return parallel_axes_; }

  // `point` has one coordinate per parallel axis.
  Status run_point(std::span<const int64_t> point, Element accumulator = {});
  // Of the last instruction, after run_point.
  Element last_value() const { return values_.back(); }

 private:
  Status run_inner(const program::Stage& stage);
  Status run_inst(program::InstId id);
  Status store(const program::Inst& inst, int64_t position, Element value);
  Status check_index(program::InstId id);
  int64_t index_of(program::InstId id);
  void set(program::InstId id, Element value);

  const program::Body* body_ = nullptr;
  const program::Kernel* kernel_ = nullptr;
  KernelArgs args_;
  size_t parallel_axes_ = 0;
  int64_t inner_points_ = 1;
  std::vector<int64_t> extents_;
  std::vector<IndexCode> code_;             // by instruction
  std::vector<int64_t> coordinates_;        // by axis
  std::vector<Element> values_;             // by instruction
  std::vector<int64_t> integers_;           // the same, for indices
  std::vector<std::vector<Element>> kept_;  // of inner-stage instructions, by inner point
  std::vector<uint32_t> stage_of_;
  std::vector<Fold> folds_;
  Element accumulator_;
};

// Counts `point` up within `extents`, the last axis fastest; false after the last one.
bool next_point(std::span<int64_t> point, std::span<const int64_t> extents);

}  // namespace ingot::runtime::scalar
