// Triangles of matrices and the identity matrix: conditions on row and column.
#include "ops/operand.h"
#include "ops/pointwise.h"
#include "ops/promotion.h"
#include "support/diagnostics.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kTrilSchemas[] = {
    "aten::tril(Tensor self, SymInt diagonal=0) -> Tensor"};
constexpr std::string_view kTriuSchemas[] = {
    "aten::triu(Tensor self, SymInt diagonal=0) -> Tensor"};
constexpr std::string_view kEyeSchemas[] = {
    "aten::eye(SymInt n, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None) -> Tensor",
    "aten::eye.m(SymInt n, SymInt m, *, ScalarType? dtype=None, Layout? layout=None, "
    "Device? device=None, bool? pin_memory=None) -> Tensor",
};

std::vector<TensorType> infer_triangle(const Node& node) {
  if (node.tensor("self")->rank() < 2) {
    throw CompileError(Diag::kShapeMismatch, "a triangle of a tensor with fewer than 2 dimensions");
  }
  return infer_same(node);
}

template <bool kLower>
Scalar triangle_element(ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
  const Value* self = node.tensor("self");
  const sym::Expr offset = index.back() - index[index.size() - 2];
  const sym::Expr diagonal = node.integer("diagonal");
  const Scalar keeps = e.condition(kLower ? sym::le(offset, diagonal) : sym::le(diagonal, offset));
  return e.select(keeps, e.load(self, index), e.number(self->dtype(), 0));
}

template <bool kLower>
std::vector<RefTensor> triangle_reference(const RefArgs& args) {
  RefTensor result = args.tensor("self");
  const int64_t columns = result.sizes.back();
  const int64_t rows = result.sizes[result.sizes.size() - 2];
  for (int64_t i = 0; i < result.elements(); ++i) {
    const int64_t offset = i % columns - i / columns % rows;
    const int64_t diagonal = args.integer("diagonal");
    if (kLower ? offset > diagonal : offset < diagonal) result.data[static_cast<size_t>(i)] = 0;
  }
  return {result};
}

std::vector<Case> triangle_cases(const std::string& name) {
  std::vector<Case> all = {
      {name, {TensorArg{{4, 5}}}, computable_dtypes(), "", true},
      {name, {TensorArg{{0, 3}}}, float32_dtypes(), "empty"},
      {name, {TensorArg{{6, 6}, Fill::kSpecial}}, all_float_dtypes(), "special"},
  };
  for (const int64_t diagonal : {-6, -1, 1, 2, 7}) {
    all.push_back({name, {TensorArg{{2, 4, 3}}, diagonal}, float32_dtypes(), "diagonal", true});
  }
  return all;
}
std::vector<Case> tril_cases() { return triangle_cases("aten.tril.default"); }
std::vector<Case> triu_cases() { return triangle_cases("aten.triu.default"); }

std::vector<TensorType> infer_eye(const Node& node) {
  const sym::Expr rows = node.integer("n");
  const sym::Expr columns = node.has_param("m") ? node.integer("m") : rows;
  return {{node.dtype_or("dtype", DType::kF32), {rows, columns}}};
}

Scalar eye_element(ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
  return e.cast(e.condition(sym::eq(index[0], index[1])), node.dtype_or("dtype", DType::kF32));
}

std::vector<RefTensor> eye_reference(const RefArgs& args) {
  RefTensor result{args.result_dtype, args.result_sizes[0], {}};
  for (int64_t i = 0; i < result.elements(); ++i) {
    result.data.push_back(i / result.sizes[1] == i % result.sizes[1] ? 1 : 0);
  }
  return {result};
}

std::vector<Case> eye_cases() {
  return {
      {"aten.eye.default", {int64_t{4}}, float32_dtypes(), "", true, {"n"}},
      {"aten.eye.default", {int64_t{3}, DType::kI64}, float32_dtypes(), "int"},
      {"aten.eye.m", {int64_t{3}, int64_t{5}}, float32_dtypes(), "", true, {"n", "m"}},
      {"aten.eye.m", {int64_t{0}, int64_t{5}, DType::kBool}, float32_dtypes(), "empty"},
  };
}

constexpr OpDef kDefs[] = {
    {
        .name = "eye",
        .schemas = kEyeSchemas,
        .kind = OpKind::kPointwise,
        .infer = infer_eye,
        .element = eye_element,
        .reference = eye_reference,
        .cases = eye_cases,
    },
    {
        .name = "tril",
        .schemas = kTrilSchemas,
        .kind = OpKind::kPointwise,
        .infer = infer_triangle,
        .element = triangle_element<true>,
        .reference = triangle_reference<true>,
        .cases = tril_cases,
    },
    {
        .name = "triu",
        .schemas = kTriuSchemas,
        .kind = OpKind::kPointwise,
        .infer = infer_triangle,
        .element = triangle_element<false>,
        .reference = triangle_reference<false>,
        .cases = triu_cases,
    },
};

}  // namespace

extern constexpr OpFamily k_triangle{kDefs};

}  // namespace ingot::ops
