// Questions about one number whose answer is a bool.
#include <cmath>

#include "ops/family.h"
#include "ops/operand.h"
#include "ops/pointwise.h"
#include "ops/term.h"

namespace ingot::ops {
namespace {

struct Row {
  std::string_view schema;
  Term (*of_float)(const Term& x);
  Term (*of_integer)(const Term& x);  // integers and bools
  double (*reference)(double x);
};

// A bool that does not depend on the number.
Term constant(const Term& x, bool value) { return x.of_bool(value); }

constexpr Row kRows[] = {
    {"aten::isfinite(Tensor self) -> Tensor", [](const Term& x) { return !(isnan(x) | isinf(x)); },
     [](const Term& x) { return constant(x, true); },
     [](double x) { return double(std::isfinite(x)); }},
    {"aten::isneginf(Tensor self) -> Tensor", [](const Term& x) { return x == -INFINITY; },
     [](const Term& x) { return constant(x, false); },
     [](double x) { return double(std::isinf(x) && x < 0); }},
    {"aten::isposinf(Tensor self) -> Tensor", [](const Term& x) { return x == INFINITY; },
     [](const Term& x) { return constant(x, false); },
     [](double x) { return double(std::isinf(x) && x > 0); }},
    {"aten::logical_not(Tensor self) -> Tensor", [](const Term& x) { return x == 0; },
     [](const Term& x) { return x == 0; }, [](double x) { return double(x == 0); }},
};

Scalar element(const Row& row, ElementBuilder& e, const Node& node, const Index& index) {
  const DType dtype = node.tensor("self")->type.dtype;
  const Term x(e, wide_operand(e, node, "self", index, dtype));
  return is_float(dtype) ? row.of_float(x) : row.of_integer(x);
}

struct Maker {
  template <size_t I>
  static constexpr OpDef def() {
    return {
        .name = schema_base(kRows[I].schema),
        .schemas = std::span(&kRows[I].schema, 1),
        .kind = OpKind::kPointwise,
        .infer = infer_bool,
        .element = [](ElementBuilder& e, const Node& node, uint32_t,
                      const Index& index) { return element(kRows[I], e, node, index); },
        .reference = [](const RefArgs& args) -> std::vector<RefTensor> {
          return {map_reference(args, args.tensor("self"), kRows[I].reference)};
        },
        .cases = [] { return unary_cases(kRows[I].schema, Fill::kNormal, computable_dtypes()); },
    };
  }
};
constexpr auto kDefs = make_family<Maker>(std::make_index_sequence<std::size(kRows)>{});

}  // namespace

extern constexpr OpFamily k_truth{kDefs};

}  // namespace ingot::ops
