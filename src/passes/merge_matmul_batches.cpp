#include "passes/merge_matmul_batches.h"

#include <algorithm>

#include "passes/match.h"
#include "passes/rewrite.h"

namespace ingot::passes {

namespace {

using ir::Node;
using ir::Value;
using Exprs = std::vector<sym::Expr>;

bool all_ones(std::span<const sym::Expr> sizes) {
  return std::all_of(sizes.begin(), sizes.end(),
                     [](const sym::Expr& size) { return size.is_const(1); });
}

// The one matrix that is the right factor of every product of the batch, or null.
Value* shared_matrix(ir::Builder& b, Value* value) {
  if (const Node* expand = made_by(value, "ingot.expand.default")) {
    const Value* source = expand->tensor("self");
    const int64_t rank = source->rank();
    // The matrix itself must not be made by repetition.
    if (rank >= 2 && source->size(rank - 1) == value->size(value->rank() - 1) &&
        source->size(rank - 2) == value->size(value->rank() - 2)) {
      value = expand->tensor("self");
    }
  }
  const std::span<const sym::Expr> sizes = value->type.sizes;
  if (!all_ones(sizes.first(sizes.size() - 2))) return nullptr;
  return b.reshape(value, {sizes[sizes.size() - 2], sizes.back()});
}

Value* merge(ir::Builder& b, const Node& node) {
  if (node.target() != "ingot.matmul.default") return nullptr;
  Value* rows = node.tensor("a");
  const Exprs& result = node.results[0]->type.sizes;
  if (rows->rank() < 3) return nullptr;
  // The left factor must have all of the batch: what it repeats would be computed once only.
  const Exprs& sizes = rows->type.sizes;
  if (!std::equal(sizes.begin(), sizes.end() - 1, result.begin())) return nullptr;
  Value* matrix = shared_matrix(b, node.tensor("b"));
  if (!matrix) return nullptr;
  const sym::Expr count = sym::product(std::span(sizes).first(sizes.size() - 1));
  std::vector<ir::Arg> args = node.args;
  args[0] = b.reshape(rows, {count, sizes.back()});
  args[1] = matrix;
  return b.reshape(b.call("ingot.matmul.default", std::move(args)), result);
}

}  // namespace

bool merge_matmul_batches(ir::Model& model, PassContext& context) {
  return rewrite_nodes(model, context, merge);
}

}  // namespace ingot::passes
