// Functions of one number that are one operation of the kernel language.
#include <cmath>

#include "ops/family.h"
#include "ops/operand.h"
#include "ops/pointwise.h"
#include "ops/promotion.h"
#include "support/special_functions.h"

namespace ingot::ops {
namespace {

enum class Rule : uint8_t {
  kSame,      // the operand's dtype
  kRounding,  // the same; integers pass through
  kFloat,     // integers become f32
  kBool,
};

struct Row {
  std::string_view schema;
  Rule rule;
  ScalarOp op;
  double (*reference)(double);
  Fill fill;  // arguments at which the function is worth looking at
};

double sign_of(double x) { return (x > 0) - (x < 0); }

constexpr Row kRows[] = {
    {"aten::abs(Tensor self) -> Tensor", Rule::kSame, ScalarOp::kAbs,
     [](double x) { return std::abs(x); }, Fill::kNormal},
    {"aten::acos(Tensor self) -> Tensor", Rule::kFloat, ScalarOp::kAcos,
     [](double x) { return std::acos(x); }, Fill::kUnit},
    {"aten::acosh(Tensor self) -> Tensor", Rule::kFloat, ScalarOp::kAcosh,
     [](double x) { return std::acosh(x); }, Fill::kPositive},
    {"aten::asin(Tensor self) -> Tensor", Rule::kFloat, ScalarOp::kAsin,
     [](double x) { return std::asin(x); }, Fill::kUnit},
    {"aten::asinh(Tensor self) -> Tensor", Rule::kFloat, ScalarOp::kAsinh,
     [](double x) { return std::asinh(x); }, Fill::kNormal},
    {"aten::atan(Tensor self) -> Tensor", Rule::kFloat, ScalarOp::kAtan,
     [](double x) { return std::atan(x); }, Fill::kNormal},
    {"aten::atanh(Tensor self) -> Tensor", Rule::kFloat, ScalarOp::kAtanh,
     [](double x) { return std::atanh(x); }, Fill::kUnit},
    {"aten::ceil(Tensor self) -> Tensor", Rule::kRounding, ScalarOp::kCeil,
     [](double x) { return std::ceil(x); }, Fill::kNormal},
    {"aten::cos(Tensor self) -> Tensor", Rule::kFloat, ScalarOp::kCos,
     [](double x) { return std::cos(x); }, Fill::kNormal},
    {"aten::cosh(Tensor self) -> Tensor", Rule::kFloat, ScalarOp::kCosh,
     [](double x) { return std::cosh(x); }, Fill::kNormal},
    {"aten::digamma(Tensor self) -> Tensor", Rule::kFloat, ScalarOp::kDigamma, digamma,
     Fill::kPositive},
    {"aten::erf(Tensor self) -> Tensor", Rule::kFloat, ScalarOp::kErf,
     [](double x) { return std::erf(x); }, Fill::kNormal},
    {"aten::erfc(Tensor self) -> Tensor", Rule::kFloat, ScalarOp::kErfc,
     [](double x) { return std::erfc(x); }, Fill::kNormal},
    {"aten::erfinv(Tensor self) -> Tensor", Rule::kFloat, ScalarOp::kErfinv, erf_inverse,
     Fill::kUnit},
    {"aten::exp(Tensor self) -> Tensor", Rule::kFloat, ScalarOp::kExp,
     [](double x) { return std::exp(x); }, Fill::kNormal},
    {"aten::exp2(Tensor self) -> Tensor", Rule::kFloat, ScalarOp::kExp2,
     [](double x) { return std::exp2(x); }, Fill::kNormal},
    {"aten::expm1(Tensor self) -> Tensor", Rule::kFloat, ScalarOp::kExpm1,
     [](double x) { return std::expm1(x); }, Fill::kNormal},
    {"aten::floor(Tensor self) -> Tensor", Rule::kRounding, ScalarOp::kFloor,
     [](double x) { return std::floor(x); }, Fill::kNormal},
    {"aten::i0(Tensor self) -> Tensor", Rule::kFloat, ScalarOp::kI0, bessel_i0, Fill::kNormal},
    {"aten::isinf(Tensor self) -> Tensor", Rule::kBool, ScalarOp::kIsInf,
     [](double x) { return double(std::isinf(x)); }, Fill::kNormal},
    {"aten::isnan(Tensor self) -> Tensor", Rule::kBool, ScalarOp::kIsNan,
     [](double x) { return double(std::isnan(x)); }, Fill::kNormal},
    {"aten::lgamma(Tensor self) -> Tensor", Rule::kFloat, ScalarOp::kLgamma,
     [](double x) { return std::lgamma(x); }, Fill::kPositive},
    {"aten::log(Tensor self) -> Tensor", Rule::kFloat, ScalarOp::kLog,
     [](double x) { return std::log(x); }, Fill::kPositive},
    {"aten::log10(Tensor self) -> Tensor", Rule::kFloat, ScalarOp::kLog10,
     [](double x) { return std::log10(x); }, Fill::kPositive},
    {"aten::log1p(Tensor self) -> Tensor", Rule::kFloat, ScalarOp::kLog1p,
     [](double x) { return std::log1p(x); }, Fill::kPositive},
    {"aten::log2(Tensor self) -> Tensor", Rule::kFloat, ScalarOp::kLog2,
     [](double x) { return std::log2(x); }, Fill::kPositive},
    {"aten::neg(Tensor self) -> Tensor", Rule::kSame, ScalarOp::kNeg, [](double x) { return -x; },
     Fill::kNormal},
    {"aten::reciprocal(Tensor self) -> Tensor", Rule::kFloat, ScalarOp::kReciprocal,
     [](double x) { return 1 / x; }, Fill::kNormal},
    {"aten::round(Tensor self) -> Tensor", Rule::kRounding, ScalarOp::kRound,
     [](double x) { return std::nearbyint(x); }, Fill::kNormal},
    {"aten::rsqrt(Tensor self) -> Tensor", Rule::kFloat, ScalarOp::kRsqrt,
     [](double x) { return 1 / std::sqrt(x); }, Fill::kPositive},
    {"aten::sign(Tensor self) -> Tensor", Rule::kSame, ScalarOp::kSign, sign_of, Fill::kNormal},
    {"aten::signbit(Tensor self) -> Tensor", Rule::kBool, ScalarOp::kSignbit,
     [](double x) { return double(std::signbit(x)); }, Fill::kNormal},
    {"aten::sin(Tensor self) -> Tensor", Rule::kFloat, ScalarOp::kSin,
     [](double x) { return std::sin(x); }, Fill::kNormal},
    {"aten::sinh(Tensor self) -> Tensor", Rule::kFloat, ScalarOp::kSinh,
     [](double x) { return std::sinh(x); }, Fill::kNormal},
    {"aten::sqrt(Tensor self) -> Tensor", Rule::kFloat, ScalarOp::kSqrt,
     [](double x) { return std::sqrt(x); }, Fill::kPositive},
    {"aten::tan(Tensor self) -> Tensor", Rule::kFloat, ScalarOp::kTan,
     [](double x) { return std::tan(x); }, Fill::kUnit},
    {"aten::tanh(Tensor self) -> Tensor", Rule::kFloat, ScalarOp::kTanh,
     [](double x) { return std::tanh(x); }, Fill::kNormal},
    {"aten::trunc(Tensor self) -> Tensor", Rule::kRounding, ScalarOp::kTrunc,
     [](double x) { return std::trunc(x); }, Fill::kNormal},
};

Scalar element(const Row& row, ElementBuilder& e, const Node& node, const Index& index) {
  const DType dtype = node.tensor("self")->type.dtype;
  const DType input = row.rule == Rule::kFloat ? to_float_type(dtype) : dtype;
  const Scalar x = wide_operand(e, node, "self", index, input);
  if (row.rule == Rule::kRounding && !is_float(dtype)) return x;
  if (row.rule == Rule::kBool && !is_float(dtype) && row.op != ScalarOp::kSignbit) {
    return e.constant(DType::kBool, 0);
  }
  return e.cast(e.apply(row.op, x), row.rule == Rule::kBool ? DType::kBool : input);
}

struct Maker {
  template <size_t I>
  static constexpr OpDef def() {
    constexpr const Row& row = kRows[I];
    constexpr bool wide = row.rule == Rule::kFloat;
    return {
        .name = schema_base(row.schema),
        .schemas = std::span(&row.schema, 1),
        .kind = OpKind::kPointwise,
        .infer = wide                      ? infer_float
                 : row.rule == Rule::kBool ? infer_bool
                                           : infer_same,
        .element = [](ElementBuilder& e, const Node& node, uint32_t,
                      const Index& index) { return element(kRows[I], e, node, index); },
        .reference = [](const RefArgs& args) -> std::vector<RefTensor> {
          return {map_reference(args, args.tensor("self"), kRows[I].reference)};
        },
        .cases =
            [] {
              return unary_cases(
                  kRows[I].schema, kRows[I].fill,
                  kRows[I].rule == Rule::kFloat ? computable_dtypes() : number_dtypes());
            },
    };
  }
};
constexpr auto kDefs = make_family<Maker>(std::make_index_sequence<std::size(kRows)>{});

}  // namespace

extern constexpr OpFamily k_unary_math{kDefs};

}  // namespace ingot::ops
