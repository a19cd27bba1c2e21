// Convolutions in all of PyTorch's spellings. A 1-dimensional one becomes 2-dimensional; the bias
// is added in the accumulation type, and the result rounded once.
#include <algorithm>

#include "ops/broadcast.h"
#include "ops/op_def.h"
#include "ops/reference_view.h"

namespace ingot::ops {
namespace {

using Dims = std::vector<int64_t>;

constexpr std::string_view kSchemas[] = {
    "aten::convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] "
    "padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups) -> "
    "Tensor",
    "aten::conv1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=1, SymInt[1] "
    "padding=0, SymInt[1] dilation=1, SymInt groups=1) -> Tensor",
    "aten::conv1d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=1, str "
    "padding=\"valid\", SymInt[1] dilation=1, SymInt groups=1) -> Tensor",
    "aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, SymInt[2] "
    "padding=0, SymInt[2] dilation=1, SymInt groups=1) -> Tensor",
    "aten::conv2d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, str "
    "padding=\"valid\", SymInt[2] dilation=1, SymInt groups=1) -> Tensor",
    "aten::conv3d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=1, SymInt[3] "
    "padding=0, SymInt[3] dilation=1, SymInt groups=1) -> Tensor",
    "aten::conv3d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=1, str "
    "padding=\"valid\", SymInt[3] dilation=1, SymInt groups=1) -> Tensor",
    "aten::conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=1, "
    "SymInt[1] padding=0, SymInt[1] output_padding=0, SymInt groups=1, SymInt[1] dilation=1) -> "
    "Tensor",
    "aten::conv_transpose2d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] "
    "stride=1, SymInt[2] padding=0, SymInt[2] output_padding=0, SymInt groups=1, SymInt[2] "
    "dilation=1) -> Tensor",
    "aten::conv_transpose3d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] "
    "stride=1, SymInt[3] padding=0, SymInt[3] output_padding=0, SymInt groups=1, SymInt[3] "
    "dilation=1) -> Tensor"};

// One value per spatial dimension; a single one stands for all.
Dims spread(Dims values, size_t count) {
  if (values.size() == 1) values.resize(count, values[0]);
  return values;
}

struct Setting {
  Dims stride, padding, dilation, output_padding;
  bool transposed = false;
};

// What the call asks for.
Setting setting_of(const Node& node, size_t spatial) {
  Setting setting;
  setting.stride = spread(node.constants("stride"), spatial);
  setting.dilation = spread(node.constants("dilation"), spatial);
  setting.transposed =
      node.has_param("transposed") ? node.flag("transposed") : node.has_param("output_padding");
  setting.output_padding = node.has_param("output_padding")
                               ? spread(node.constants("output_padding"), spatial)
                               : Dims(spatial, 0);
  if (!std::holds_alternative<std::string>(node.arg("padding"))) {
    setting.padding = spread(node.constants("padding"), spatial);
    return setting;
  }
  setting.padding.assign(spatial, 0);
  if (node.text("padding") != "same") return setting;
  for (size_t i = 0; i < spatial; ++i) {
    const auto window = node.tensor("weight")->type.sizes[i + 2].as_const();
    if (!window) throw CompileError(Diag::kUnsupportedCase, "a convolution window of dynamic size");
    const int64_t reach = setting.dilation[i] * (*window - 1);
    if (reach % 2 != 0) {
      throw CompileError(Diag::kUnsupportedCase,
                         "padding='same' that pads one side more than the other");
    }
    setting.padding[i] = reach / 2;
  }
  return setting;
}

// The operand with a batch dimension; PyTorch lets it be left out.
bool has_batch(const Node& node) {
  return node.tensor("input")->rank() == node.tensor("weight")->rank();
}

std::vector<Value*> decompose(ir::Builder& b, const Node& node) {
  Value* input = node.tensor("input");
  Value* weight = node.tensor("weight");
  const DType dtype = input->dtype();
  if (!has_batch(node)) input = b.unsqueeze(input, 0);
  Setting setting = setting_of(node, weight->type.sizes.size() - 2);
  const bool is_line = weight->rank() == 3;
  if (is_line) {
    input = b.unsqueeze(input, 2);
    weight = b.unsqueeze(weight, 2);
    setting.stride.insert(setting.stride.begin(), 1);
    setting.padding.insert(setting.padding.begin(), 0);
    setting.dilation.insert(setting.dilation.begin(), 1);
    setting.output_padding.insert(setting.output_padding.begin(), 0);
  }
  const auto list = [](const Dims& dims) { return Sizes(dims.begin(), dims.end()); };
  Value* result = b.call(
      "ingot.conv.default",
      {input, weight, list(setting.stride), list(setting.padding), list(setting.dilation),
       setting.transposed, list(setting.output_padding), node.arg("groups"), compute_type(dtype)});
  if (is_line) {
    result = b.reshape(result, {result->size(0), result->size(1), result->size(3)});
  }
  if (Value* bias = node.tensor_or_null("bias")) {
    Sizes sizes(static_cast<size_t>(result->rank()), sym::Expr(1));
    sizes[1] = bias->size(0);
    result = b.add(result, b.reshape(b.cast(bias, result->dtype()), sizes));
  }
  result = b.cast(result, dtype);
  if (!has_batch(node)) {
    result = b.reshape(result, Sizes(result->type.sizes.begin() + 1, result->type.sizes.end()));
  }
  return {result};
}

std::vector<TensorType> infer(const Node& node) {
  const Value* input = node.tensor("input");
  const Value* weight = node.tensor("weight");
  if (weight->rank() < 3 || (!has_batch(node) && input->rank() + 1 != weight->rank())) {
    throw CompileError(Diag::kShapeMismatch, "convolution of " + sizes_text(input->type.sizes) +
                                                 " with weight " + sizes_text(weight->type.sizes));
  }
  const size_t spatial = weight->type.sizes.size() - 2;
  const Setting setting = setting_of(node, spatial);
  const size_t first = has_batch(node) ? 2 : 1;
  TensorType type{input->dtype(), {}};
  if (has_batch(node)) type.sizes.push_back(input->size(0));
  type.sizes.push_back(setting.transposed ? weight->size(1) * node.integer("groups")
                                          : weight->size(0));
  for (size_t i = 0; i < spatial; ++i) {
    const sym::Expr& in = input->type.sizes[first + i];
    const sym::Expr reach = (weight->type.sizes[i + 2] - 1) * setting.dilation[i];
    type.sizes.push_back(
        setting.transposed
            ? (in - 1) * setting.stride[i] - 2 * setting.padding[i] + reach +
                  setting.output_padding[i] + 1
            : sym::floor_div(in + 2 * setting.padding[i] - reach - 1, setting.stride[i]) + 1);
  }
  return {type};
}

// Scatters every product to where it lands (transposed) or gathers it (not), by the definition.
std::vector<RefTensor> reference(const RefArgs& args) {
  RefTensor input = args.tensor("input");
  const RefTensor& weight = args.tensor("weight");
  const size_t spatial = weight.sizes.size() - 2;
  const bool batched = input.sizes.size() == weight.sizes.size();
  RefTensor result;
  result.dtype = args.result_dtype;
  result.sizes = args.result_sizes[0];
  if (!batched) {
    input.sizes.insert(input.sizes.begin(), 1);
    result.sizes.insert(result.sizes.begin(), 1);
  }
  const auto values = [&](const char* name) { return spread(args.integers(name), spatial); };
  const Dims stride = values("stride");
  const Dims dilation = values("dilation");
  Dims padding(spatial, 0);
  if (!std::holds_alternative<std::string>(args.arg("padding"))) {
    padding = values("padding");
  } else if (args.text("padding") == "same") {
    for (size_t i = 0; i < spatial; ++i) padding[i] = dilation[i] * (weight.sizes[i + 2] - 1) / 2;
  }
  const bool named =
      std::find(args.names.begin(), args.names.end(), "transposed") != args.names.end();
  const bool transposed =
      named ? args.flag("transposed")
            : std::find(args.names.begin(), args.names.end(), "output_padding") != args.names.end();
  const int64_t groups = args.integer("groups");
  result.data.assign(static_cast<size_t>(result.elements()), 0);
  const int64_t in_per_group = input.sizes[1] / groups;
  const int64_t out_per_group = result.sizes[1] / groups;
  // Small index space of products: for each weight element and each position of the tensor that is
  // walked with the stride.
  for_each_index(weight.sizes, [&](const Dims& w) {
    Dims walked_sizes(transposed ? input.sizes : result.sizes);
    walked_sizes[1] = groups;
    for_each_index(walked_sizes, [&](const Dims& p) {
      Dims in = p;
      Dims out = p;
      const int64_t group = p[1];
      in[1] = group * in_per_group + (transposed ? w[0] - group * in_per_group : w[1]);
      out[1] = group * out_per_group + (transposed ? w[1] : w[0] - group * out_per_group);
      if (transposed ? w[0] / in_per_group != group : w[0] / out_per_group != group) return;
      for (size_t i = 0; i < spatial; ++i) {
        const int64_t at = p[i + 2] * stride[i] - padding[i] + w[i + 2] * dilation[i];
        Dims& other = transposed ? out : in;
        if (at < 0 || at >= (transposed ? result : input).sizes[i + 2]) return;
        other[i + 2] = at;
      }
      result.data[static_cast<size_t>(result.offset(out))] +=
          input.data[static_cast<size_t>(input.offset(in))] *
          weight.data[static_cast<size_t>(weight.offset(w))];
    });
  });
  if (args.has("bias")) {
    size_t position = 0;
    for_each_index(result.sizes, [&](const Dims& index) {
      result.data[position++] += args.tensor("bias").data[static_cast<size_t>(index[1])];
    });
  }
  if (!batched) result.sizes.erase(result.sizes.begin());
  return {result};
}

Case make_case(std::string schema, Dims input, Dims weight, CaseArg bias,
               std::vector<CaseArg> more) {
  Case made{.schema = std::move(schema),
            .args = {TensorArg{std::move(input), Fill::kUnit},
                     TensorArg{std::move(weight), Fill::kUnit}, std::move(bias)}};
  made.args.insert(made.args.end(), more.begin(), more.end());
  made.dtypes = {DType::kF32, DType::kF16, DType::kBF16};
  return made;
}

std::vector<Case> cases() {
  return first_dynamic(
      {make_case("aten.conv2d.default", {2, 3, 9, 8}, {5, 3, 3, 3}, TensorArg{{5}},
                 {Dims{2, 2}, Dims{1, 1}}),
       make_case("aten.conv2d.default", {1, 6, 9, 8}, {6, 1, 3, 3}, TensorArg{{6}},
                 {Dims{1, 1}, Dims{1, 1}, Dims{1, 1}, int64_t{6}}),
       make_case("aten.conv2d.default", {3, 9, 8}, {5, 3, 1, 1}, NoneArg{}, {}),
       make_case("aten.conv2d.padding", {1, 3, 9, 8}, {5, 3, 3, 5}, NoneArg{},
                 {Dims{1, 1}, std::string("same")}),
       make_case("aten.conv1d.default", {2, 4, 20}, {6, 4, 3}, TensorArg{{6}}, {Dims{2}, Dims{1}}),
       make_case("aten.conv3d.default", {1, 2, 4, 5, 6}, {3, 2, 2, 3, 3}, TensorArg{{3}}, {}),
       make_case("aten.conv_transpose2d.input", {1, 4, 5, 4}, {4, 3, 3, 3}, TensorArg{{6}},
                 {Dims{2, 2}, Dims{1, 1}, Dims{1, 1}, int64_t{2}}),
       make_case("aten.conv_transpose1d.default", {1, 4, 7}, {4, 2, 3}, TensorArg{{2}}, {Dims{2}}),
       make_case("aten.convolution.default", {1, 3, 6, 6}, {4, 3, 3, 3}, TensorArg{{4}},
                 {Dims{1, 1}, Dims{1, 1}, Dims{1, 1}, false, Dims{0, 0}, int64_t{1}}),
       make_case("aten.conv1d.padding", {2, 4, 20}, {6, 4, 3}, NoneArg{},
                 {Dims{1}, std::string("same")}),
       make_case("aten.conv3d.padding", {1, 2, 4, 5, 6}, {3, 2, 2, 3, 3}, NoneArg{},
                 {Dims{1, 1, 1}, std::string("valid")}),
       make_case("aten.conv_transpose3d.input", {1, 2, 3, 4, 3}, {2, 3, 2, 2, 2}, NoneArg{},
                 {Dims{2, 1, 1}})});
}

}  // namespace

extern constexpr OpDef k_convolution{.name = "convolution",
                                     .schemas = kSchemas,
                                     .kind = OpKind::kComposite,
                                     .infer = infer,
                                     .decompose = decompose,
                                     .reference = reference,
                                     .cases = cases};

}  // namespace ingot::ops
