#include "passes/simplify_views.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "passes/match.h"
#include "passes/rewrite.h"

namespace ingot::passes {

namespace {

using ir::Node;
using ir::Value;
using Exprs = std::vector<sym::Expr>;

// What a rule may use. A rule returns the value that replaces the node's result, or null.
struct Rewrite {
  ir::Builder& b;
  const sym::Ranges& ranges;
};
using Rule = Value* (*)(const Rewrite& r, const Node& node);

bool is_true(const Rewrite& r, const sym::Expr& condition) {
  return sym::provably(condition, r.ranges);
}

// Whether every value of `from` is also one of `to`.
bool is_lossless(DType from, DType to) {
  if (from == to || from == DType::kBool) return true;
  if (is_float(from)) {
    if (from == DType::kF16 && to == DType::kBF16) return false;
    return is_float(to) && size_of(to) >= size_of(from);
  }
  if (!is_int(from) || !is_int(to)) return false;
  if (from == DType::kU8) return is_signed_int(to) && size_of(to) > 1;
  return is_signed_int(to) && size_of(to) >= size_of(from);
}

Value* simplify_cast(const Rewrite& r, const Node& node) {
  Value* self = node.tensor("self");
  const DType dtype = node.results[0]->dtype();
  if (self->dtype() == dtype) return self;
  const Node* inner = made_by(self, "ingot.cast.default");
  if (!inner) return nullptr;
  Value* source = inner->tensor("self");
  return is_lossless(source->dtype(), self->dtype()) ? r.b.cast(source, dtype) : nullptr;
}

Value* simplify_reshape(const Rewrite& r, const Node& node) {
  Value* self = node.tensor("self");
  const Exprs& sizes = node.results[0]->type.sizes;
  if (self->type.sizes == sizes) return self;
  const Node* inner = made_by(self, "ingot.reshape.default");
  return inner ? r.b.reshape(inner->tensor("self"), sizes) : nullptr;
}

std::vector<int64_t> permutation(const Node& node) {
  std::vector<int64_t> dims = node.constants("dims");
  for (int64_t& dim : dims) dim += dim < 0 ? node.results[0]->rank() : 0;
  return dims;
}

Value* simplify_permute(const Rewrite& r, const Node& node) {
  Value* self = node.tensor("self");
  const std::vector<int64_t> dims = permutation(node);
  if (std::is_sorted(dims.begin(), dims.end())) return self;
  if (const Node* inner = made_by(self, "aten.permute.default")) {
    const std::vector<int64_t> first = permutation(*inner);
    std::vector<int64_t> both;
    for (const int64_t dim : dims) both.push_back(first[static_cast<size_t>(dim)]);
    return r.b.permute(inner->tensor("self"), both);
  }
  // Dimensions of size 1 move for free.
  std::vector<int64_t> moving;
  for (const int64_t dim : dims) {
    if (!self->size(dim).is_const(1)) moving.push_back(dim);
  }
  if (!std::is_sorted(moving.begin(), moving.end())) return nullptr;
  return r.b.reshape(self, node.results[0]->type.sizes);
}

Value* simplify_expand(const Rewrite& r, const Node& node) {
  Value* self = node.tensor("self");
  const Exprs& sizes = node.results[0]->type.sizes;
  if (self->type.sizes == sizes) return self;
  const Node* inner = made_by(self, "ingot.expand.default");
  return inner ? r.b.expand(inner->tensor("self"), sizes) : nullptr;
}

// The part of one dimension that a slice or a scatter is about.
struct Part {
  int64_t dim = 0;
  sym::Expr start, end, step;

  friend bool operator==(const Part&, const Part&) = default;
};

Part part_of(const Node& node) {
  int64_t dim = node.constant("dim");
  if (dim < 0) dim += node.tensor("self")->rank();
  return {dim, node.integer("start"), node.integer("end"), node.integer("step")};
}

bool is_whole(const Part& part, const Value* value) {
  return part.start.is_const(0) && part.step.is_const(1) && part.end == value->size(part.dim);
}

// A scatter's bounds may be left out or negative; those are not looked through.
std::optional<Part> scattered_part(const Node& node) {
  for (const char* bound : {"start", "end"}) {
    const auto* expr = std::get_if<sym::Expr>(&node.arg(bound));
    if (!expr || expr->as_const().value_or(0) < 0) return std::nullopt;
  }
  return part_of(node);
}

Value* slice_of(const Rewrite& r, Value* value, const Part& part) {
  if (is_whole(part, value)) return value;
  return r.b.call("ingot.slice.default", {value, part.dim, part.start, part.end, part.step});
}

// The slice of what a scatter made: the scattered tensor, or the slice of what was there before.
Value* slice_of_scatter(const Rewrite& r, const Part& part, const Node& scatter) {
  const std::optional<Part> written = scattered_part(scatter);
  if (!written || written->dim != part.dim) return nullptr;
  if (*written == part) return scatter.tensor("src");
  const bool is_apart = is_true(r, sym::le(part.end, written->start)) ||
                        is_true(r, sym::le(written->end, part.start));
  return is_apart ? slice_of(r, scatter.tensor("self"), part) : nullptr;
}

// The slice of a concatenation that lies within one of its parts.
Value* slice_of_cat(const Rewrite& r, const Part& part, const Node& cat, const Value* whole) {
  int64_t dim = cat.constant("dim");
  if (dim < 0) dim += whole->rank();
  if (dim != part.dim) return nullptr;
  sym::Expr offset = 0;
  for (Value* piece : cat.tensors("tensors")) {
    if (piece->rank() != whole->rank() || piece->dtype() != whole->dtype()) return nullptr;
    const sym::Expr end = offset + piece->size(dim);
    if (is_true(r, sym::le(offset, part.start)) && is_true(r, sym::le(part.end, end))) {
      return slice_of(r, piece, {dim, part.start - offset, part.end - offset, part.step});
    }
    offset = end;
  }
  return nullptr;
}

Value* simplify_slice(const Rewrite& r, const Node& node) {
  Value* self = node.tensor("self");
  const Part part = part_of(node);
  if (is_whole(part, self)) return self;
  if (const Node* inner = made_by(self, "ingot.slice.default")) {
    const Part first = part_of(*inner);
    if (first.dim != part.dim || !first.step.is_const(1)) return nullptr;
    return slice_of(r, inner->tensor("self"),
                    {part.dim, first.start + part.start, first.start + part.end, part.step});
  }
  if (const Node* scatter = made_by(self, "aten.slice_scatter.default")) {
    return slice_of_scatter(r, part, *scatter);
  }
  if (const Node* cat = made_by(self, "aten.cat.default")) {
    return slice_of_cat(r, part, *cat, self);
  }
  return nullptr;
}

// A scatter over all of its base, or over a part that is overwritten again.
Value* simplify_slice_scatter(const Rewrite& r, const Node& node) {
  const std::optional<Part> part = scattered_part(node);
  if (!part) return nullptr;
  Value* self = node.tensor("self");
  if (is_whole(*part, self) && node.tensor("src")->type == self->type) return node.tensor("src");
  const Node* inner = made_by(self, "aten.slice_scatter.default");
  if (!inner || scattered_part(*inner) != part) return nullptr;
  return r.b.call("aten.slice_scatter.default", {inner->tensor("self"), node.tensor("src"),
                                                 part->dim, part->start, part->end, part->step});
}

Rule rule_for(std::string_view target) {
  static const std::map<std::string_view, Rule> kRules = {
      {"ingot.cast.default", simplify_cast},
      {"ingot.reshape.default", simplify_reshape},
      {"aten.permute.default", simplify_permute},
      {"ingot.expand.default", simplify_expand},
      {"ingot.slice.default", simplify_slice},
      {"aten.slice_scatter.default", simplify_slice_scatter},
  };
  const auto found = kRules.find(target);
  return found == kRules.end() ? nullptr : found->second;
}

}  // namespace

bool simplify_views(ir::Model& model, PassContext& context) {
  const sym::Ranges ranges = model.ranges();
  return rewrite_nodes(model, context, [&](ir::Builder& b, const Node& node) -> Value* {
    const Rule rule = rule_for(node.target());
    return rule ? rule({b, ranges}, node) : nullptr;
  });
}

}  // namespace ingot::passes
