// Fake quantization: rounded to the grid of an integer type and back, per tensor or per channel.
// The forms with a mask also say which elements were within the grid.
#include <cmath>

#include "ops/index_space.h"
#include "ops/operand.h"
#include "ops/pointwise.h"
#include "ops/term.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kTensorSchemas[] = {
    "aten::fake_quantize_per_tensor_affine(Tensor self, float scale, int zero_point, int "
    "quant_min, int quant_max) -> Tensor",
    "aten::fake_quantize_per_tensor_affine.tensor_qparams(Tensor self, Tensor scale, Tensor "
    "zero_point, int quant_min, int quant_max) -> Tensor",
    "aten::fake_quantize_per_tensor_affine_cachemask(Tensor self, float scale, int zero_point, "
    "int quant_min, int quant_max) -> (Tensor output, Tensor mask)",
};
constexpr std::string_view kChannelSchemas[] = {
    "aten::fake_quantize_per_channel_affine(Tensor self, Tensor scale, Tensor zero_point, int "
    "axis, int quant_min, int quant_max) -> Tensor",
    "aten::fake_quantize_per_channel_affine_cachemask(Tensor self, Tensor scale, Tensor "
    "zero_point, int axis, int quant_min, int quant_max) -> (Tensor output, Tensor mask)",
};

std::vector<TensorType> infer(const Node& node) {
  const TensorType& self = node.tensor("self")->type;
  std::vector<TensorType> types = {self};
  if (node.op->schema.returns.size() == 2) types.push_back({DType::kBool, self.sizes});
  return types;
}

// A parameter of the grid at an element: one number, or that of the element's channel.
Term parameter(ElementBuilder& e, const Node& node, std::string_view name, const Index& index,
               DType dtype) {
  const ir::Arg& arg = node.arg(name);
  if (is_number(arg)) return {e, number_operand(e, arg, dtype)};
  const Value* tensor = node.tensor(name);
  Index at(static_cast<size_t>(tensor->rank()), sym::Expr(0));
  if (node.has_param("axis")) at = {index[normal_dim(node.constant("axis"), std::ssize(index))]};
  return {e, e.cast(e.load(tensor, at), dtype)};
}

Scalar element(ElementBuilder& e, const Node& node, uint32_t result, const Index& index) {
  const Value* self = node.tensor("self");
  const DType wide = compute_type(self->dtype());
  const Term x = Term(e, e.load(self, index)).cast(wide);
  const Term scale = parameter(e, node, "scale", index, wide);
  const Term zero = parameter(e, node, "zero_point", index, wide);
  const double low = static_cast<double>(node.constant("quant_min"));
  const double high = static_cast<double>(node.constant("quant_max"));
  const Term level = round(x * (1 / scale)) + zero;
  if (result == 1) return (level >= low) & (level <= high);
  return e.cast((clamp(level, low, high) - zero) * scale, self->dtype());
}

std::vector<RefTensor> reference(const RefArgs& args) {
  const RefTensor& self = args.tensor("self");
  const RefTensor scales = args.tensor_or_number("scale");
  const RefTensor zeros = args.tensor_or_number("zero_point");
  const double low = args.number("quant_min");
  const double high = args.number("quant_max");
  RefTensor output = self;
  RefTensor mask = self;
  mask.dtype = DType::kBool;
  for_each_index(self.sizes, [&, position = size_t{0}](const std::vector<int64_t>& index) mutable {
    size_t channel = 0;
    if (args.has("axis")) {
      channel = static_cast<size_t>(index[normal_dim(args.integer("axis"), std::ssize(index))]);
    }
    const double scale = scales.data[channel];
    const double zero = zeros.data[channel];
    const double level = std::nearbyint(self.data[position] / scale) + zero;
    output.data[position] = (std::min(std::max(level, low), high) - zero) * scale;
    mask.data[position++] = level >= low && level <= high;
  });
  if (args.result_sizes.size() == 1) return {output};
  return {output, mask};
}

std::vector<Case> tensor_cases() {
  const TensorArg self{{3, 5}};
  const int64_t zero = 3;
  const int64_t low = -8;
  const int64_t high = 12;
  const std::string name = "aten.fake_quantize_per_tensor_affine";
  return {
      {name + ".default", {self, 0.13, zero, low, high}, float32_dtypes(), "", true},
      {name + ".default", {TensorArg{{0}}, 0.13, zero, low, high}, float32_dtypes(), "empty"},
      {name + ".tensor_qparams",
       {self, TensorArg{{1}, Fill::kPositive, true, DType::kF32},
        TensorArg{{1}, Fill::kPositive, true, DType::kI32}, low, high},
       float32_dtypes(),
       "",
       true},
      {name + "_cachemask.default", {self, 0.13, zero, low, high}, float32_dtypes(), "", true},
  };
}

std::vector<Case> channel_cases() {
  const TensorArg self{{2, 3, 4}};
  const TensorArg scale{{3}, Fill::kPositive, true, DType::kF32};
  const TensorArg zero{{3}, Fill::kPositive, true, DType::kI32};
  const std::string name = "aten.fake_quantize_per_channel_affine";
  std::vector<Case> all;
  for (const char* form : {".default", "_cachemask.default"}) {
    all.push_back({name + form,
                   {self, scale, zero, int64_t{1}, int64_t{0}, int64_t{15}},
                   float32_dtypes(),
                   "",
                   true});
  }
  return all;
}

constexpr OpDef kDefs[] = {
    {
        .name = "fake_quantize_per_channel",
        .schemas = kChannelSchemas,
        .kind = OpKind::kPointwise,
        .infer = infer,
        .element = element,
        .reference = reference,
        .cases = channel_cases,
    },
    {
        .name = "fake_quantize_per_tensor",
        .schemas = kTensorSchemas,
        .kind = OpKind::kPointwise,
        .infer = infer,
        .element = element,
        .reference = reference,
        .cases = tensor_cases,
    },
};

}  // namespace

extern constexpr OpFamily k_fake_quantize{kDefs};

}  // namespace ingot::ops
