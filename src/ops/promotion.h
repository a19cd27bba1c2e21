// PyTorch's type promotion, in one place.
#pragma once

#include <initializer_list>
#include <string_view>

#include "ir/graph.h"

namespace ingot::ops {

// The smallest dtype both convert to. Throws CompileError for dtypes without kernels.
DType promote_types(DType a, DType b);

// Collects operands; tensors with dimensions outrank 0-dimensional ones, which outrank numbers:
// an operand of lower rank decides only if its category (bool < integer < float) is higher.
class Promotion {
 public:
  Promotion& add(const ir::Arg& arg);  // a tensor, tensors, or a number; none is ignored
  Promotion& add(const ir::TensorType& type);
  Promotion& add_number(DType category);  // a Python number: kBool, kI64 or kF32
  DType result() const;

 private:
  struct Rank {
    bool any = false;
    DType dtype = DType::kBool;
    void add(DType other);
  };
  static Rank combine(const Rank& higher, const Rank& lower);

  Rank dimensioned_;
  Rank zero_dim_;
  Rank number_;
};

// torch.result_type of those arguments of the node.
DType result_type(const ir::Node& node, std::initializer_list<std::string_view> params);

// The dtype of a division or of exp: PyTorch's default dtype for integers and bools.
constexpr DType to_float_type(DType d) { return is_float(d) ? d : DType::kF32; }

// The result of a sum or product: i64 for integers and bools.
constexpr DType to_sum_type(DType d) { return is_float(d) ? d : DType::kI64; }

}  // namespace ingot::ops
