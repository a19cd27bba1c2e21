// Arithmetic of two operands that is one operation of the kernel language. Operators with a factor
// (add, sub) or special exponents (pow) have files of their own.
#include <algorithm>
#include <cmath>

#include "ops/family.h"
#include "ops/operand.h"
#include "ops/pointwise.h"
#include "ops/promotion.h"

namespace ingot::ops {
namespace {

struct Row {
  RowSchemas schemas;
  ScalarOp op;
  ScalarOp bool_op;  // on bools, which have no arithmetic
  bool to_float;     // integers become f32
  bool exact;        // the second operand is an exact_operand
  double (*reference)(double, double);
  Fill fill_a, fill_b;
  std::vector<DType> (*dtypes)();
};

double python_remainder(double a, double b) {
  const double rest = std::fmod(a, b);
  return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest;
}
double nan_min(double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b); }
double nan_max(double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b); }

constexpr Row kRows[] = {
    {{"aten::atan2(Tensor self, Tensor other) -> Tensor"},
     ScalarOp::kAtan2,
     ScalarOp::kAtan2,
     true,
     false,
     [](double a, double b) { return std::atan2(a, b); },
     Fill::kNormal,
     Fill::kNormal,
     number_dtypes},
    {{"aten::copysign.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::copysign.Scalar(Tensor self, Scalar other) -> Tensor"},
     ScalarOp::kCopysign,
     ScalarOp::kCopysign,
     true,
     false,
     [](double a, double b) { return std::copysign(a, b); },
     Fill::kNormal,
     Fill::kNormal,
     number_dtypes},
    {{"aten::fmax(Tensor self, Tensor other) -> Tensor"},
     ScalarOp::kFmax,
     ScalarOp::kOr,
     false,
     false,
     [](double a, double b) { return std::fmax(a, b); },
     Fill::kNormal,
     Fill::kNormal,
     computable_dtypes},
    {{"aten::fmin(Tensor self, Tensor other) -> Tensor"},
     ScalarOp::kFmin,
     ScalarOp::kAnd,
     false,
     false,
     [](double a, double b) { return std::fmin(a, b); },
     Fill::kNormal,
     Fill::kNormal,
     computable_dtypes},
    {{"aten::fmod.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::fmod.Scalar(Tensor self, Scalar other) -> Tensor"},
     ScalarOp::kFmod,
     ScalarOp::kFmod,
     false,
     false,
     [](double a, double b) { return std::fmod(a, b); },
     Fill::kNormal,
     Fill::kPositive,
     number_dtypes},
    {{"aten::hypot(Tensor self, Tensor other) -> Tensor"},
     ScalarOp::kHypot,
     ScalarOp::kHypot,
     false,
     false,
     [](double a, double b) { return std::hypot(a, b); },
     Fill::kNormal,
     Fill::kNormal,
     all_float_dtypes},
    {{"aten::maximum(Tensor self, Tensor other) -> Tensor",
      "aten::max.other(Tensor self, Tensor other) -> Tensor"},
     ScalarOp::kMax,
     ScalarOp::kOr,
     false,
     false,
     nan_max,
     Fill::kNormal,
     Fill::kNormal,
     computable_dtypes},
    {{"aten::minimum(Tensor self, Tensor other) -> Tensor",
      "aten::min.other(Tensor self, Tensor other) -> Tensor"},
     ScalarOp::kMin,
     ScalarOp::kAnd,
     false,
     false,
     nan_min,
     Fill::kNormal,
     Fill::kNormal,
     computable_dtypes},
    {{"aten::mul.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::mul.Scalar(Tensor self, Scalar other) -> Tensor"},
     ScalarOp::kMul,
     ScalarOp::kAnd,
     false,
     true,
     [](double a, double b) { return a * b; },
     Fill::kNormal,
     Fill::kNormal,
     computable_dtypes},
    {{"aten::nextafter(Tensor self, Tensor other) -> Tensor"},
     ScalarOp::kNextafter,
     ScalarOp::kNextafter,
     false,
     false,
     // Half a unit in the last place of f32 is not seen by the tolerance.
     [](double a, double b) {
       return double(std::nextafter(static_cast<float>(a), static_cast<float>(b)));
     },
     Fill::kNormal,
     Fill::kNormal,
     float32_dtypes},
    {{"aten::remainder.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::remainder.Scalar(Tensor self, Scalar other) -> Tensor",
      "aten::remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"},
     ScalarOp::kRemainder,
     ScalarOp::kRemainder,
     false,
     false,
     python_remainder,
     Fill::kNormal,
     Fill::kPositive,
     number_dtypes},
};

Scalar element(const Row& row, ElementBuilder& e, const Node& node, const Index& index) {
  DType dtype = result_type(node, {"self", "other"});
  if (row.to_float) dtype = to_float_type(dtype);
  const Scalar a = wide_operand(e, node, "self", index, dtype);
  const Scalar b = (row.exact ? exact_operand : wide_operand)(e, node, "other", index, dtype);
  return e.cast(e.apply(dtype == DType::kBool ? row.bool_op : row.op, a, b), dtype);
}

struct Maker {
  template <size_t I>
  static constexpr OpDef def() {
    return {
        .name = schema_base(kRows[I].schemas[0]),
        .schemas = used(kRows[I].schemas),
        .kind = OpKind::kPointwise,
        .infer = kRows[I].to_float ? infer_binary_float : infer_binary,
        .element = [](ElementBuilder& e, const Node& node, uint32_t,
                      const Index& index) { return element(kRows[I], e, node, index); },
        .reference = [](const RefArgs& args) -> std::vector<RefTensor> {
          return {zip_reference(args, args.tensor_or_number("self"), args.tensor_or_number("other"),
                                kRows[I].reference)};
        },
        .cases =
            [] {
              const Row& row = kRows[I];
              return binary_cases(used(row.schemas), row.fill_a, row.fill_b, row.dtypes());
            },
    };
  }
};
constexpr auto kDefs = make_family<Maker>(std::make_index_sequence<std::size(kRows)>{});

}  // namespace

extern constexpr OpFamily k_binary_math{kDefs};

}  // namespace ingot::ops
