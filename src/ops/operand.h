// How element functions read the arguments of their node. A number may stand where the schema says
// Tensor (aten.add.Tensor(x, 1)); everything here takes both.
#pragma once

#include <string_view>

#include "ops/element.h"

namespace ingot::ops {

// The element of argument `param` that broadcasts to `index` of the result, converted to `dtype`.
Scalar operand(ElementBuilder& e, const ir::Node& node, std::string_view param, const Index& index,
               DType dtype);

// The same, computed with as eager PyTorch does: converted to `dtype`, then widened to
// compute_type(dtype).
Scalar wide_operand(ElementBuilder& e, const ir::Node& node, std::string_view param,
                    const Index& index, DType dtype);

// The same, but a number or 0-dimensional tensor beside a 16-bit float keeps its precision, as the
// second operand of PyTorch's mul and div does (and that of add does not).
Scalar exact_operand(ElementBuilder& e, const ir::Node& node, std::string_view param,
                     const Index& index, DType dtype);

// A number argument (int, symbolic int, float or bool) as a constant of `dtype`.
Scalar number_operand(ElementBuilder& e, const ir::Arg& arg, DType dtype);
inline Scalar number_operand(ElementBuilder& e, const ir::Node& node, std::string_view param,
                             DType dtype) {
  return number_operand(e, node.arg(param), dtype);
}

// True for an argument that is a number rather than a tensor.
bool is_number(const ir::Arg& arg);

}  // namespace ingot::ops
