// Powers in double precision, whatever the operands are.
#include <cmath>

#include "ops/broadcast.h"
#include "ops/operand.h"
#include "ops/pointwise.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kSchemas[] = {
    "aten::float_power.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor",
    "aten::float_power.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor",
    "aten::float_power.Scalar(Scalar self, Tensor exponent) -> Tensor",
};

std::vector<TensorType> infer(const Node& node) {
  return {{DType::kF64, broadcast_sizes(node, {"self", "exponent"})}};
}

ir::Arg as_double(ir::Builder& b, const ir::Arg& arg) {
  const auto* value = std::get_if<Value*>(&arg);
  return value ? ir::Arg(b.cast(*value, DType::kF64)) : arg;
}

std::vector<Value*> decompose(ir::Builder& b, const Node& node) {
  return {b.call("aten.pow." + node.op->schema.overload,
                 {as_double(b, node.arg("self")), as_double(b, node.arg("exponent"))})};
}

std::vector<RefTensor> reference(const RefArgs& args) {
  return {zip_reference(args, args.tensor_or_number("self"), args.tensor_or_number("exponent"),
                        [](double a, double b) { return std::pow(a, b); })};
}

std::vector<Case> cases() {
  return binary_cases(kSchemas, Fill::kPositive, Fill::kPositive, number_dtypes());
}

}  // namespace

extern constexpr OpDef k_float_power{
    .name = "float_power",
    .schemas = kSchemas,
    .kind = OpKind::kComposite,
    .infer = infer,
    .decompose = decompose,
    .reference = reference,
    .cases = cases,
};

}  // namespace ingot::ops
