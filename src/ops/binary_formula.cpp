// Formulas of two operands, computed in floating point unless they take integers.
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
  bool takes_integers;
  bool rounds_often;  // every operation rounds to the 16-bit float
  Term (*formula)(const Term& a, const Term& b);
  double (*reference)(double a, double b);
  Fill fill_a, fill_b;
};

// log(exp(a) + exp(b)) and its kin without overflow, for a base with exp and log1p in it.
Term log_add_exp(const Term& a, const Term& b, ScalarOp exponential, double log_base) {
  const Term high = max(a, b);
  const Term rest = log1p((-abs(a - b)).apply(exponential)) / log_base;
  // Equal infinities differ by NaN.
  return (isinf(a) & (a == b)).select(a, high + rest);
}

// a * log(b), and 0 where a is 0 unless b is NaN.
Term times_log(const Term& a, const Term& b, const Term& log_b) {
  return isnan(b).select(b, (a == 0).select(a.number(0), a * log_b));
}

constexpr Row kRows[] = {
    {{"aten::heaviside(Tensor self, Tensor values) -> Tensor"},
     true,
     false,
     [](const Term& a, const Term& b) {
       return (a == 0).select(b, (a > 0).select(a.number(1), a.number(0)));
     },
     [](double a, double b) { return a == 0 ? b : double(a > 0); },
     Fill::kNormal,
     Fill::kNormal},
    {{"aten::logaddexp(Tensor self, Tensor other) -> Tensor"},
     false,
     false,
     [](const Term& a, const Term& b) { return log_add_exp(a, b, ScalarOp::kExp, 1); },
     [](double a, double b) {
       return std::isinf(a) && a == b ? a
                                      : std::fmax(a, b) + std::log1p(std::exp(-std::abs(a - b)));
     },
     Fill::kNormal,
     Fill::kNormal},
    {{"aten::logaddexp2(Tensor self, Tensor other) -> Tensor"},
     false,
     false,
     [](const Term& a, const Term& b) { return log_add_exp(a, b, ScalarOp::kExp2, std::log(2.0)); },
     [](double a, double b) {
       if (std::isinf(a) && a == b) return a;
       return std::fmax(a, b) + std::log2(1 + std::exp2(-std::abs(a - b)));
     },
     Fill::kNormal,
     Fill::kNormal},
    {{"aten::special_xlog1py(Tensor self, Tensor other) -> Tensor",
      "aten::special_xlog1py.other_scalar(Tensor self, Scalar other) -> Tensor",
      "aten::special_xlog1py.self_scalar(Scalar self, Tensor other) -> Tensor"},
     false,
     true,
     [](const Term& a, const Term& b) { return times_log(a, b, log1p(b)); },
     [](double a, double b) { return std::isnan(b) ? b
                                     : a == 0      ? 0
                                                   : a * std::log1p(b); },
     Fill::kNormal,
     Fill::kPositive},
    {{"aten::xlogy.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::xlogy.Scalar_Other(Tensor self, Scalar other) -> Tensor",
      "aten::xlogy.Scalar_Self(Scalar self, Tensor other) -> Tensor",
      "aten::special_xlogy(Tensor self, Tensor other) -> Tensor",
      "aten::special_xlogy.other_scalar(Tensor self, Scalar other) -> Tensor"},
     false,
     true,
     [](const Term& a, const Term& b) { return times_log(a, b, log(b)); },
     [](double a, double b) { return std::isnan(b) ? b
                                     : a == 0      ? 0
                                                   : a * std::log(b); },
     Fill::kNormal,
     Fill::kPositive},
};

std::string_view second_name(const Node& node) {
  return node.has_param("other") ? "other" : "values";
}

DType dtype_of(const Row& row, const Node& node) {
  const DType dtype = result_type(node, {"self", second_name(node)});
  return row.takes_integers ? dtype : to_float_type(dtype);
}

Scalar element(const Row& row, ElementBuilder& e, const Node& node, const Index& index) {
  const DType dtype = dtype_of(row, node);
  const auto read = row.rounds_often ? operand : wide_operand;
  const Term a(e, read(e, node, "self", index, dtype));
  const Term b(e, read(e, node, second_name(node), index, dtype));
  return e.cast(row.formula(a, b), dtype);
}

struct Maker {
  template <size_t I>
  static constexpr OpDef def() {
    return {
        .name = schema_base(kRows[I].schemas[0]),
        .schemas = used(kRows[I].schemas),
        .kind = OpKind::kPointwise,
        .infer = [](const Node& node) -> std::vector<TensorType> {
          return {{dtype_of(kRows[I], node), broadcast_sizes(node, {"self", second_name(node)})}};
        },
        .element = [](ElementBuilder& e, const Node& node, uint32_t,
                      const Index& index) { return element(kRows[I], e, node, index); },
        .reference = [](const RefArgs& args) -> std::vector<RefTensor> {
          return {zip_reference(args, args.tensor_or_number("self"),
                                args.tensor_or_number(args.has("other") ? "other" : "values"),
                                kRows[I].reference)};
        },
        .cases =
            [] {
              const Row& row = kRows[I];
              return binary_cases(used(row.schemas), row.fill_a, row.fill_b,
                                  row.takes_integers ? number_dtypes() : all_float_dtypes());
            },
    };
  }
};
constexpr auto kDefs = make_family<Maker>(std::make_index_sequence<std::size(kRows)>{});

}  // namespace

extern constexpr OpFamily k_binary_formula{kDefs};

}  // namespace ingot::ops
