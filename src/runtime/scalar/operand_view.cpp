#include "runtime/scalar/operand_view.h"

#include <fmt/core.h>

#include "runtime/scalar/index_code.h"
#include "support/diagnostics.h"

namespace ingot::runtime::scalar {

Result<int64_t> evaluate_size(const sym::Expr& expr, const KernelArgs& args) {
  INGOT_ASSIGN_OR_RETURN(const IndexCode code, IndexCode::compile(expr));
  return code.evaluate({args.scalars, {}, {}});
}

Status append_sizes(const std::vector<sym::Expr>& exprs, const KernelArgs& args,
                    std::vector<int64_t>& sizes) {
  for (const sym::Expr& expr : exprs) {
    INGOT_ASSIGN_OR_RETURN(const int64_t size, evaluate_size(expr, args));
    if (size < 0) return make_status(Diag::kBadPackage, "a template has a negative size");
    sizes.push_back(size);
  }
  return ok_status();
}

Result<OperandView> OperandView::create(const program::Kernel& kernel, size_t operand,
                                        const std::vector<int64_t>& sizes, const KernelArgs& args) {
  if (operand >= kernel.operands.size() ||
      kernel.operands[operand].strides.size() != sizes.size()) {
    return make_status(Diag::kBadPackage,
                       fmt::format("kernel '{}' lacks operand {}", kernel.name, operand));
  }
  const program::Operand& described = kernel.operands[operand];
  OperandView view;
  view.base_ = args.buffers[described.buffer];
  view.dtype_ = kernel.buffers[described.buffer].dtype;
  INGOT_ASSIGN_OR_RETURN(view.offset_, evaluate_size(described.offset, args));
  bool empty = false;
  __int128 low = view.offset_;
  __int128 high = view.offset_;
  for (size_t i = 0; i < sizes.size(); ++i) {
    INGOT_ASSIGN_OR_RETURN(const int64_t stride, evaluate_size(described.strides[i], args));
    view.strides_.push_back(stride);
    empty |= sizes[i] == 0;
    (stride < 0 ? low : high) += static_cast<__int128>(stride) * (sizes[i] - 1);
  }
  if (!empty && (low < 0 || high >= args.buffer_elements[described.buffer])) {
    return make_status(Diag::kBadPackage,
                       fmt::format("operand {} of kernel '{}' is outside its buffer of {} elements",
                                   operand, kernel.name, args.buffer_elements[described.buffer]));
  }
  return view;
}

int64_t OperandView::position(std::span<const int64_t> point) const {
  int64_t position = offset_;
  for (size_t i = 0; i < strides_.size(); ++i) position += point[i] * strides_[i];
  return position;
}

}  // namespace ingot::runtime::scalar
