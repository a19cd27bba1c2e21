#include "ops/promotion.h"

#include <fmt/core.h>

#include "support/diagnostics.h"

namespace ingot::ops {

DType promote_types(DType a, DType b) {
  for (DType d : {a, b}) {
    if (!is_computable(d)) {
      throw CompileError(Diag::kUnsupportedDtype, fmt::format("no kernels for {}", torch_name(d)));
    }
  }
  if (a == b) return a;
  if (is_float(a) && is_float(b)) {
    return is_half(a) && is_half(b) ? DType::kF32 : std::max(a, b);
  }
  if (is_float(a) || is_float(b)) return is_float(a) ? a : b;
  // An unsigned byte fits every signed type but i8.
  if (std::min(a, b) == DType::kU8 && std::max(a, b) == DType::kI8) return DType::kI16;
  return std::max(a, b);
}

void Promotion::Rank::add(DType other) {
  dtype = any ? promote_types(dtype, other) : promote_types(other, other);
  any = true;
}

Promotion& Promotion::add(const ir::TensorType& type) {
  (type.sizes.empty() ? zero_dim_ : dimensioned_).add(type.dtype);
  return *this;
}

Promotion& Promotion::add_number(DType category) {
  number_.add(category);
  return *this;
}

Promotion& Promotion::add(const ir::Arg& arg) {
  if (const auto* value = std::get_if<ir::Value*>(&arg)) {
    if (*value) add((*value)->type);
  } else if (const auto* values = std::get_if<std::vector<ir::Value*>>(&arg)) {
    for (const ir::Value* element : *values) {
      if (element) add(element->type);
    }
  } else if (std::holds_alternative<sym::Expr>(arg)) {
    add_number(DType::kI64);
  } else if (std::holds_alternative<double>(arg)) {
    add_number(DType::kF32);
  } else if (std::holds_alternative<bool>(arg)) {
    add_number(DType::kBool);
  }
  return *this;
}

Promotion::Rank Promotion::combine(const Rank& higher, const Rank& lower) {
  if (!higher.any) return lower;
  if (!lower.any || is_float(higher.dtype)) return higher;
  if (higher.dtype == DType::kBool || is_float(lower.dtype)) {
    return {true, promote_types(higher.dtype, lower.dtype)};
  }
  return higher;
}

DType Promotion::result() const {
  const Rank all = combine(dimensioned_, combine(zero_dim_, number_));
  INGOT_CHECK(all.any, "type promotion of no operands");
  return all.dtype;
}

DType result_type(const ir::Node& node, std::initializer_list<std::string_view> params) {
  Promotion promotion;
  for (std::string_view param : params) promotion.add(node.arg(param));
  return promotion.result();
}

}  // namespace ingot::ops
