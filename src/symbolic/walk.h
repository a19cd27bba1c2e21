// Bottom-up walks over expressions that visit a shared node once.
#pragma once

#include <optional>
#include <unordered_map>

#include "symbolic/node.h"

namespace ingot::sym {

// Results by node. Small trees are walked without it; their nodes are cheaper to visit twice.
template <typename T>
class Memo {
 public:
  explicit Memo(const Expr& root) : is_used_(root.tree_size() > 64) {}
  const T* find(const Expr& expr) const {
    if (!is_used_) return nullptr;
    auto found = results_.find(expr.node());
    return found == results_.end() ? nullptr : &found->second;
  }
  void insert(const Expr& expr, const T& result) {
    if (is_used_ && !expr.operands().empty()) results_.emplace(expr.node(), result);
  }

 private:
  bool is_used_;
  std::unordered_map<const Expr::Node*, T> results_;  // looked up, never iterated
};

}  // namespace ingot::sym
