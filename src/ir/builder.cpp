#include "ir/builder.h"

#include <fmt/core.h>

#include <utility>

#include "support/diagnostics.h"

namespace ingot::ir {

namespace {

bool is_list(const Arg& arg) {
  return std::holds_alternative<std::vector<Value*>>(arg) ||
         std::holds_alternative<std::vector<sym::Expr>>(arg) ||
         std::holds_alternative<std::vector<double>>(arg) ||
         std::holds_alternative<std::vector<bool>>(arg);
}

bool is_empty_list(const Arg& arg) {
  return std::visit(
      [](const auto& value) {
        if constexpr (requires { value.empty(); }) return value.empty();
        return false;
      },
      arg);
}

// An integer constant as a double; other arguments unchanged.
Arg to_float(Arg arg) {
  if (const auto* expr = std::get_if<sym::Expr>(&arg)) {
    if (auto value = expr->as_const()) return Arg(static_cast<double>(*value));
  }
  if (const auto* exprs = std::get_if<std::vector<sym::Expr>>(&arg)) {
    std::vector<double> values;
    for (const sym::Expr& expr : *exprs) {
      if (!expr.as_const()) return arg;
      values.push_back(static_cast<double>(*expr.as_const()));
    }
    return Arg(std::move(values));
  }
  return arg;
}

// An empty list has no element type of its own when it was written as "[]".
Arg empty_list_of(ArgKind kind) {
  switch (kind) {
    case ArgKind::kTensorList:
      return Arg(std::vector<Value*>());
    case ArgKind::kFloatList:
      return Arg(std::vector<double>());
    case ArgKind::kBoolList:
      return Arg(std::vector<bool>());
    default:
      return Arg(std::vector<sym::Expr>());
  }
}

Arg spread(Arg arg, int fixed_size) {
  const auto count = static_cast<size_t>(fixed_size);
  if (const auto* expr = std::get_if<sym::Expr>(&arg)) return std::vector<sym::Expr>(count, *expr);
  if (const auto* number = std::get_if<double>(&arg)) return std::vector<double>(count, *number);
  if (const auto* flag = std::get_if<bool>(&arg)) return std::vector<bool>(count, *flag);
  return arg;
}

Arg coerce(const Param& param, Arg arg) {
  switch (param.kind) {
    case ArgKind::kOther:
      return Arg();
    case ArgKind::kTensor:
      if (const auto* value = std::get_if<Value*>(&arg); value && !*value) return Arg();
      return arg;
    case ArgKind::kTensorList:
    case ArgKind::kIntList:
    case ArgKind::kBoolList:
    case ArgKind::kFloatList:
      if (is_list(arg) && is_empty_list(arg)) return empty_list_of(param.kind);
      if (param.fixed_size > 0) arg = spread(std::move(arg), param.fixed_size);
      return param.kind == ArgKind::kFloatList ? to_float(std::move(arg)) : arg;
    case ArgKind::kFloat:
      return to_float(std::move(arg));
    default:
      return arg;
  }
}

// A constant bound of a slice as Python counts it, within [0, size].
sym::Expr slice_bound(const sym::Expr& bound, const sym::Expr& size) {
  const auto value = bound.as_const();
  if (!value || *value == 0) return bound;
  if (*value == INT64_MAX) return size;
  if (*value < 0) return sym::max(0, size + bound);
  return sym::min(bound, size);
}

}  // namespace

bool fits(const Param& param, const Arg& arg) {
  if (is_none(arg)) return param.is_optional || param.kind == ArgKind::kOther;
  switch (param.kind) {
    case ArgKind::kTensor:  // a number may stand for a 0-dimensional tensor
      if (const auto* value = std::get_if<Value*>(&arg)) return *value;
      return std::holds_alternative<sym::Expr>(arg) || std::holds_alternative<double>(arg) ||
             std::holds_alternative<bool>(arg);
    case ArgKind::kTensorList:
      return std::holds_alternative<std::vector<Value*>>(arg);
    case ArgKind::kInt:
      return std::holds_alternative<sym::Expr>(arg);
    case ArgKind::kIntList:
      return std::holds_alternative<std::vector<sym::Expr>>(arg);
    case ArgKind::kFloat:  // a symbolic integer may stand for a float
      return std::holds_alternative<double>(arg) || std::holds_alternative<sym::Expr>(arg);
    case ArgKind::kFloatList:
      return std::holds_alternative<std::vector<double>>(arg);
    case ArgKind::kBool:  // a condition over sizes may stand for a bool
      return std::holds_alternative<bool>(arg) || std::holds_alternative<sym::Expr>(arg);
    case ArgKind::kBoolList:
      return std::holds_alternative<std::vector<bool>>(arg);
    case ArgKind::kNumber:
      return std::holds_alternative<sym::Expr>(arg) || std::holds_alternative<double>(arg) ||
             std::holds_alternative<bool>(arg);
    case ArgKind::kString:
      return std::holds_alternative<std::string>(arg);
    case ArgKind::kDType:
      return std::holds_alternative<DType>(arg);
    case ArgKind::kGraph:
      return std::holds_alternative<std::shared_ptr<Graph>>(arg);
    case ArgKind::kOther:
      return false;
  }
  return false;
}

std::vector<Arg> complete_args(const Schema& schema, std::vector<Arg> args) {
  INGOT_CHECK(
      args.size() <= schema.params.size(),
      fmt::format("{} takes {} arguments, not {}", schema.name, schema.params.size(), args.size()));
  std::vector<Arg> complete;
  complete.reserve(schema.params.size());
  for (size_t i = 0; i < schema.params.size(); ++i) {
    const Param& param = schema.params[i];
    const bool left_out =
        i >= args.size() || (is_none(args[i]) && !param.is_optional && param.has_default);
    if (left_out) {
      INGOT_CHECK(param.has_default || param.is_optional || param.kind == ArgKind::kOther,
                  fmt::format("{} lacks its argument {}", schema.name, param.name));
    }
    Arg arg = left_out ? (param.has_default ? param.default_value : Arg()) : std::move(args[i]);
    arg = coerce(param, std::move(arg));
    INGOT_CHECK(fits(param, arg),
                fmt::format("{}: argument {} is of the wrong type", schema.name, param.name));
    complete.push_back(std::move(arg));
  }
  return complete;
}

std::vector<Value*> Builder::call_all(std::string_view op, std::vector<Arg> args) {
  const Operator* const callee = table_.find(op);
  INGOT_CHECK(callee, fmt::format("there is no operator {}", op));
  Node call;
  call.op = callee;
  call.args = complete_args(callee->schema, std::move(args));
  call.name = name_.empty() ? callee->schema.base : name_;
  call.loc = loc_;
  std::vector<TensorType> types = table_.infer(call);
  return graph_
      .add_node(callee, std::move(call.args), std::move(types), std::move(call.name), loc_)
      ->results;
}

Value* Builder::call(std::string_view op, std::vector<Arg> args) {
  std::vector<Value*> results = call_all(op, std::move(args));
  INGOT_CHECK(!results.empty(), fmt::format("{} has no result", op));
  return results.front();
}

Value* Builder::cast(Value* a, DType dtype) {
  if (a->dtype() == dtype) return a;
  return call("ingot.cast.default", {a, dtype});
}

Value* Builder::reshape(Value* a, std::vector<sym::Expr> sizes) {
  if (a->type.sizes == sizes) return a;
  return call("ingot.reshape.default", {a, std::move(sizes)});
}

Value* Builder::permute(Value* a, std::span<const int64_t> dims) {
  bool identity = true;
  for (size_t i = 0; i < dims.size(); ++i) identity &= dims[i] == static_cast<int64_t>(i);
  if (identity) return a;
  return call("aten.permute.default", {a, to_exprs(dims)});
}

Value* Builder::transpose(Value* a, int64_t dim0, int64_t dim1) {
  const int64_t rank = a->rank();
  std::vector<int64_t> dims;
  for (int64_t i = 0; i < rank; ++i) dims.push_back(i);
  std::swap(dims.at(static_cast<size_t>(dim0 < 0 ? dim0 + rank : dim0)),
            dims.at(static_cast<size_t>(dim1 < 0 ? dim1 + rank : dim1)));
  return permute(a, dims);
}

Value* Builder::unsqueeze(Value* a, int64_t dim) {
  if (dim < 0) dim += a->rank() + 1;
  std::vector<sym::Expr> sizes = a->type.sizes;
  INGOT_CHECK(dim >= 0 && dim <= a->rank(), "unsqueeze of a dimension that does not exist");
  sizes.insert(sizes.begin() + dim, 1);
  return reshape(a, std::move(sizes));
}

Value* Builder::expand(Value* a, std::vector<sym::Expr> sizes) {
  if (a->type.sizes == sizes) return a;
  return call("ingot.expand.default", {a, std::move(sizes)});
}

Value* Builder::slice(Value* a, int64_t dim, sym::Expr start, sym::Expr end, sym::Expr step) {
  if (dim < 0) dim += a->rank();
  INGOT_CHECK(dim >= 0 && dim < a->rank(), "slice of a dimension that does not exist");
  const sym::Expr& size = a->size(dim);
  start = slice_bound(start, size);
  end = slice_bound(end, size);
  const auto first = start.as_const();
  const auto last = end.as_const();
  if (first && last && *last < *first) end = start;
  if (start.is_const(0) && end == size && step.is_const(1)) return a;
  return call("ingot.slice.default", {a, dim, start, end, step});
}

Value* Builder::sum(Value* a, std::span<const int64_t> dims, bool keepdim) {
  return call("ingot.sum.default", {a, to_exprs(dims), keepdim});
}

Value* Builder::amax(Value* a, std::span<const int64_t> dims, bool keepdim) {
  return call("ingot.amax.default", {a, to_exprs(dims), keepdim});
}

Value* Builder::full(std::vector<sym::Expr> sizes, double value, DType dtype) {
  Arg fill = value;
  if (dtype == DType::kBool) fill = value != 0;
  if (is_int(dtype)) fill = sym::Expr(static_cast<int64_t>(value));
  return call("aten.full.default", {std::move(sizes), std::move(fill), dtype});
}

}  // namespace ingot::ir
