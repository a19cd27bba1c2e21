// How an operator's result is computed element by element: the language between graph operators and
// kernel IR. An operator's `element` function describes one element of its result at symbolic
// indices by asking for elements of its operands; whether those are loaded from memory or computed
// in place is the scheduler's choice. That is how kernels fuse.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "ir/graph.h"
#include "program/kernel.h"

namespace ingot::ops {

using program::ReduceOp;
using program::ScalarOp;

// A value of the kernel being built: an instruction and its dtype.
struct Scalar {
  program::InstId id = program::kNoInst;
  DType dtype = DType::kF32;
};

using Index = std::vector<sym::Expr>;

class ElementBuilder {
 public:
  virtual ~ElementBuilder() = default;

  // The element of `value` at `index` (one expression per dimension, within the value's sizes).
  virtual Scalar load(const ir::Value* value, const Index& index) = 0;

  // Arithmetic in `dtype` = the dtype of the operands (all alike; kSelect: of the last two).
  // 16-bit floats are computed in f32 and rounded back, as eager PyTorch does per operator.
  virtual Scalar apply(ScalarOp op, std::span<const Scalar> args) = 0;
  virtual Scalar cast(Scalar value, DType dtype) = 0;  // no instruction if it has the dtype
  virtual Scalar bitcast(Scalar value, DType dtype) = 0;
  virtual Scalar constant(DType dtype, double value) = 0;  // rounded to the dtype
  virtual Scalar integer(DType dtype, int64_t value) = 0;
  // The value of an index expression, as i64.
  virtual Scalar index_value(const sym::Expr& index) = 0;

  // Folds body(indices) over `extents` (row-major order), in the dtype of the body's value; the
  // result of kArgMin and kArgMax is the i64 position.
  virtual Scalar reduce(ReduceOp op, std::span<const sym::Expr> extents,
                        const std::function<Scalar(const Index&)>& body) = 0;

  // An index read from data: wraps negatives once, reports what is outside [0, extent).
  virtual sym::Expr checked_index(Scalar index, const sym::Expr& extent) = 0;
  // The same for an index known to be in range.
  virtual sym::Expr trusted_index(Scalar index) = 0;

  // if_true() where `condition` holds, else `otherwise`; loads within if_true are not executed
  // where it does not.
  virtual Scalar guarded(Scalar condition, const std::function<Scalar()>& if_true,
                         Scalar otherwise) = 0;

  // Shorthands.
  Scalar apply(ScalarOp op, Scalar a) { return apply(op, std::span<const Scalar>(&a, 1)); }
  Scalar apply(ScalarOp op, Scalar a, Scalar b) {
    const Scalar args[] = {a, b};
    return apply(op, args);
  }
  Scalar apply(ScalarOp op, Scalar a, Scalar b, Scalar c) {
    const Scalar args[] = {a, b, c};
    return apply(op, args);
  }
  Scalar select(Scalar condition, Scalar if_true, Scalar if_false) {
    return apply(ScalarOp::kSelect, condition, if_true, if_false);
  }
  // A constant of any dtype from a double (integers are converted).
  Scalar number(DType dtype, double value) {
    return is_float(dtype) || dtype == DType::kBool ? constant(dtype, value)
                                                    : integer(dtype, static_cast<int64_t>(value));
  }
  // condition over index expressions as a bool.
  Scalar condition(const sym::Expr& cond) {
    return apply(ScalarOp::kNe, index_value(cond), integer(DType::kI64, 0));
  }
};

}  // namespace ingot::ops
