// An operand of a template kernel with its sizes known: element access by coordinates.
#pragma once

#include <vector>

#include "runtime/scalar/element.h"
#include "runtime/scalar/scalar_executor.h"

namespace ingot::runtime::scalar {

// The value of an expression over d0, d1, ….
Result<int64_t> evaluate_size(const sym::Expr& expr, const KernelArgs& args);
Status append_sizes(const std::vector<sym::Expr>& exprs, const KernelArgs& args,
                    std::vector<int64_t>& sizes);

class OperandView {
 public:
  // Fails with Diag::kBadPackage if an element within `sizes` is outside the buffer.
  static Result<OperandView> create(const program::Kernel& kernel, size_t operand,
                                    const std::vector<int64_t>& sizes, const KernelArgs& args);

  Element load(std::span<const int64_t> point) const {
    return load_element(base_, position(point), dtype_);
  }
  void store(std::span<const int64_t> point, Element value) const {
    store_element(base_, position(point), dtype_, value);
  }
  DType dtype() const { return dtype_; }

 private:
  int64_t position(std::span<const int64_t> point) const;

  void* base_ = nullptr;
  DType dtype_ = DType::kF32;
  int64_t offset_ = 0;
  std::vector<int64_t> strides_;
};

}  // namespace ingot::runtime::scalar
