// Builds the body of one kernel from operators: an ElementBuilder that loads what has a buffer and
// computes everything else in place.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ops/element.h"
#include "ops/op_def.h"
#include "program/kernel.h"
#include "schedule/placement.h"

namespace ingot::schedule {

// Thrown when operators cannot share the kernel being built; the grouping then separates them.
struct Unfusable {
  std::string reason;
};

// Instructions are collected with a scope (row or inner) and a level (how many reductions must have
// run before), then laid out as alternating row and inner stages.
class KernelBuilder final : public ops::ElementBuilder {
 public:
  KernelBuilder(const Placement& placement, const sym::Ranges& ranges);

  // Adds an axis and returns its symbol. Parallel axes must come before inner ones.
  sym::Expr add_axis(const sym::Expr& extent, bool inner);
  const std::vector<program::Axis>& axes() const { return axes_; }

  // The values computed by this kernel though they have a buffer of their own.
  void set_roots(const std::vector<const ir::Value*>& roots);
  // Loads of `value` give `scalar` when the index is exactly `index`; any other is Unfusable.
  void set_accumulator(const ir::Value* value, ops::Index index, DType accumulator);
  // The template's result at the current point, in the dtype it accumulates in.
  ops::Scalar accumulator(DType dtype);
  // The position of the value's buffer among the kernel's parameters, added if new.
  uint32_t buffer_param(const ir::Value* value, program::Access access);

  void store(const ir::Value* root, const ops::Index& index, ops::Scalar value,
             program::StoreMode mode = program::StoreMode::kSet,
             ops::Scalar predicate = {program::kNoInst, DType::kBool});

  ops::Scalar load(const ir::Value* value, const ops::Index& index) override;
  ops::Scalar apply(ops::ScalarOp op, std::span<const ops::Scalar> args) override;
  ops::Scalar cast(ops::Scalar value, DType dtype) override;
  ops::Scalar bitcast(ops::Scalar value, DType dtype) override;
  ops::Scalar constant(DType dtype, double value) override;
  ops::Scalar integer(DType dtype, int64_t value) override;
  ops::Scalar index_value(const sym::Expr& index) override;
  ops::Scalar reduce(ops::ReduceOp op, std::span<const sym::Expr> extents,
                     const std::function<ops::Scalar(const ops::Index&)>& body) override;
  sym::Expr checked_index(ops::Scalar index, const sym::Expr& extent) override;
  sym::Expr trusted_index(ops::Scalar index) override;
  ops::Scalar guarded(ops::Scalar condition, const std::function<ops::Scalar()>& if_true,
                      ops::Scalar otherwise) override;
  using ops::ElementBuilder::apply;

  // Simplifies with what is known of symbols and axes.
  sym::Expr simplify(const sym::Expr& expr) const;

  // The finished body, dead instructions removed, and the buffers it uses, in parameter order.
  // `result`: an instruction that is kept and becomes the last one (a score body).
  program::Body finish(ops::Scalar result = {program::kNoInst, DType::kF32});
  const std::vector<std::pair<const ir::Value*, program::BufferParam>>& buffers() const {
    return buffers_;
  }
  // Replaces whatever buffer list there is: bodies of one kernel share one.
  void set_buffers(std::vector<std::pair<const ir::Value*, program::BufferParam>> buffers) {
    buffers_ = std::move(buffers);
  }
  size_t inst_count() const { return insts_.size(); }

 private:
  struct Entry {
    program::Inst inst;
    bool inner = false;
    uint32_t level = 0;
  };
  using LoadKey = std::tuple<uint32_t, std::vector<sym::Expr>, program::InstId>;
  struct LoadKeyLess {
    bool operator()(const LoadKey& a, const LoadKey& b) const;
  };

  ops::Scalar emit(program::Inst inst);
  bool uses_inner_axis(const sym::Expr& expr) const;
  ops::Scalar compute_in_place(const ir::Value* value, const ops::Index& index);
  ops::Scalar load_buffer(const ir::Value* value, const ops::Index& index);

  const Placement& placement_;
  const sym::Ranges& ranges_;
  sym::Extents extents_;  // of the axes
  std::vector<program::Axis> axes_;
  std::vector<Entry> insts_;
  std::multimap<size_t, program::InstId> by_hash_;
  std::map<LoadKey, ops::Scalar, LoadKeyLess> computed_;
  std::vector<std::pair<const ir::Value*, program::BufferParam>> buffers_;
  std::set<uint32_t> roots_;  // Value::id
  const ir::Value* accumulator_value_ = nullptr;
  ops::Index accumulator_index_;
  DType accumulator_dtype_ = DType::kF32;
  program::InstId predicate_ = program::kNoInst;
};

}  // namespace ingot::schedule
