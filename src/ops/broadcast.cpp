#include "ops/broadcast.h"

#include <fmt/core.h>

#include "support/diagnostics.h"

namespace ingot::ops {

bool provably_differ(const sym::Expr& a, const sym::Expr& b) {
  return sym::provably(sym::ne(a, b), {});
}

std::string sizes_text(const Sizes& sizes) {
  std::string text = "[";
  for (const sym::Expr& size : sizes) {
    if (text.size() > 1) text += ", ";
    text += sym::to_string(size);
  }
  return text + "]";
}

Sizes broadcast_sizes(const Sizes& a, const Sizes& b) {
  const Sizes& longer = a.size() >= b.size() ? a : b;
  const Sizes& shorter = a.size() >= b.size() ? b : a;
  Sizes result = longer;
  const size_t shift = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    sym::Expr& size = result[shift + i];
    const sym::Expr& other = shorter[i];
    if (size == other || other.is_const(1)) continue;
    if (!size.is_const(1) && provably_differ(size, other)) {
      throw CompileError(Diag::kShapeMismatch, fmt::format("sizes {} and {} do not broadcast",
                                                           sizes_text(a), sizes_text(b)));
    }
    // Of two sizes that must be equal, the number says more.
    if (size.is_const(1) || other.is_const()) size = other;
  }
  return result;
}

Sizes broadcast_sizes(const ir::Node& node, std::initializer_list<std::string_view> params) {
  Sizes result;
  for (std::string_view param : params) {
    const ir::Arg& arg = node.arg(param);
    if (const auto* value = std::get_if<ir::Value*>(&arg)) {
      if (*value) result = broadcast_sizes(result, (*value)->type.sizes);
    }
  }
  return result;
}

Sizes broadcast_index(const Sizes& sizes, std::span<const sym::Expr> index) {
  INGOT_CHECK(index.size() >= sizes.size(), "an operand has more dimensions than its result");
  const auto aligned = index.last(sizes.size());
  Sizes result(aligned.begin(), aligned.end());
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i].is_const(1)) result[i] = 0;
  }
  return result;
}

}  // namespace ingot::ops
