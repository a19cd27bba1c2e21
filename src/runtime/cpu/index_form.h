// Index expressions of a kernel with its sizes known: linear in the axes as far as possible.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "program/kernel.h"
#include "support/status.h"
#include "symbolic/expr.h"

namespace ingot::runtime::cpu {

using TermId = uint32_t;  // position in IndexForms::terms

struct ScaledTerm {
  TermId term = 0;
  int64_t scale = 1;
  friend bool operator==(const ScaledTerm&, const ScaledTerm&) = default;
};

// constant + sum(axis[k] * coordinate k) + sum(scale * term). Arithmetic wraps.
struct IndexForm {
  int64_t constant = 0;
  std::vector<int64_t> axis;
  std::vector<ScaledTerm> terms;  // sorted, scales other than 0
  friend bool operator==(const IndexForm&, const IndexForm&) = default;

  bool is_constant() const;
};

// What is not linear: the value of an instruction, or an operation on forms.
struct IndexTerm {
  program::InstId value = program::kNoInst;
  sym::ExprKind kind = sym::ExprKind::kSymbol;  // kSymbol: the instruction's value
  std::vector<IndexForm> operands;              // two; kNot: one, kSelect: three
  int64_t low = INT64_MIN;                      // its values are within [low, high]
  int64_t high = INT64_MAX;
};

// Builds forms over `extents.size()` axes and owns their terms, each there once.
class IndexForms {
 public:
  // `axis_forms[k]` stands for the symbol a<k>; its size gives the number of symbols.
  IndexForms(std::span<const int64_t> scalars, std::vector<int64_t> extents,
             std::vector<IndexForm> axis_forms);

  // Fails with Diag::kBadPackage for an expression that no valid kernel has.
  Result<IndexForm> build(const sym::Expr& expr);

  std::vector<IndexTerm>& terms() { return terms_; }
  const std::vector<IndexTerm>& terms() const { return terms_; }

  struct Bounds {
    __int128 low = 0;
    __int128 high = 0;
  };
  // Over all coordinates within the extents.
  Bounds bounds(const IndexForm& form) const;

 private:
  Result<IndexForm> build_node(const sym::Expr& expr, int depth);
  Result<IndexForm> symbol(const sym::Expr& expr) const;
  IndexForm combine(sym::ExprKind kind, const IndexForm& a, const IndexForm& b);
  IndexForm constant(int64_t value) const;
  IndexForm multiply(const IndexForm& a, const IndexForm& b);
  IndexForm divide(sym::ExprKind kind, const IndexForm& a, const IndexForm& b);
  IndexForm divide_by_constant(sym::ExprKind kind, const IndexForm& a, int64_t divisor);
  IndexForm compare(sym::ExprKind kind, const IndexForm& a, const IndexForm& b);
  IndexForm logic(sym::ExprKind kind, const IndexForm& a, const IndexForm& b);
  IndexForm choose(const IndexForm& condition, const IndexForm& a, const IndexForm& b);
  IndexForm intern(IndexTerm term);

  std::vector<int64_t> scalars_;
  std::vector<int64_t> extents_;
  std::vector<IndexForm> axis_forms_;
  std::vector<IndexTerm> terms_;
  std::unordered_map<const sym::Expr::Node*, IndexForm> built_;
};

// form += scale * other.
void add_scaled(IndexForm& form, const IndexForm& other, int64_t scale);

}  // namespace ingot::runtime::cpu
