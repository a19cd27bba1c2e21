// Max and average pooling over one to three spatial dimensions: a fold over the window.
#include <cmath>
#include <limits>

#include "ops/broadcast.h"
#include "ops/op_def.h"
#include "ops/reference_view.h"

namespace ingot::ops {
namespace {

using Dims = std::vector<int64_t>;

// The window of a pooling call, one entry per spatial dimension.
struct Window {
  Dims size, stride, padding, dilation;
  bool ceil = false;
  bool is_max = false;
  bool counts_padding = true;
  int64_t divisor = 0;  // 0: the number of elements under the window
  size_t spatial() const { return size.size(); }
};

Dims spread(Dims values, size_t count, const Dims& otherwise) {
  if (values.empty()) return otherwise;
  if (values.size() == 1) values.resize(count, values[0]);
  return values;
}

// "max_pool2d_with_indices" and the like: 1, 2 or 3.
size_t spatial_of(std::string_view base) {
  return static_cast<size_t>(base[base.find("_pool") + 5] - '0');
}

Window window_of(const Node& node) {
  Window window;
  const std::string& base = node.op->schema.base;
  const size_t count = spatial_of(base);
  window.size = spread(node.constants("kernel_size"), count, {});
  window.stride = spread(node.constants("stride"), count, window.size);
  window.padding = spread(node.constants("padding"), count, Dims(count, 0));
  window.is_max = base.starts_with("max");
  window.dilation = Dims(count, 1);
  if (window.is_max) window.dilation = spread(node.constants("dilation"), count, window.dilation);
  window.ceil = node.flag("ceil_mode");
  if (!window.is_max) window.counts_padding = node.flag("count_include_pad");
  const ir::Arg divisor = node.arg_or_none("divisor_override");
  if (!ir::is_none(divisor)) window.divisor = node.constant("divisor_override");
  return window;
}

// How many windows fit. With ceil mode the last one may hang over the end, but has to start inside
// the input or its leading padding.
sym::Expr pooled_size(const Window& w, size_t i, const sym::Expr& in) {
  const int64_t reach = w.dilation[i] * (w.size[i] - 1) + 1;
  const sym::Expr span = in + 2 * w.padding[i] - reach;
  if (!w.ceil) return sym::floor_div(span, w.stride[i]) + 1;
  const sym::Expr count = sym::ceil_div(span, w.stride[i]) + 1;
  const sym::Expr last_starts_inside = sym::lt((count - 1) * w.stride[i], in + w.padding[i]);
  return sym::select(last_starts_inside, count, count - 1);
}

std::vector<TensorType> infer(const Node& node) {
  const Value* self = node.tensor("self");
  const Window w = window_of(node);
  TensorType type = self->type;
  const size_t first = type.sizes.size() - w.spatial();
  if (type.sizes.size() < w.spatial() + 1) {
    throw CompileError(Diag::kShapeMismatch, "pooling of " + sizes_text(type.sizes));
  }
  for (size_t i = 0; i < w.spatial(); ++i) {
    type.sizes[first + i] = pooled_size(w, i, type.sizes[first + i]);
  }
  if (node.op->schema.returns.size() == 1) return {type};
  return {type, {DType::kI64, type.sizes}};
}

// Where window position `inner` looks, and whether that is inside the input.
struct Look {
  Index source;
  sym::Expr inside = 1;
};
Look look(const Window& w, const Value* self, const Index& index, const Index& inner) {
  Look result{index, 1};
  const size_t first = index.size() - w.spatial();
  for (size_t i = 0; i < w.spatial(); ++i) {
    sym::Expr& at = result.source[first + i];
    at = at * w.stride[i] - w.padding[i] + inner[i] * w.dilation[i];
    if (w.padding[i] == 0 && !w.ceil) continue;
    result.inside = sym::logical_and(
        result.inside, sym::logical_and(sym::le(0, at), sym::lt(at, self->type.sizes[first + i])));
  }
  return result;
}

double lowest(DType dtype) {
  if (is_float(dtype)) return -std::numeric_limits<double>::infinity();
  return dtype == DType::kU8 ? 0 : -std::ldexp(1.0, static_cast<int>(8 * size_of(dtype)) - 1);
}

Scalar fold_window(ElementBuilder& e, const Node& node, const Window& w, ReduceOp op,
                   const Index& index) {
  const Value* self = node.tensor("self");
  const DType wide = compute_type(self->dtype());
  const Sizes extents(w.size.begin(), w.size.end());
  return e.reduce(op, extents, [&](const Index& inner) {
    const Look at = look(w, self, index, inner);
    const Scalar outside = e.number(wide, w.is_max ? lowest(wide) : 0);
    return e.guarded(
        e.condition(at.inside), [&] { return e.cast(e.load(self, at.source), wide); }, outside);
  });
}

// The number of elements that an average divides by.
Scalar divisor_at(ElementBuilder& e, const Node& node, const Window& w, const Index& index,
                  DType dtype) {
  if (w.divisor != 0) return e.constant(dtype, static_cast<double>(w.divisor));
  const Value* self = node.tensor("self");
  const size_t first = index.size() - w.spatial();
  sym::Expr count = 1;
  for (size_t i = 0; i < w.spatial(); ++i) {
    const sym::Expr& size = self->type.sizes[first + i];
    const sym::Expr start = index[first + i] * w.stride[i] - w.padding[i];
    const bool plain = w.counts_padding && !w.ceil;
    const sym::Expr begin = w.counts_padding ? start : sym::max(start, 0);
    const sym::Expr end =
        sym::min(start + w.size[i], w.counts_padding ? size + w.padding[i] : size);
    count = count * (plain || (w.padding[i] == 0 && !w.ceil) ? sym::Expr(w.size[i]) : end - begin);
  }
  if (const auto known = count.as_const()) return e.constant(dtype, static_cast<double>(*known));
  return e.cast(e.index_value(count), dtype);
}

// The position in the input plane of the largest element under the window.
Scalar position_at(ElementBuilder& e, const Node& node, const Window& w, const Index& index) {
  const Value* self = node.tensor("self");
  sym::Expr in_window = e.trusted_index(fold_window(e, node, w, ReduceOp::kArgMax, index));
  const size_t first = index.size() - w.spatial();
  sym::Expr position = 0;
  sym::Expr stride = 1;
  for (size_t i = w.spatial(); i-- > 0;) {
    const sym::Expr k = i == 0 ? in_window : sym::mod(in_window, w.size[i]);
    in_window = sym::floor_div(in_window, w.size[i]);
    const sym::Expr at = index[first + i] * w.stride[i] - w.padding[i] + k * w.dilation[i];
    position += at * stride;
    stride *= self->type.sizes[first + i];
  }
  return e.index_value(position);
}

Scalar element(ElementBuilder& e, const Node& node, uint32_t result, const Index& index) {
  const Window w = window_of(node);
  if (result == 1) return position_at(e, node, w, index);
  const DType dtype = node.tensor("self")->dtype();
  const Scalar folded = fold_window(e, node, w, w.is_max ? ReduceOp::kMax : ReduceOp::kSum, index);
  if (w.is_max) return e.cast(folded, dtype);
  const Scalar divisor = divisor_at(e, node, w, index, folded.dtype);
  return e.cast(e.apply(ScalarOp::kDiv, folded, divisor), dtype);
}

// Walks every window of every plane by the definition.
std::vector<RefTensor> reference(const RefArgs& args, bool is_max) {
  const RefTensor& self = args.tensor("self");
  const Dims window = args.integers("kernel_size");
  const size_t count = window.size();
  const auto values = [&](const char* name, const Dims& otherwise) {
    return spread(args.integers(name), count, otherwise);
  };
  const Dims stride = values("stride", window);
  const Dims padding = values("padding", Dims(count, 0));
  const Dims dilation = is_max ? values("dilation", Dims(count, 1)) : Dims(count, 1);
  RefTensor result;
  result.dtype = args.result_dtype;
  result.sizes = args.result_sizes[0];
  RefTensor positions{DType::kI64, result.sizes, {}};
  const size_t first = self.sizes.size() - count;
  for_each_index(result.sizes, [&](const Dims& out) {
    double folded = is_max ? -INFINITY : 0;
    int64_t best = 0;
    int64_t divisor = 0;
    bool found = false;
    for_each_index(window, [&](const Dims& k) {
      Dims at = out;
      int64_t position = 0;
      bool inside = true;
      bool padded = true;
      for (size_t i = 0; i < count; ++i) {
        int64_t& p = at[first + i];
        p = p * stride[i] - padding[i] + k[i] * dilation[i];
        inside &= p >= 0 && p < self.sizes[first + i];
        padded &= p < self.sizes[first + i] + padding[i];
        position = position * self.sizes[first + i] + p;
      }
      if (!is_max && (args.flag("count_include_pad") ? padded : inside)) ++divisor;
      if (!inside) return;
      const double x = self.data[static_cast<size_t>(self.offset(at))];
      if (is_max && (!found || x > folded || std::isnan(x)) && !std::isnan(folded)) {
        folded = x;
        best = position;
      }
      if (!is_max) folded += x;
      found = true;
    });
    if (!is_max && args.has("divisor_override")) divisor = args.integer("divisor_override");
    result.data.push_back(is_max ? folded : folded / static_cast<double>(divisor));
    positions.data.push_back(static_cast<double>(best));
  });
  if (args.result_sizes.size() == 1) return {result};
  return {result, positions};
}

constexpr std::string_view kMaxSchemas[] = {
    "aten::max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, int[1] "
    "dilation=1, bool ceil_mode=False) -> Tensor",
    "aten::max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] "
    "dilation=1, bool ceil_mode=False) -> Tensor",
    "aten::max_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] "
    "dilation=1, bool ceil_mode=False) -> Tensor",
    "aten::max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] "
    "padding=0, int[2] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)",
    "aten::max_pool3d_with_indices(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] "
    "padding=0, int[3] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)"};
constexpr std::string_view kAverageSchemas[] = {
    "aten::avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, bool "
    "ceil_mode=False, bool count_include_pad=True) -> Tensor",
    "aten::avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool "
    "ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor",
    "aten::avg_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, bool "
    "ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor"};

Case make_case(std::string schema, Dims input, Dims window, Dims stride, Dims padding,
               std::vector<CaseArg> more) {
  Case made{.schema = std::move(schema), .args = {TensorArg{input}, window, stride, padding}};
  made.args.insert(made.args.end(), more.begin(), more.end());
  made.dtypes = {DType::kF32, DType::kF16, DType::kBF16};
  return made;
}

std::vector<Case> max_cases() {
  return first_dynamic(
      {make_case("aten.max_pool2d.default", {2, 3, 9, 8}, {3, 3}, {2, 2}, {1, 1}, {}),
       make_case("aten.max_pool2d.default", {3, 9, 8}, {2, 2}, {}, {0, 0}, {}),
       make_case("aten.max_pool2d.default", {1, 2, 10, 7}, {3, 2}, {2, 2}, {1, 0},
                 {Dims{2, 1}, true}),
       make_case("aten.max_pool1d.default", {2, 3, 11}, {3}, {2}, {1}, {}),
       make_case("aten.max_pool3d.default", {1, 2, 5, 6, 4}, {2, 2, 2}, {}, {0, 0, 0}, {}),
       make_case("aten.max_pool2d_with_indices.default", {2, 3, 9, 8}, {3, 3}, {2, 2}, {1, 1}, {}),
       make_case("aten.max_pool3d_with_indices.default", {1, 2, 5, 6, 4}, {2, 2, 2}, {}, {0, 0, 0},
                 {})});
}

std::vector<Case> average_cases() {
  return first_dynamic(
      {make_case("aten.avg_pool2d.default", {2, 3, 9, 8}, {3, 3}, {2, 2}, {1, 1}, {}),
       make_case("aten.avg_pool2d.default", {2, 3, 9, 8}, {3, 3}, {2, 2}, {1, 1}, {true, false}),
       make_case("aten.avg_pool2d.default", {2, 3, 8, 8}, {2, 2}, {}, {0, 0},
                 {false, true, int64_t{3}}),
       make_case("aten.avg_pool1d.default", {2, 3, 11}, {3}, {2}, {1}, {}),
       make_case("aten.avg_pool3d.default", {1, 2, 5, 6, 4}, {2, 2, 2}, {}, {0, 0, 0}, {})});
}

constexpr OpDef kDefs[] = {
    {.name = "avg_pool",
     .schemas = kAverageSchemas,
     .kind = OpKind::kReduction,
     .infer = infer,
     .element = element,
     .reference = [](const RefArgs& args) { return reference(args, false); },
     .cases = average_cases},
    {.name = "max_pool",
     .schemas = kMaxSchemas,
     .kind = OpKind::kReduction,
     .infer = infer,
     .element = element,
     .reference = [](const RefArgs& args) { return reference(args, true); },
     .cases = max_cases},
};

}  // namespace

extern constexpr OpFamily k_pooling{kDefs};

}  // namespace ingot::ops
