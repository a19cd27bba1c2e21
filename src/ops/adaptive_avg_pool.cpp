// Average pooling to a given output size.
#include "ops/broadcast.h"
#include "ops/op_def.h"
#include "ops/reference_view.h"

namespace ingot::ops {
namespace {

using Dims = std::vector<int64_t>;

constexpr std::string_view kSchemas[] = {
    "aten::adaptive_avg_pool1d(Tensor self, int[1] output_size) -> Tensor",
    "aten::adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor",
    "aten::_adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor",
    "aten::adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> Tensor",
    "aten::_adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> Tensor"};

std::vector<TensorType> infer(const Node& node) {
  TensorType type = node.tensor("self")->type;
  const Sizes out = node.integers("output_size");
  const size_t first = type.sizes.size() - out.size();
  for (size_t i = 0; i < out.size(); ++i) type.sizes[first + i] = out[i];
  return {type};
}

// As a product of 1-dimensional averages: output i covers [i * in // out, ceil((i + 1) * in /
// out)). Every dimension is averaged with a small matrix of weights, which is exact for windows of
// any size because the windows of different dimensions are independent.
Value* average_by_matrix(ir::Builder& b, Value* x, int64_t dim, int64_t in, int64_t out) {
  // weights[i, p] = 1 / length of window i where it covers p.
  Value* rows = b.unsqueeze(b.call("aten.arange.default", {sym::Expr(out)}), 1);
  Value* positions = b.call("aten.arange.default", {sym::Expr(in)});
  Value* start = b.call("aten.floor_divide.default",
                        {b.call("aten.mul.Scalar", {rows, sym::Expr(in)}), sym::Expr(out)});
  Value* end = b.call("aten.floor_divide.default",
                      {b.call("aten.add.Scalar", {b.call("aten.mul.Scalar", {rows, sym::Expr(in)}),
                                                  sym::Expr(in + out - 1)}),
                       sym::Expr(out)});
  Value* inside = b.call("aten.logical_and.default", {b.call("aten.ge.Tensor", {positions, start}),
                                                      b.call("aten.lt.Tensor", {positions, end})});
  Value* weights = b.div(b.cast(inside, x->dtype()), b.cast(b.sub(end, start), x->dtype()));
  // Bring the dimension last, multiply, bring it back.
  Dims order;
  for (int64_t d = 0; d < x->rank(); ++d) {
    if (d != dim) order.push_back(d);
  }
  order.push_back(dim);
  Value* moved = b.unsqueeze(b.permute(x, order), x->rank() - 1);
  const int64_t last[] = {x->rank()};
  Value* averaged = b.sum(b.mul(moved, weights), last, false);
  Dims back(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  return b.permute(averaged, back);
}

std::vector<Value*> decompose(ir::Builder& b, const Node& node) {
  Value* self = node.tensor("self");
  const Sizes out = node.integers("output_size");
  const int64_t first = self->rank() - static_cast<int64_t>(out.size());
  Value* x = b.cast(self, compute_type(self->dtype()));
  Dims whole;
  sym::Expr count = 1;
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t dim = first + static_cast<int64_t>(i);
    if (out[i].is_const(1)) {
      whole.push_back(dim);
      count *= self->size(dim);
    }
  }
  if (!whole.empty()) x = b.call("aten.div.Scalar", {b.sum(x, whole, true), count});
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t dim = first + static_cast<int64_t>(i);
    if (out[i].is_const(1) || out[i] == self->size(dim)) continue;
    const auto in_size = self->size(dim).as_const();
    const auto out_size = out[i].as_const();
    if (!in_size || !out_size) {
      throw CompileError(Diag::kUnsupportedCase, "adaptive pooling of a dynamic dimension");
    }
    x = average_by_matrix(b, x, dim, *in_size, *out_size);
  }
  return {b.cast(x, self->dtype())};
}

std::vector<RefTensor> reference(const RefArgs& args) {
  const RefTensor& self = args.tensor("self");
  const size_t count = args.integers("output_size").size();
  const size_t first = self.sizes.size() - count;
  RefTensor result;
  result.dtype = args.result_dtype;
  result.sizes = args.result_sizes[0];
  for_each_index(result.sizes, [&](const Dims& index) {
    Dims start(count);
    Dims length(count);
    for (size_t i = 0; i < count; ++i) {
      const int64_t in = self.sizes[first + i];
      const int64_t out = result.sizes[first + i];
      start[i] = index[first + i] * in / out;
      length[i] = ((index[first + i] + 1) * in + out - 1) / out - start[i];
    }
    double sum = 0;
    int64_t elements = 0;
    for_each_index(length, [&](const Dims& offset) {
      Dims at = index;
      for (size_t i = 0; i < count; ++i) at[first + i] = start[i] + offset[i];
      sum += self.data[static_cast<size_t>(self.offset(at))];
      ++elements;
    });
    result.data.push_back(sum / static_cast<double>(elements));
  });
  return {result};
}

std::vector<Case> cases() {
  const auto make = [](std::string schema, Dims input, Dims output) {
    Case made{.schema = std::move(schema), .args = {TensorArg{input}, output}};
    made.dtypes = {DType::kF32, DType::kF16, DType::kBF16};
    return made;
  };
  return first_dynamic({make("aten.adaptive_avg_pool2d.default", {2, 3, 7, 5}, {1, 1}),
                        make("aten.adaptive_avg_pool2d.default", {2, 3, 8, 6}, {4, 2}),
                        make("aten.adaptive_avg_pool2d.default", {3, 7, 5}, {3, 4}),
                        make("aten._adaptive_avg_pool2d.default", {1, 2, 6, 6}, {6, 1}),
                        make("aten.adaptive_avg_pool1d.default", {2, 3, 10}, {4}),
                        make("aten.adaptive_avg_pool3d.default", {1, 2, 4, 5, 6}, {2, 2, 1}),
                        make("aten._adaptive_avg_pool3d.default", {1, 2, 4, 5, 6}, {1, 1, 1})});
}

}  // namespace

extern constexpr OpDef k_adaptive_avg_pool{.name = "adaptive_avg_pool",
                                           .schemas = kSchemas,
                                           .kind = OpKind::kComposite,
                                           .infer = infer,
                                           .decompose = decompose,
                                           .reference = reference,
                                           .cases = cases};

}  // namespace ingot::ops
