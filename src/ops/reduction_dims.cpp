#include "ops/reduction_dims.h"

#include <algorithm>
#include <numeric>

namespace ingot::ops {
namespace {

std::vector<int64_t> normalized(std::vector<int64_t> dims, int64_t rank) {
  if (dims.empty()) {
    dims.resize(static_cast<size_t>(rank));
    std::iota(dims.begin(), dims.end(), int64_t{0});
    return dims;
  }
  if (rank == 0) return {};
  for (int64_t& dim : dims) dim = static_cast<int64_t>(normal_dim(dim, rank));
  std::sort(dims.begin(), dims.end());
  return dims;
}

}  // namespace

std::vector<int64_t> fold_dims(const Node& node, int64_t rank) {
  const ir::Arg dim = node.arg_or_none("dim");
  if (ir::is_none(dim)) return normalized({}, rank);
  if (std::holds_alternative<sym::Expr>(dim)) return normalized({node.constant("dim")}, rank);
  return normalized(node.constants("dim"), rank);
}

std::vector<int64_t> fold_dims(const RefArgs& args, int64_t rank) {
  const bool named = std::find(args.names.begin(), args.names.end(), "dim") != args.names.end();
  if (!named || !args.has("dim")) return normalized({}, rank);
  if (std::holds_alternative<int64_t>(args.arg("dim"))) {
    return normalized({args.integer("dim")}, rank);
  }
  return normalized(args.integers("dim"), rank);
}

bool keeps_dims(const Node& node) { return node.has_param("keepdim") && node.flag("keepdim"); }

std::vector<sym::Expr> folded_sizes(const std::vector<sym::Expr>& sizes,
                                    const std::vector<int64_t>& dims, bool keepdim) {
  std::vector<sym::Expr> left;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const bool folded = std::find(dims.begin(), dims.end(), static_cast<int64_t>(i)) != dims.end();
    if (!folded) left.push_back(sizes[i]);
    if (folded && keepdim) left.push_back(1);
  }
  return left;
}

int64_t folded_count(const RefTensor& self, const std::vector<int64_t>& dims) {
  int64_t count = 1;
  for (size_t i = 0; i < self.sizes.size(); ++i) {
    if (std::find(dims.begin(), dims.end(), static_cast<int64_t>(i)) == dims.end()) {
      count *= self.sizes[i];
    }
  }
  return count;
}

}  // namespace ingot::ops
