#include "program/expr_table.h"

#include <algorithm>
#include <optional>

#include "support/diagnostics.h"

namespace ingot::program {
namespace {

using sym::Expr;
using sym::ExprKind;

constexpr uint8_t kExprKindCount = 16;

struct Extent {
  uint32_t nodes = 1;
  uint32_t depth = 1;
};

// Counts as a tree, and stops when a limit is passed. What the table says about sizes is not
// enough: the builders may give back something larger than they were asked for.
void measure(const Expr& expr, uint32_t depth, Extent& extent) {
  ++extent.nodes;
  extent.depth = std::max(extent.depth, depth);
  if (extent.nodes > kMaxExprNodes || depth > kMaxExprDepth) return;
  for (const Expr& operand : expr.operands()) measure(operand, depth + 1, extent);
}

class Reader {
 public:
  explicit Reader(ByteReader& in) : in_(in) {}

  Result<std::vector<Expr>> read() {
    const uint32_t count = in_.u32();
    // All sizes together are kept in proportion to the bytes, so that shared operands cannot make a
    // short table stand for a huge forest.
    budget_ = (uint64_t{1} << 16) + 64 * uint64_t{in_.remaining()};
    for (uint32_t i = 0; i < count && !in_.failed(); ++i) {
      Expr expr = node();
      if (in_.failed()) break;
      Extent extent{.nodes = 0, .depth = 0};
      measure(expr, 1, extent);
      if (extent.nodes > kMaxExprNodes || extent.depth > kMaxExprDepth || extent.nodes > budget_) {
        return make_status(Diag::kBadPackage, "the program has an expression that is too large");
      }
      budget_ -= extent.nodes;
      exprs_.push_back(std::move(expr));
    }
    if (in_.failed()) {
      return make_status(Diag::kBadPackage, "the program's expression table is damaged");
    }
    return std::move(exprs_);
  }

 private:
  Expr node() {
    const uint8_t kind_byte = in_.u8();
    if (kind_byte >= kExprKindCount) in_.fail();
    if (in_.failed()) return {};
    const auto kind = static_cast<ExprKind>(kind_byte);
    if (kind == ExprKind::kConst) return Expr(in_.i64());
    if (kind == ExprKind::kSymbol) {
      const std::string name = in_.text();
      if (name.empty()) in_.fail();
      return in_.failed() ? Expr() : Expr::symbol(name);
    }
    const std::optional<size_t> wanted = sym::operand_count(kind);
    const uint32_t count = in_.u32();
    const bool right = wanted ? count == *wanted : count >= 2 && count <= kMaxExprNodes;
    if (!right || count > in_.remaining() / 4) in_.fail();
    std::vector<Expr> operands;
    for (uint32_t i = 0; i < count && !in_.failed(); ++i) {
      const uint32_t id = in_.u32();
      if (id >= exprs_.size()) {
        in_.fail();
        break;
      }
      operands.push_back(exprs_[id]);
    }
    return in_.failed() ? Expr() : sym::rebuild(kind, operands);
  }

  ByteReader& in_;
  std::vector<Expr> exprs_;
  uint64_t budget_ = 0;
};

}  // namespace

uint32_t ExprTableWriter::id_of(const Expr& expr) {
  if (const auto found = ids_.find(expr); found != ids_.end()) return found->second;
  std::vector<uint32_t> operand_ids;
  for (const Expr& operand : expr.operands()) operand_ids.push_back(id_of(operand));
  nodes_.u8(static_cast<uint8_t>(expr.kind()));
  if (expr.is_const()) {
    nodes_.i64(*expr.as_const());
  } else if (expr.is_symbol()) {
    nodes_.text(expr.symbol_name());
  } else {
    nodes_.u32(static_cast<uint32_t>(operand_ids.size()));
    for (const uint32_t id : operand_ids) nodes_.u32(id);
  }
  ids_.emplace(expr, count_);
  return count_++;
}

void ExprTableWriter::write(ByteWriter& out) const {
  out.u32(count_);
  out.append(nodes_.bytes());
}

Result<std::vector<Expr>> read_expr_table(ByteReader& in) { return Reader(in).read(); }

}  // namespace ingot::program
