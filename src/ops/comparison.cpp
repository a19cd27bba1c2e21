// Comparisons: the operands are promoted, the result is bool.
#include "ops/family.h"
#include "ops/operand.h"
#include "ops/pointwise.h"
#include "ops/promotion.h"

namespace ingot::ops {
namespace {

struct Row {
  RowSchemas schemas;
  ScalarOp op;
  double (*reference)(double, double);
};

constexpr Row kRows[] = {
    {{"aten::eq.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::eq.Scalar(Tensor self, Scalar other) -> Tensor"},
     ScalarOp::kEq,
     [](double a, double b) { return double(a == b); }},
    {{"aten::ge.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::ge.Scalar(Tensor self, Scalar other) -> Tensor"},
     ScalarOp::kGe,
     [](double a, double b) { return double(a >= b); }},
    {{"aten::gt.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::gt.Scalar(Tensor self, Scalar other) -> Tensor"},
     ScalarOp::kGt,
     [](double a, double b) { return double(a > b); }},
    {{"aten::le.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::le.Scalar(Tensor self, Scalar other) -> Tensor"},
     ScalarOp::kLe,
     [](double a, double b) { return double(a <= b); }},
    {{"aten::lt.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::lt.Scalar(Tensor self, Scalar other) -> Tensor"},
     ScalarOp::kLt,
     [](double a, double b) { return double(a < b); }},
    {{"aten::ne.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::ne.Scalar(Tensor self, Scalar other) -> Tensor"},
     ScalarOp::kNe,
     [](double a, double b) { return double(a != b); }},
};

Scalar element(const Row& row, ElementBuilder& e, const Node& node, const Index& index) {
  const DType dtype = result_type(node, {"self", "other"});
  return e.apply(row.op, wide_operand(e, node, "self", index, dtype),
                 wide_operand(e, node, "other", index, dtype));
}

struct Maker {
  template <size_t I>
  static constexpr OpDef def() {
    return {
        .name = schema_base(kRows[I].schemas[0]),
        .schemas = used(kRows[I].schemas),
        .kind = OpKind::kPointwise,
        .infer = infer_binary_bool,
        .element = [](ElementBuilder& e, const Node& node, uint32_t,
                      const Index& index) { return element(kRows[I], e, node, index); },
        .reference = [](const RefArgs& args) -> std::vector<RefTensor> {
          return {zip_reference(args, args.tensor_or_number("self"), args.tensor_or_number("other"),
                                kRows[I].reference)};
        },
        .cases =
            [] {
              return binary_cases(used(kRows[I].schemas), Fill::kNormal, Fill::kNormal,
                                  computable_dtypes());
            },
    };
  }
};
constexpr auto kDefs = make_family<Maker>(std::make_index_sequence<std::size(kRows)>{});

}  // namespace

extern constexpr OpFamily k_comparison{kDefs};

}  // namespace ingot::ops
