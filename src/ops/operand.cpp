#include "ops/operand.h"

#include "ops/broadcast.h"
#include "support/diagnostics.h"

namespace ingot::ops {

bool is_number(const ir::Arg& arg) {
  return std::holds_alternative<sym::Expr>(arg) || std::holds_alternative<double>(arg) ||
         std::holds_alternative<bool>(arg);
}

Scalar number_operand(ElementBuilder& e, const ir::Arg& arg, DType dtype) {
  if (const auto* integer = std::get_if<sym::Expr>(&arg)) {
    const std::optional<int64_t> constant = integer->as_const();
    if (!constant) return e.cast(e.index_value(*integer), dtype);
    if (is_int(dtype)) return e.integer(dtype, *constant);
    if (dtype == DType::kBool) return e.constant(dtype, *constant != 0);
    return e.constant(dtype, static_cast<double>(*constant));
  }
  double number = 0;
  if (const auto* real = std::get_if<double>(&arg)) {
    number = *real;
  } else {
    const bool* flag = std::get_if<bool>(&arg);
    INGOT_CHECK(flag, "an argument is neither a tensor nor a number");
    number = *flag;
  }
  if (dtype == DType::kBool) return e.constant(dtype, number != 0);
  return e.number(dtype, number);
}

Scalar operand(ElementBuilder& e, const ir::Node& node, std::string_view param, const Index& index,
               DType dtype) {
  const ir::Arg& arg = node.arg(param);
  if (is_number(arg)) return number_operand(e, arg, dtype);
  const ir::Value* value = node.tensor(param);
  return e.cast(e.load(value, broadcast_index(value->type.sizes, index)), dtype);
}

Scalar wide_operand(ElementBuilder& e, const ir::Node& node, std::string_view param,
                    const Index& index, DType dtype) {
  return e.cast(operand(e, node, param, index, dtype), compute_type(dtype));
}

Scalar exact_operand(ElementBuilder& e, const ir::Node& node, std::string_view param,
                     const Index& index, DType dtype) {
  const ir::Arg& arg = node.arg(param);
  const bool keeps = is_number(arg) || node.tensor(param)->type.sizes.empty();
  return keeps ? operand(e, node, param, index, compute_type(dtype))
               : wide_operand(e, node, param, index, dtype);
}

}  // namespace ingot::ops
