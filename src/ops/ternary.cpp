// addcmul, addcdiv and lerp: formulas of three operands, rounded once.
#include <cmath>

#include "ops/broadcast.h"
#include "ops/family.h"
#include "ops/operand.h"
#include "ops/pointwise.h"
#include "ops/promotion.h"
#include "ops/term.h"

namespace ingot::ops {
namespace {

struct Row {
  RowSchemas schemas;
  std::array<std::string_view, 3> operands;
  bool has_factor;  // `value` multiplies the second operand
  Term (*formula)(const Term& a, const Term& b, const Term& c);
  double (*reference)(double a, double b, double c);
};

constexpr Row kRows[] = {
    {{"aten::addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor"},
     {"self", "tensor1", "tensor2"},
     true,
     [](const Term& a, const Term& b, const Term& c) { return a + b / c; },
     [](double a, double b, double c) { return a + b / c; }},
    {{"aten::addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor"},
     {"self", "tensor1", "tensor2"},
     true,
     [](const Term& a, const Term& b, const Term& c) { return a + b * c; },
     [](double a, double b, double c) { return a + b * c; }},
    {{"aten::lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor",
      "aten::lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor"},
     {"self", "end", "weight"},
     false,
     // From the nearer end, so that both ends are met exactly.
     [](const Term& a, const Term& b, const Term& weight) {
       return (abs(weight) < 0.5).select(a + weight * (b - a), b - (b - a) * (1 - weight));
     },
     [](double a, double b, double weight) { return a + weight * (b - a); }},
};

DType dtype_of(const Row& row, const Node& node) {
  return result_type(node, {row.operands[0], row.operands[1], row.operands[2]});
}

Scalar element(const Row& row, ElementBuilder& e, const Node& node, const Index& index) {
  const DType dtype = dtype_of(row, node);
  const Term a(e, exact_operand(e, node, row.operands[0], index, dtype));
  Term b(e, exact_operand(e, node, row.operands[1], index, dtype));
  const Term c(e, exact_operand(e, node, row.operands[2], index, dtype));
  if (row.has_factor && node.number("value") != 1) b = b * node.number("value");
  return e.cast(row.formula(a, b, c), dtype);
}

std::vector<RefTensor> reference(const Row& row, const RefArgs& args) {
  RefTensor b = args.tensor_or_number(row.operands[1]);
  if (row.has_factor) {
    for (double& x : b.data) x *= args.number("value");
  }
  return {zip3_reference(args, args.tensor_or_number(row.operands[0]), b,
                         args.tensor_or_number(row.operands[2]), row.reference)};
}

std::vector<Case> cases(const Row& row) {
  const TensorArg a{{3, 4}};
  const TensorArg c{{3, 4}, Fill::kPositive};
  std::vector<Case> all;
  for (std::string_view schema : used(row.schemas)) {
    const std::string name = schema_full_name(schema);
    if (name == "aten.lerp.Scalar") {
      for (double weight : {0.25, 0.75}) {
        all.push_back({name, {a, a, weight}, all_float_dtypes(), "", true});
      }
      continue;
    }
    all.push_back({name, {a, a, c}, all_float_dtypes(), "", true});
    all.push_back({name,
                   {TensorArg{{2, 1, 4}}, TensorArg{{3, 1}}, TensorArg{{4}, Fill::kPositive}},
                   all_float_dtypes(),
                   "broadcast",
                   true});
    all.push_back(
        {name, {TensorArg{{0}}, TensorArg{{1}}, TensorArg{{0}}}, float32_dtypes(), "empty"});
    if (row.has_factor) all.push_back({name, {a, a, c, 0.5}, all_float_dtypes(), "factor"});
  }
  return all;
}

struct Maker {
  template <size_t I>
  static constexpr OpDef def() {
    return {
        .name = schema_base(kRows[I].schemas[0]),
        .schemas = used(kRows[I].schemas),
        .kind = OpKind::kPointwise,
        .infer = [](const Node& node) -> std::vector<TensorType> {
          const auto& names = kRows[I].operands;
          return {
              {dtype_of(kRows[I], node), broadcast_sizes(node, {names[0], names[1], names[2]})}};
        },
        .element = [](ElementBuilder& e, const Node& node, uint32_t,
                      const Index& index) { return element(kRows[I], e, node, index); },
        .reference = [](const RefArgs& args) { return reference(kRows[I], args); },
        .cases = [] { return cases(kRows[I]); },
    };
  }
};
constexpr auto kDefs = make_family<Maker>(std::make_index_sequence<std::size(kRows)>{});

}  // namespace

extern constexpr OpFamily k_ternary{kDefs};

}  // namespace ingot::ops
