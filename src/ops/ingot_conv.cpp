// The convolution template, over one to three spatial dimensions, without bias.
#include <optional>

#include "ops/broadcast.h"
#include "ops/index_space.h"
#include "ops/op_def.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kSchemas[] = {
    "ingot::conv(Tensor input, Tensor weight, int[] stride, int[] padding, int[] dilation, "
    "bool transposed, int[] output_padding, int groups, ScalarType? dtype=None) -> Tensor"};

std::vector<TensorType> infer(const Node& node) {
  const Value* input = node.tensor("input");
  const Value* weight = node.tensor("weight");
  const std::vector<int64_t> stride = node.constants("stride");
  const std::vector<int64_t> padding = node.constants("padding");
  const std::vector<int64_t> dilation = node.constants("dilation");
  const std::vector<int64_t> extra = node.constants("output_padding");
  const bool transposed = node.flag("transposed");
  const int64_t groups = node.constant("groups");
  if (input->rank() < 3 || input->rank() != weight->rank()) {
    throw CompileError(Diag::kShapeMismatch, "convolution of " + sizes_text(input->type.sizes) +
                                                 " with weight " + sizes_text(weight->type.sizes));
  }
  const sym::Expr channels = transposed ? weight->size(0) : weight->size(1) * groups;
  if (provably_differ(input->size(1), channels)) {
    throw CompileError(Diag::kShapeMismatch,
                       "convolution weight " + sizes_text(weight->type.sizes) +
                           " does not fit input " + sizes_text(input->type.sizes));
  }
  Sizes sizes = {input->size(0), transposed ? weight->size(1) * groups : weight->size(0)};
  for (size_t i = 0; i + 2 < input->type.sizes.size(); ++i) {
    const sym::Expr& in = input->type.sizes[i + 2];
    const sym::Expr window = (weight->type.sizes[i + 2] - 1) * dilation[i];
    if (transposed) {
      sizes.push_back((in - 1) * stride[i] - 2 * padding[i] + window + extra[i] + 1);
    } else {
      sizes.push_back(sym::floor_div(in + 2 * padding[i] - window - 1, stride[i]) + 1);
    }
  }
  return {{node.dtype_or("dtype", input->dtype()), sizes}};
}

// Where window position `k` reads the input for output position `out`, if inside.
std::optional<int64_t> input_position(bool transposed, int64_t out, int64_t k, int64_t stride,
                                      int64_t padding, int64_t dilation, int64_t size) {
  int64_t position = 0;
  if (transposed) {
    const int64_t spread = out + padding - k * dilation;
    if (spread < 0 || spread % stride != 0) return std::nullopt;
    position = spread / stride;
  } else {
    position = out * stride - padding + k * dilation;
  }
  if (position < 0 || position >= size) return std::nullopt;
  return position;
}

std::vector<RefTensor> reference(const RefArgs& args) {
  const RefTensor& input = args.tensor("input");
  const RefTensor& weight = args.tensor("weight");
  const std::vector<int64_t> stride = args.integers("stride");
  const std::vector<int64_t> padding = args.integers("padding");
  const std::vector<int64_t> dilation = args.integers("dilation");
  const bool transposed = args.flag("transposed");
  const int64_t groups = args.integer("groups");
  const int64_t in_per_group = input.sizes[1] / groups;
  RefTensor result;
  result.dtype = args.result_dtype;
  result.sizes = args.result_sizes[0];
  const int64_t out_per_group = result.sizes[1] / groups;
  const std::vector<int64_t> window(weight.sizes.begin() + 2, weight.sizes.end());
  for_each_index(result.sizes, [&](const std::vector<int64_t>& out) {
    const int64_t group = out[1] / out_per_group;
    double sum = 0;
    for (int64_t c = 0; c < in_per_group; ++c) {
      for_each_index(window, [&](const std::vector<int64_t>& k) {
        std::vector<int64_t> in = {out[0], group * in_per_group + c};
        std::vector<int64_t> at = transposed ? std::vector<int64_t>{in[1], out[1] % out_per_group}
                                             : std::vector<int64_t>{out[1], c};
        for (size_t i = 0; i < k.size(); ++i) {
          const auto position = input_position(transposed, out[i + 2], k[i], stride[i], padding[i],
                                               dilation[i], input.sizes[i + 2]);
          if (!position) return;
          in.push_back(*position);
          at.push_back(k[i]);
        }
        sum += input.data[static_cast<size_t>(input.offset(in))] *
               weight.data[static_cast<size_t>(weight.offset(at))];
      });
    }
    result.data.push_back(sum);
  });
  return {result};
}

struct Setting {
  std::vector<int64_t> input, weight, stride, padding, dilation;
  bool transposed = false;
  std::vector<int64_t> extra;
  int64_t groups = 1;
};

std::vector<Case> cases() {
  const Setting settings[] = {
      {{2, 3, 9, 8}, {5, 3, 3, 3}, {1, 1}, {1, 1}, {1, 1}, false, {0, 0}, 1},
      {{1, 4, 9, 11}, {6, 4, 3, 2}, {2, 3}, {0, 1}, {2, 1}, false, {0, 0}, 1},
      {{2, 8, 7, 7}, {8, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}, false, {0, 0}, 8},
      {{2, 8, 7, 7}, {16, 1, 5, 5}, {2, 2}, {2, 2}, {1, 1}, false, {0, 0}, 8},
      {{1, 6, 5, 5}, {4, 3, 1, 1}, {1, 1}, {0, 0}, {1, 1}, false, {0, 0}, 2},
      {{1, 16, 6, 6}, {24, 16, 1, 1}, {1, 1}, {0, 0}, {1, 1}, false, {0, 0}, 1},
      {{2, 4, 20}, {6, 4, 3}, {2}, {1}, {1}, false, {0}, 1},
      {{1, 2, 4, 5, 6}, {3, 2, 2, 3, 3}, {1, 2, 1}, {0, 1, 1}, {1, 1, 1}, false, {0, 0, 0}, 1},
      {{1, 4, 5, 4}, {4, 3, 3, 3}, {2, 2}, {1, 1}, {1, 1}, true, {1, 1}, 1},
      {{1, 4, 7}, {4, 2, 3}, {2}, {0}, {1}, true, {0}, 2},
  };
  std::vector<Case> result;
  for (const Setting& s : settings) {
    Case made{.schema = "ingot.conv.default",
              .args = {TensorArg{s.input, Fill::kUnit}, TensorArg{s.weight, Fill::kUnit}, s.stride,
                       s.padding, s.dilation, s.transposed, s.extra, s.groups},
              .dtypes = {DType::kF32, DType::kF16, DType::kBF16}};
    result.push_back(made);
  }
  return first_dynamic(result);
}

}  // namespace

extern constexpr OpDef k_ingot_conv{.name = "ingot_conv",
                                    .schemas = kSchemas,
                                    .kind = OpKind::kTemplate,
                                    .infer = infer,
                                    .reference = reference,
                                    .cases = cases};

}  // namespace ingot::ops
