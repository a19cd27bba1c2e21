#include "import/import_context.h"

#include <fmt/core.h>

#include <algorithm>

#include "support/diagnostics.h"

namespace ingot::pt2 {

ir::TensorType ImportContext::tensor_type(const TensorMeta& meta, const std::string& name) {
  if (meta.layout != kStridedLayout) {
    throw CompileError(Diag::kUnsupportedCase, fmt::format("value %{} is a sparse tensor", name));
  }
  ir::TensorType type;
  type.dtype = meta.dtype;
  for (const SymInt& size : meta.sizes) {
    if (!size.is_expr()) {
      if (size.value < 0) {
        throw CompileError(Diag::kBadGraph, fmt::format("value %{} has a negative size", name));
      }
      type.sizes.emplace_back(size.value);
      continue;
    }
    const std::optional<sym::Expr> expr = symbols.parse(size.expr);
    if (!expr) {
      throw CompileError(
          Diag::kUnsupportedCase,
          fmt::format("value %{} has a size that Ingot cannot compute: {}", name, size.expr));
    }
    type.sizes.push_back(*expr);
  }
  return type;
}

ir::TensorType ImportContext::tensor_type(const Graph& graph, const std::string& name) {
  const auto meta = graph.tensor_values.find(name);
  if (meta == graph.tensor_values.end()) {
    throw CompileError(Diag::kBadGraph,
                       fmt::format("the graph does not say of what type the tensor %{} is", name));
  }
  return tensor_type(meta->second, name);
}

std::string operator_name(const std::string& target) {
  constexpr std::string_view kPrefix = "torch.ops.";
  if (!target.starts_with(kPrefix)) return target;
  std::string name = target.substr(kPrefix.size());
  if (std::count(name.begin(), name.end(), '.') < 2) name += ".default";
  return name;
}

std::optional<SymValue> table_value(ImportContext& context, const Graph& graph,
                                    const std::string& name) {
  const auto parsed = [&](const std::string& text) -> std::optional<SymValue> {
    const std::optional<sym::Expr> expr = context.symbols.parse(text);
    if (!expr || !context.symbols.is_bound(*expr)) return std::nullopt;
    return SymValue(*expr);
  };
  if (const auto it = graph.sym_int_values.find(name); it != graph.sym_int_values.end()) {
    return it->second.is_expr() ? parsed(it->second.expr) : SymValue(sym::Expr(it->second.value));
  }
  if (const auto it = graph.sym_bool_values.find(name); it != graph.sym_bool_values.end()) {
    return it->second.is_expr() ? parsed(it->second.expr) : SymValue(it->second.value);
  }
  if (const auto it = graph.sym_float_values.find(name); it != graph.sym_float_values.end()) {
    if (!it->second.is_expr()) return SymValue(it->second.value);
  }
  return std::nullopt;
}

}  // namespace ingot::pt2
