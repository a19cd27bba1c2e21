// The part of `validate` that looks into plans.
#pragma once

#include <set>
#include <string_view>

#include "program/expr_facts.h"
#include "program/program.h"
#include "support/status.h"

namespace ingot::program {

// The symbols that expressions outside kernels may use.
class ProgramScope {
 public:
  ProgramScope(const Program& program, ExprFactsCache& facts);

  bool has_symbol(std::string_view name) const { return names_.contains(name); }
  // Every symbol is one of the program's.
  Status check(const sym::Expr& expr) const;
  // Likewise; a constant is at least 0.
  Status check_size(const sym::Expr& expr) const;

 private:
  std::set<std::string_view> names_;
  ExprFactsCache& facts_;
};

// Fails with Diag::kBadPackage and the place inside the plan. The program's other tables have been
// checked before.
Status validate_plan(const Program& program, const Plan& plan, const ProgramScope& scope);

}  // namespace ingot::program
