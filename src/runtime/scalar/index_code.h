// Index expressions of kernels as postfix code: what sym::Expr means for one point.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "support/status.h"
#include "symbolic/expr.h"

namespace ingot::runtime::scalar {

// The values that d<n>, a<n> and v<n> have at a point.
struct IndexValues {
  std::span<const int64_t> scalars;
  std::span<const int64_t> axes;
  std::span<const int64_t> insts;
};

class IndexCode {
 public:
  // Fails with Diag::kBadPackage for a symbol that is none of a kernel's.
  static Result<IndexCode> compile(const sym::Expr& expr);

  // Arithmetic wraps; a division by zero gives 0. A symbol without a value is 0.
  int64_t evaluate(const IndexValues& values) const;

 private:
  enum class Source : uint8_t { kConst, kScalar, kAxis, kInst, kOperator };
  struct Item {
    Source source = Source::kConst;
    sym::ExprKind kind = sym::ExprKind::kConst;
    int64_t value = 0;  // the constant, the symbol's number or the operand count
  };

  Status append(const sym::Expr& expr);

  std::vector<Item> items_;
  // Reused by evaluate: an IndexCode belongs to one thread.
  mutable std::vector<int64_t> stack_;
};

}  // namespace ingot::runtime::scalar
