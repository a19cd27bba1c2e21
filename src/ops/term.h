// Formulas of element functions written as formulas: Term wraps a Scalar with its builder. Operands
// of one operation have one dtype; plain numbers take the dtype of the term beside them.
#pragma once

#include "ops/element.h"

namespace ingot::ops {

class Term {
 public:
  Term(ElementBuilder& e, Scalar value) : e_(&e), value_(value) {}
  operator Scalar() const { return value_; }  // NOLINT: implicit by intent
  DType dtype() const { return value_.dtype; }

  Term number(double value) const { return {*e_, e_->number(value_.dtype, value)}; }
  Term of_bool(bool value) const { return {*e_, e_->constant(DType::kBool, value)}; }
  Term cast(DType dtype) const { return {*e_, e_->cast(value_, dtype)}; }
  Term apply(ScalarOp op) const { return {*e_, e_->apply(op, value_)}; }
  Term apply(ScalarOp op, const Term& b) const { return {*e_, e_->apply(op, value_, b)}; }
  Term apply(ScalarOp op, double b) const { return apply(op, number(b)); }
  // This term is the condition.
  Term select(const Term& if_true, const Term& if_false) const {
    return {*e_, e_->select(value_, if_true, if_false)};
  }

 private:
  ElementBuilder* e_;
  Scalar value_;
};

#define INGOT_TERM_OPERATOR(symbol, op)                                                \
  inline Term operator symbol(const Term& a, const Term& b) { return a.apply(op, b); } \
  inline Term operator symbol(const Term& a, double b) { return a.apply(op, b); }      \
  inline Term operator symbol(double a, const Term& b) { return b.number(a).apply(op, b); }
INGOT_TERM_OPERATOR(+, ScalarOp::kAdd)
INGOT_TERM_OPERATOR(-, ScalarOp::kSub)
INGOT_TERM_OPERATOR(*, ScalarOp::kMul)
INGOT_TERM_OPERATOR(/, ScalarOp::kDiv)
INGOT_TERM_OPERATOR(<, ScalarOp::kLt)
INGOT_TERM_OPERATOR(<=, ScalarOp::kLe)
INGOT_TERM_OPERATOR(>, ScalarOp::kGt)
INGOT_TERM_OPERATOR(>=, ScalarOp::kGe)
INGOT_TERM_OPERATOR(==, ScalarOp::kEq)
INGOT_TERM_OPERATOR(!=, ScalarOp::kNe)
INGOT_TERM_OPERATOR(&, ScalarOp::kAnd)
INGOT_TERM_OPERATOR(|, ScalarOp::kOr)
#undef INGOT_TERM_OPERATOR

inline Term operator-(const Term& a) { return a.apply(ScalarOp::kNeg); }
inline Term operator!(const Term& a) { return a.apply(ScalarOp::kNot); }  // of a bool
inline Term exp(const Term& a) { return a.apply(ScalarOp::kExp); }
inline Term expm1(const Term& a) { return a.apply(ScalarOp::kExpm1); }
inline Term log(const Term& a) { return a.apply(ScalarOp::kLog); }
inline Term log1p(const Term& a) { return a.apply(ScalarOp::kLog1p); }
inline Term tanh(const Term& a) { return a.apply(ScalarOp::kTanh); }
inline Term erf(const Term& a) { return a.apply(ScalarOp::kErf); }
inline Term abs(const Term& a) { return a.apply(ScalarOp::kAbs); }
inline Term round(const Term& a) { return a.apply(ScalarOp::kRound); }
inline Term trunc(const Term& a) { return a.apply(ScalarOp::kTrunc); }
inline Term sin(const Term& a) { return a.apply(ScalarOp::kSin); }
inline Term isnan(const Term& a) { return a.apply(ScalarOp::kIsNan); }
inline Term isinf(const Term& a) { return a.apply(ScalarOp::kIsInf); }
// NaN if either is.
inline Term min(const Term& a, const Term& b) { return a.apply(ScalarOp::kMin, b); }
inline Term min(const Term& a, double b) { return a.apply(ScalarOp::kMin, b); }
inline Term max(const Term& a, const Term& b) { return a.apply(ScalarOp::kMax, b); }
inline Term max(const Term& a, double b) { return a.apply(ScalarOp::kMax, b); }
inline Term clamp(const Term& a, double low, double high) { return min(max(a, low), high); }

}  // namespace ingot::ops
