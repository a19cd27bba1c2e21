// Resizing images by the nearest element or bilinearly.
#include <cmath>

#include "ops/broadcast.h"
#include "ops/op_def.h"
#include "ops/reference_view.h"

namespace ingot::ops {
namespace {

using Dims = std::vector<int64_t>;

constexpr std::string_view kNearestSchemas[] = {
    "aten::upsample_nearest1d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> "
    "Tensor",
    "aten::upsample_nearest2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> "
    "Tensor",
    "aten::upsample_nearest3d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> "
    "Tensor"};
constexpr std::string_view kLinearSchemas[] = {
    "aten::upsample_linear1d.vec(Tensor input, SymInt[]? output_size, bool align_corners, "
    "float[]? scale_factors) -> Tensor",
    "aten::upsample_bilinear2d.vec(Tensor input, SymInt[]? output_size, bool align_corners, "
    "float[]? scale_factors) -> Tensor"};

int64_t known_size(const sym::Expr& size) {
  const auto value = size.as_const();
  if (!value) throw CompileError(Diag::kUnsupportedCase, "resizing an image of dynamic size");
  return *value;
}

// One spatial dimension: how far apart outputs lie in the input.
struct Resize {
  int64_t in = 1;
  int64_t out = 1;
  double step = 1;
};

double step_of(int64_t in, int64_t out, bool align_corners, double factor) {
  if (align_corners)
    return out > 1 ? static_cast<double>(in - 1) / static_cast<double>(out - 1) : 0;
  return factor > 0 ? 1 / factor : static_cast<double>(in) / static_cast<double>(out);
}

std::vector<Resize> resizes_of(const Node& node) {
  const Sizes& sizes = node.tensor("input")->type.sizes;
  const bool align_corners = node.has_param("align_corners") && node.flag("align_corners");
  std::vector<double> factors;
  if (const auto* given = std::get_if<std::vector<double>>(&node.arg("scale_factors"))) {
    factors = *given;
  }
  std::vector<Resize> resizes;
  for (size_t i = 2; i < sizes.size(); ++i) {
    Resize resize;
    resize.in = known_size(sizes[i]);
    const double factor = factors.empty() ? 0 : factors[i - 2];
    resize.out = factors.empty()
                     ? known_size(node.integers("output_size")[i - 2])
                     : static_cast<int64_t>(std::floor(static_cast<double>(resize.in) * factor));
    resize.step = step_of(resize.in, resize.out, align_corners, factor);
    resizes.push_back(resize);
  }
  return resizes;
}

std::vector<TensorType> infer(const Node& node) {
  TensorType type = node.tensor("input")->type;
  const std::vector<Resize> resizes = resizes_of(node);
  for (size_t i = 0; i < resizes.size(); ++i) type.sizes[i + 2] = resizes[i].out;
  return {type};
}

// floor(index * step) in f32, as PyTorch computes it, kept inside the input.
sym::Expr nearest_position(ElementBuilder& e, const sym::Expr& index, const Resize& resize) {
  if (resize.in == 1) return 0;
  if (resize.out % resize.in == 0) return sym::floor_div(index, resize.out / resize.in);
  const Scalar at = e.cast(e.index_value(index), DType::kF32);
  const Scalar scaled =
      e.apply(ScalarOp::kFloor, e.apply(ScalarOp::kMul, at, e.constant(DType::kF32, resize.step)));
  const Scalar inside =
      e.apply(ScalarOp::kMin, e.cast(scaled, DType::kI64), e.integer(DType::kI64, resize.in - 1));
  return e.checked_index(inside, resize.in);
}

Scalar nearest_element(ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
  const std::vector<Resize> resizes = resizes_of(node);
  Index source = index;
  for (size_t i = 0; i < resizes.size(); ++i) {
    source[i + 2] = nearest_position(e, index[i + 2], resizes[i]);
  }
  return e.load(node.tensor("input"), source);
}

// The two input positions around an output and the weight of the second.
struct Blend {
  sym::Expr low, high;
  Scalar weight;
};
Blend blend_at(ElementBuilder& e, const sym::Expr& index, const Resize& resize,
               bool align_corners) {
  const auto number = [&](double value) { return e.constant(DType::kF32, value); };
  Scalar at = e.cast(e.index_value(index), DType::kF32);
  if (align_corners) {
    at = e.apply(ScalarOp::kMul, at, number(resize.step));
  } else {
    at = e.apply(ScalarOp::kMul, e.apply(ScalarOp::kAdd, at, number(0.5)), number(resize.step));
    at = e.apply(ScalarOp::kMax, e.apply(ScalarOp::kSub, at, number(0.5)), number(0));
  }
  const Scalar last = e.integer(DType::kI64, resize.in - 1);
  const Scalar low = e.apply(ScalarOp::kMin, e.cast(at, DType::kI64), last);
  const Scalar high =
      e.apply(ScalarOp::kMin, e.apply(ScalarOp::kAdd, low, e.integer(DType::kI64, 1)), last);
  const Scalar weight = e.apply(ScalarOp::kSub, at, e.cast(low, DType::kF32));
  return {e.checked_index(low, resize.in), e.checked_index(high, resize.in), weight};
}

// Blends along dimension `dim` and those after it.
Scalar blended(ElementBuilder& e, const Value* input, const std::vector<Blend>& blends, size_t dim,
               Index& source) {
  if (dim == blends.size()) return e.cast(e.load(input, source), DType::kF32);
  const Blend& blend = blends[dim];
  source[dim + 2] = blend.low;
  const Scalar low = blended(e, input, blends, dim + 1, source);
  source[dim + 2] = blend.high;
  const Scalar high = blended(e, input, blends, dim + 1, source);
  const Scalar rest = e.apply(ScalarOp::kSub, e.constant(DType::kF32, 1), blend.weight);
  return e.apply(ScalarOp::kAdd, e.apply(ScalarOp::kMul, low, rest),
                 e.apply(ScalarOp::kMul, high, blend.weight));
}

Scalar linear_element(ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
  const Value* input = node.tensor("input");
  const std::vector<Resize> resizes = resizes_of(node);
  std::vector<Blend> blends;
  for (size_t i = 0; i < resizes.size(); ++i) {
    blends.push_back(blend_at(e, index[i + 2], resizes[i], node.flag("align_corners")));
  }
  Index source = index;
  return e.cast(blended(e, input, blends, 0, source), input->dtype());
}

std::vector<RefTensor> reference(const RefArgs& args, bool linear) {
  const RefTensor& input = args.tensor("input");
  const bool align_corners = linear && args.flag("align_corners");
  RefTensor result{args.result_dtype, args.result_sizes[0], {}};
  const size_t spatial = input.sizes.size() - 2;
  for_each_index(result.sizes, [&](const Dims& index) {
    double sum = 0;
    // Every corner of the cell around the output, by the bits of `corner`.
    for (size_t corner = 0; corner < (linear ? size_t{1} << spatial : 1); ++corner) {
      Dims source = index;
      double weight = 1;
      for (size_t i = 0; i < spatial; ++i) {
        const int64_t in = input.sizes[i + 2];
        const double factor = args.has("scale_factors")
                                  ? std::get<std::vector<double>>(args.arg("scale_factors"))[i]
                                  : 0;
        const double step = step_of(in, result.sizes[i + 2], align_corners, factor);
        const auto out = static_cast<double>(index[i + 2]);
        if (!linear) {
          source[i + 2] = std::min(static_cast<int64_t>(std::floor(out * step)), in - 1);
          continue;
        }
        const double at = align_corners ? out * step : std::max((out + 0.5) * step - 0.5, 0.0);
        const int64_t low = std::min(static_cast<int64_t>(at), in - 1);
        const bool is_high = (corner >> i & 1) != 0;
        const double part = at - static_cast<double>(low);
        weight *= is_high ? part : 1 - part;
        source[i + 2] = is_high ? std::min(low + 1, in - 1) : low;
      }
      sum += weight * input.data[static_cast<size_t>(input.offset(source))];
    }
    result.data.push_back(sum);
  });
  return {result};
}

Case make_case(std::string schema, std::vector<CaseArg> args) {
  Case made{.schema = std::move(schema), .args = std::move(args)};
  made.dtypes = {DType::kF32, DType::kBF16};
  return made;
}

// Batch and channels may be dynamic; the cases have 1 of them, so that sizes stay numbers.
std::vector<Case> nearest_cases() {
  const std::vector<double> twice = {2.0, 2.0};
  return {
      make_case("aten.upsample_nearest2d.vec", {TensorArg{{1, 2, 3, 4}}, Dims{7, 4}, NoneArg{}}),
      make_case("aten.upsample_nearest2d.vec", {TensorArg{{1, 2, 3, 4}}, NoneArg{}, twice}),
      make_case("aten.upsample_nearest1d.vec", {TensorArg{{1, 2, 5}}, Dims{8}, NoneArg{}}),
      make_case("aten.upsample_nearest3d.vec",
                {TensorArg{{1, 1, 2, 3, 2}}, Dims{4, 3, 4}, NoneArg{}})};
}
std::vector<Case> linear_cases() {
  const std::vector<double> twice = {2.0, 2.0};
  return {
      make_case("aten.upsample_bilinear2d.vec",
                {TensorArg{{1, 2, 3, 4}}, Dims{7, 9}, false, NoneArg{}}),
      make_case("aten.upsample_bilinear2d.vec",
                {TensorArg{{1, 2, 3, 4}}, Dims{5, 2}, true, NoneArg{}}),
      make_case("aten.upsample_bilinear2d.vec", {TensorArg{{1, 2, 3, 4}}, NoneArg{}, false, twice}),
      make_case("aten.upsample_linear1d.vec", {TensorArg{{1, 2, 5}}, Dims{8}, false, NoneArg{}})};
}

// Dynamic sizes: images of one element per dimension keep constant sizes.
std::vector<Case> with_dynamic_batch(std::vector<Case> cases, CaseArg align) {
  Case made = cases[0];
  made.args = {TensorArg{{3, 2, 1, 1}}, Dims{2, 2}};
  if (align.index() != 0) made.args.push_back(align);
  made.args.push_back(NoneArg{});
  made.dynamic = true;
  cases.push_back(made);
  return cases;
}

constexpr OpDef kDefs[] = {
    {.name = "upsample_linear",
     .schemas = kLinearSchemas,
     .kind = OpKind::kIndexing,
     .infer = infer,
     .element = linear_element,
     .reference = [](const RefArgs& args) { return reference(args, true); },
     .cases = [] { return with_dynamic_batch(linear_cases(), false); }},
    {.name = "upsample_nearest",
     .schemas = kNearestSchemas,
     .kind = OpKind::kIndexing,
     .infer = infer,
     .element = nearest_element,
     .reference = [](const RefArgs& args) { return reference(args, false); },
     .cases = [] { return with_dynamic_batch(nearest_cases(), NoneArg{}); }},
};

}  // namespace

extern constexpr OpFamily k_upsampling{kDefs};

}  // namespace ingot::ops
