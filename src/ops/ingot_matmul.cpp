// The matmul template: a[…, m, k] @ b[…, k, n] with batch dimensions that broadcast. The result's
// dtype is `dtype`, or the operands'; 16-bit operands accumulate in f32.
#include "ops/broadcast.h"
#include "ops/contraction.h"
#include "ops/op_def.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kSchemas[] = {
    "ingot::matmul(Tensor a, Tensor b, ScalarType? dtype=None) -> Tensor"};

std::vector<TensorType> infer(const Node& node) {
  const Value* a = node.tensor("a");
  const Value* b = node.tensor("b");
  if (a->rank() < 2 || a->rank() != b->rank() || a->dtype() != b->dtype()) {
    throw CompileError(Diag::kShapeMismatch, "matmul operands differ in rank or dtype");
  }
  const Sizes& x = a->type.sizes;
  const Sizes& y = b->type.sizes;
  if (provably_differ(x.back(), y[y.size() - 2])) {
    throw CompileError(Diag::kShapeMismatch, "matmul inner dimensions differ: " + sizes_text(x) +
                                                 " and " + sizes_text(y));
  }
  Sizes sizes = broadcast_sizes(Sizes(x.begin(), x.end() - 2), Sizes(y.begin(), y.end() - 2));
  sizes.push_back(x[x.size() - 2]);
  sizes.push_back(y.back());
  return {{node.dtype_or("dtype", a->dtype()), sizes}};
}

std::vector<RefTensor> reference(const RefArgs& args) {
  RefTensor result = matmul_reference(args.tensor("a"), args.tensor("b"));
  result.dtype = args.result_dtype;
  return {result};
}

std::vector<Case> cases() {
  const auto make = [](std::vector<int64_t> a, std::vector<int64_t> b) {
    Case made{.schema = "ingot.matmul.default",
              .args = {TensorArg{a, Fill::kUnit}, TensorArg{b, Fill::kUnit}},
              .dtypes = {DType::kF32, DType::kF16, DType::kBF16, DType::kF64},
              .dynamic = true};
    return made;
  };
  return {make({3, 5}, {5, 7}), make({1, 65}, {65, 33}), make({2, 1, 4, 6}, {1, 3, 6, 5}),
          make({17, 1}, {1, 19}), make({4, 0}, {0, 3})};
}

}  // namespace

extern constexpr OpDef k_ingot_matmul{.name = "ingot_matmul",
                                      .schemas = kSchemas,
                                      .kind = OpKind::kTemplate,
                                      .infer = infer,
                                      .reference = reference,
                                      .cases = cases};

}  // namespace ingot::ops
