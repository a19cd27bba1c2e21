// Values of kernel IR one at a time: memory, arithmetic and conversions as PyTorch defines them.
#pragma once

#include <cstdint>

#include "program/kernel.h"
#include "support/dtype.h"

namespace ingot::runtime::scalar {

// An element of any dtype: `real` for floats (16-bit and 32-bit ones are exact doubles), `integer`
// for integers and bool (0 or 1).
struct Element {
  double real = 0;
  int64_t integer = 0;
};

Element load_element(const void* base, int64_t position, DType dtype);
void store_element(void* base, int64_t position, DType dtype, Element value);

// Rounds or wraps to what `dtype` can hold.
Element normalize(Element value, DType dtype);
Element from_double(double value, DType dtype);
Element from_integer(int64_t value, DType dtype);

// `operand_dtype` is that of the operands (kSelect: of the last two). Predicates give 0 or 1.
Element apply(program::ScalarOp op, DType operand_dtype, Element a, Element b, Element c);
Element cast(Element value, DType from, DType to);
Element bitcast(Element value, DType from, DType to);

// a < b with NaN as the largest.
bool sorts_before(Element a, Element b, DType dtype);

// Folds one element after another; floats sum in f64 and are rounded at the end.
class Fold {
 public:
  Fold(program::ReduceOp op, DType dtype);
  void add(Element value);
  Element result() const;

 private:
  program::ReduceOp op_;
  DType dtype_;
  Element value_;
  int64_t count_ = 0;
  int64_t best_ = 0;
};

}  // namespace ingot::runtime::scalar
