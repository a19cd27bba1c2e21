// Matrix products of any ranks: matmul, mm, bmm, and with something added: addmm, baddbmm.
#include "ops/broadcast.h"
#include "ops/contraction.h"
#include "ops/op_def.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kMatmulSchemas[] = {"aten::matmul(Tensor self, Tensor other) -> Tensor",
                                               "aten::dot(Tensor self, Tensor tensor) -> Tensor",
                                               "aten::mv(Tensor self, Tensor vec) -> Tensor"};
constexpr std::string_view kMmSchemas[] = {"aten::mm(Tensor self, Tensor mat2) -> Tensor",
                                           "aten::bmm(Tensor self, Tensor mat2) -> Tensor"};
constexpr std::string_view kAddmmSchemas[] = {
    "aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> "
    "Tensor",
    "aten::baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) "
    "-> Tensor"};

// The names of the two factors: every schema above ends its tensors with them.
struct Factors {
  std::string_view lhs, rhs;
};
Factors factors_of(const std::vector<ir::Param>& params) {
  size_t last = 0;
  while (last + 1 < params.size() && params[last + 1].kind == ir::ArgKind::kTensor) ++last;
  return {params[last - 1].name, params[last].name};
}

Sizes product_sizes(const Sizes& a, const Sizes& b) {
  if (a.empty() || b.empty() || provably_differ(a.back(), b.size() == 1 ? b[0] : b[b.size() - 2])) {
    throw CompileError(Diag::kShapeMismatch, "matmul inner dimensions differ: " + sizes_text(a) +
                                                 " and " + sizes_text(b));
  }
  const auto batch = [](const Sizes& s) {
    return s.size() > 2 ? Sizes(s.begin(), s.end() - 2) : Sizes{};
  };
  Sizes sizes = broadcast_sizes(batch(a), batch(b));
  if (a.size() > 1) sizes.push_back(a[a.size() - 2]);
  if (b.size() > 1) sizes.push_back(b.back());
  return sizes;
}

std::vector<TensorType> infer(const Node& node) {
  const Factors names = factors_of(node.op->schema.params);
  const Value* lhs = node.tensor(names.lhs);
  return {{lhs->dtype(), product_sizes(lhs->type.sizes, node.tensor(names.rhs)->type.sizes)}};
}

// The product in the accumulation type, in the sizes that PyTorch gives it.
Value* wide_product(ir::Builder& b, Value* lhs, Value* rhs) {
  const Sizes sizes = product_sizes(lhs->type.sizes, rhs->type.sizes);
  if (lhs->rank() == 1) lhs = b.unsqueeze(lhs, 0);
  if (rhs->rank() == 1) rhs = b.unsqueeze(rhs, 1);
  if (rhs->rank() == 2 && lhs->rank() > 2) {
    // One matrix for all rows: fold the batch into them.
    const Sizes& from = lhs->type.sizes;
    const Sizes leading(from.begin(), from.end() - 1);
    return b.reshape(wide_matmul(b, b.reshape(lhs, {sym::product(leading), from.back()}), rhs),
                     sizes);
  }
  while (lhs->rank() < rhs->rank()) lhs = b.unsqueeze(lhs, 0);
  while (rhs->rank() < lhs->rank()) rhs = b.unsqueeze(rhs, 0);
  return b.reshape(wide_matmul(b, lhs, rhs), sizes);
}

std::vector<Value*> decompose(ir::Builder& b, const Node& node) {
  const Factors names = factors_of(node.op->schema.params);
  Value* lhs = node.tensor(names.lhs);
  return {b.cast(wide_product(b, lhs, node.tensor(names.rhs)), lhs->dtype())};
}

// beta * self + alpha * product, rounded once. Integers keep to integers.
std::vector<Value*> decompose_addmm(ir::Builder& b, const Node& node) {
  const Factors names = factors_of(node.op->schema.params);
  Value* lhs = node.tensor(names.lhs);
  Value* result = wide_product(b, lhs, node.tensor(names.rhs));
  if (node.number("alpha") != 1) {
    result = b.call("aten.mul.Scalar", {result, node.arg("alpha")});
  }
  if (node.number("beta") != 0) {
    Value* self = b.cast(node.tensor("self"), result->dtype());
    if (node.number("beta") != 1) self = b.call("aten.mul.Scalar", {self, node.arg("beta")});
    result = b.add(result, self);
  }
  return {b.cast(result, lhs->dtype())};
}

RefTensor reference_product(const RefArgs& args) {
  size_t last = 0;
  while (last + 1 < args.names.size() && args.is_tensor(args.names[last + 1])) ++last;
  RefTensor a = args.tensor(args.names[last - 1]);
  RefTensor b = args.tensor(args.names[last]);
  if (a.sizes.size() == 1) a.sizes.insert(a.sizes.begin(), 1);
  if (b.sizes.size() == 1) b.sizes.push_back(1);
  while (a.sizes.size() < b.sizes.size()) a.sizes.insert(a.sizes.begin(), 1);
  while (b.sizes.size() < a.sizes.size()) b.sizes.insert(b.sizes.begin(), 1);
  RefTensor result = matmul_reference(a, b);
  result.dtype = args.result_dtype;
  result.sizes = args.result_sizes[0];
  return result;
}

std::vector<RefTensor> addmm_reference(const RefArgs& args) {
  RefTensor result = reference_product(args);
  const RefTensor& self = args.tensor("self");
  size_t position = 0;
  for_each_index(result.sizes, [&](const std::vector<int64_t>& index) {
    std::vector<int64_t> at(index.end() - static_cast<long>(self.sizes.size()), index.end());
    for (size_t i = 0; i < at.size(); ++i) {
      if (self.sizes[i] == 1) at[i] = 0;
    }
    double& element = result.data[position++];
    element = args.number("alpha") * element;
    if (args.number("beta") != 0) {
      element += args.number("beta") * self.data[static_cast<size_t>(self.offset(at))];
    }
  });
  return {result};
}

Case make_case(std::string schema, std::vector<std::vector<int64_t>> tensors,
               std::vector<CaseArg> more = {}) {
  Case made{.schema = std::move(schema)};
  for (std::vector<int64_t>& sizes : tensors) made.args.push_back(TensorArg{sizes, Fill::kUnit});
  made.args.insert(made.args.end(), more.begin(), more.end());
  made.dtypes = {DType::kF32, DType::kF16, DType::kBF16, DType::kF64};
  made.dynamic = true;
  return made;
}

std::vector<Case> matmul_cases() {
  return {make_case("aten.matmul.default", {{3, 5}, {5, 7}}),
          make_case("aten.matmul.default", {{2, 3, 5}, {5, 7}}),
          make_case("aten.matmul.default", {{5}, {2, 5, 7}}),
          make_case("aten.matmul.default", {{2, 1, 4, 5}, {3, 5, 6}}),
          make_case("aten.matmul.default", {{4, 5}, {5}}),
          make_case("aten.dot.default", {{9}, {9}}),
          make_case("aten.mv.default", {{4, 9}, {9}})};
}
std::vector<Case> mm_cases() {
  return {make_case("aten.mm.default", {{3, 5}, {5, 7}}),
          make_case("aten.bmm.default", {{2, 3, 5}, {2, 5, 7}})};
}
std::vector<Case> addmm_cases() {
  return {make_case("aten.addmm.default", {{7}, {3, 5}, {5, 7}}),
          make_case("aten.addmm.default", {{3, 1}, {3, 5}, {5, 7}}, {0.5, 2.0}),
          make_case("aten.baddbmm.default", {{2, 3, 7}, {2, 3, 5}, {2, 5, 7}}, {int64_t{0}})};
}

constexpr OpDef kDefs[] = {
    {.name = "addmm",
     .schemas = kAddmmSchemas,
     .kind = OpKind::kComposite,
     .infer = infer,
     .decompose = decompose_addmm,
     .reference = addmm_reference,
     .cases = addmm_cases},
    {.name = "matmul",
     .schemas = kMatmulSchemas,
     .kind = OpKind::kComposite,
     .infer = infer,
     .decompose = decompose,
     .reference = [](const RefArgs& args) -> std::vector<RefTensor> {
       return {reference_product(args)};
     },
     .cases = matmul_cases},
    {.name = "mm",
     .schemas = kMmSchemas,
     .kind = OpKind::kComposite,
     .infer = infer,
     .decompose = decompose,
     .reference = [](const RefArgs& args) -> std::vector<RefTensor> {
       return {reference_product(args)};
     },
     .cases = mm_cases},
};

}  // namespace

extern constexpr OpFamily k_matmul{kDefs};

}  // namespace ingot::ops
