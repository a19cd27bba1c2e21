// Addition and subtraction, each with a factor for one operand.
#include "ops/family.h"
#include "ops/operand.h"
#include "ops/pointwise.h"
#include "ops/promotion.h"
#include "ops/term.h"
#include "support/diagnostics.h"

namespace ingot::ops {
namespace {

// minuend + alpha * scaled, or minuend - alpha * scaled.
struct Row {
  RowSchemas schemas;
  std::string_view minuend;  // the operand without a factor
  std::string_view scaled;   // the operand that alpha multiplies
  bool subtract;
};

constexpr Row kRows[] = {
    {{"aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
      "aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"},
     "self",
     "other",
     false},
    {{"aten::rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
      "aten::rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"},
     "other",
     "self",
     true},
    {{"aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
      "aten::sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"},
     "self",
     "other",
     true},
};

bool is_one(const ir::Arg& arg) {
  if (const auto* integer = std::get_if<sym::Expr>(&arg)) return integer->is_const(1);
  if (const auto* real = std::get_if<double>(&arg)) return *real == 1;
  return std::get<bool>(arg);
}

Scalar element(const Row& row, ElementBuilder& e, const Node& node, const Index& index) {
  const DType dtype = result_type(node, {"self", "other"});
  const Term a(e, wide_operand(e, node, row.minuend, index, dtype));
  Term b(e, wide_operand(e, node, row.scaled, index, dtype));
  if (dtype == DType::kBool) return row.subtract ? a != b : a | b;
  if (!is_one(node.arg("alpha"))) {
    b = b * Term(e, number_operand(e, node, "alpha", compute_type(dtype)));
  }
  return e.cast(row.subtract ? a - b : a + b, dtype);
}

std::vector<RefTensor> reference(const Row& row, const RefArgs& args) {
  const double factor = args.number("alpha") * (row.subtract ? -1 : 1);
  return {zip3_reference(args, args.tensor_or_number(row.minuend),
                         args.tensor_or_number(row.scaled), RefTensor{DType::kF64, {}, {factor}},
                         [](double a, double b, double alpha) { return a + alpha * b; })};
}

std::vector<Case> cases(const Row& row) {
  std::vector<DType> dtypes = row.subtract ? number_dtypes() : computable_dtypes();
  std::vector<Case> all = binary_cases(used(row.schemas), Fill::kNormal, Fill::kNormal, dtypes);
  for (Case& scaled : binary_cases(used(row.schemas), Fill::kNormal, Fill::kNormal, number_dtypes(),
                                   {int64_t{3}})) {
    scaled.name += "_alpha";
    all.push_back(std::move(scaled));
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
        .infer = infer_binary,
        .element = [](ElementBuilder& e, const Node& node, uint32_t,
                      const Index& index) { return element(kRows[I], e, node, index); },
        .reference = [](const RefArgs& args) { return reference(kRows[I], args); },
        .cases = [] { return cases(kRows[I]); },
    };
  }
};
constexpr auto kDefs = make_family<Maker>(std::make_index_sequence<std::size(kRows)>{});

}  // namespace

extern constexpr OpFamily k_add{kDefs};

}  // namespace ingot::ops
