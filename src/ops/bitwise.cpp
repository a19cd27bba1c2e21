// Bitwise and logical operators of two operands, and shifts.
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
  bool logical;  // on the truth values of any dtype; the result is bool
  double (*reference)(double, double);
  Fill fill_b;
  std::vector<DType> (*dtypes)();
};

double bits_and(double a, double b) {
  return static_cast<double>(static_cast<int64_t>(a) & static_cast<int64_t>(b));
}
double bits_or(double a, double b) {
  return static_cast<double>(static_cast<int64_t>(a) | static_cast<int64_t>(b));
}
double bits_xor(double a, double b) {
  return static_cast<double>(static_cast<int64_t>(a) ^ static_cast<int64_t>(b));
}
double shift_left(double a, double b) { return a * std::exp2(b); }
double shift_right(double a, double b) { return std::floor(a / std::exp2(b)); }

std::vector<DType> int_and_bool_dtypes() {
  std::vector<DType> dtypes = int_dtypes();
  dtypes.push_back(DType::kBool);
  return dtypes;
}

constexpr Row kRows[] = {
    {{"aten::bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::bitwise_and.Scalar(Tensor self, Scalar other) -> Tensor",
      "aten::bitwise_and.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"},
     ScalarOp::kAnd,
     false,
     bits_and,
     Fill::kNormal,
     int_and_bool_dtypes},
    {{"aten::bitwise_left_shift.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::bitwise_left_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor",
      "aten::bitwise_left_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor",
      "aten::__lshift__.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::__lshift__.Scalar(Tensor self, Scalar other) -> Tensor"},
     ScalarOp::kShl,
     false,
     shift_left,
     Fill::kPositive,
     int_dtypes},
    {{"aten::bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::bitwise_or.Scalar(Tensor self, Scalar other) -> Tensor",
      "aten::bitwise_or.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"},
     ScalarOp::kOr,
     false,
     bits_or,
     Fill::kNormal,
     int_and_bool_dtypes},
    {{"aten::bitwise_right_shift.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::bitwise_right_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor",
      "aten::bitwise_right_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor",
      "aten::__rshift__.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::__rshift__.Scalar(Tensor self, Scalar other) -> Tensor"},
     ScalarOp::kShr,
     false,
     shift_right,
     Fill::kPositive,
     int_dtypes},
    {{"aten::bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::bitwise_xor.Scalar(Tensor self, Scalar other) -> Tensor",
      "aten::bitwise_xor.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"},
     ScalarOp::kXor,
     false,
     bits_xor,
     Fill::kNormal,
     int_and_bool_dtypes},
    {{"aten::logical_and(Tensor self, Tensor other) -> Tensor"},
     ScalarOp::kAnd,
     true,
     [](double a, double b) { return double(a != 0 && b != 0); },
     Fill::kNormal,
     computable_dtypes},
    {{"aten::logical_or(Tensor self, Tensor other) -> Tensor"},
     ScalarOp::kOr,
     true,
     [](double a, double b) { return double(a != 0 || b != 0); },
     Fill::kNormal,
     computable_dtypes},
    {{"aten::logical_xor(Tensor self, Tensor other) -> Tensor"},
     ScalarOp::kXor,
     true,
     [](double a, double b) { return double((a != 0) != (b != 0)); },
     Fill::kNormal,
     computable_dtypes},
};

Scalar element(const Row& row, ElementBuilder& e, const Node& node, const Index& index) {
  const DType dtype = row.logical ? DType::kBool : result_type(node, {"self", "other"});
  return e.apply(row.op, operand(e, node, "self", index, dtype),
                 operand(e, node, "other", index, dtype));
}

struct Maker {
  template <size_t I>
  static constexpr OpDef def() {
    return {
        .name = schema_base(kRows[I].schemas[0]),
        .schemas = used(kRows[I].schemas),
        .kind = OpKind::kPointwise,
        .infer = kRows[I].logical ? infer_binary_bool : infer_binary,
        .element = [](ElementBuilder& e, const Node& node, uint32_t,
                      const Index& index) { return element(kRows[I], e, node, index); },
        .reference = [](const RefArgs& args) -> std::vector<RefTensor> {
          return {zip_reference(args, args.tensor_or_number("self"), args.tensor_or_number("other"),
                                kRows[I].reference)};
        },
        .cases =
            [] {
              const Row& row = kRows[I];
              return binary_cases(used(row.schemas), Fill::kNormal, row.fill_b, row.dtypes());
            },
    };
  }
};
constexpr auto kDefs = make_family<Maker>(std::make_index_sequence<std::size(kRows)>{});

}  // namespace

extern constexpr OpFamily k_bitwise{kDefs};

}  // namespace ingot::ops
