// Expressions in the encoded program: a table of distinct nodes, operands before their users.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "program/byte_stream.h"
#include "support/status.h"
#include "symbolic/expr.h"

namespace ingot::program {

// Larger or deeper expressions are refused on decoding: everyone who walks an expression may
// recurse, and takes time in proportion to its size as a tree.
inline constexpr uint32_t kMaxExprDepth = 200;
inline constexpr uint32_t kMaxExprNodes = 1u << 14;

// Numbers expressions in the order of their first use.
class ExprTableWriter {
 public:
  uint32_t id_of(const sym::Expr& expr);
  // The count and the nodes.
  void write(ByteWriter& out) const;

 private:
  struct Hash {
    size_t operator()(const sym::Expr& expr) const { return expr.hash(); }
  };

  std::unordered_map<sym::Expr, uint32_t, Hash> ids_;
  uint32_t count_ = 0;
  ByteWriter nodes_;
};

// The expressions of a written table, rebuilt through the builders of `symbolic`.
Result<std::vector<sym::Expr>> read_expr_table(ByteReader& in);

}  // namespace ingot::program
