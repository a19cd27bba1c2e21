#include "program/kernel.h"

#include <array>

namespace ingot::program {
namespace {

struct ScalarOpInfo {
  std::string_view name;
  int operands;
};

constexpr ScalarOpInfo kScalarOps[] = {
#define INGOT_SCALAR_OP(enumerator, name, operands) {#name, operands},
#include "program/scalar_op.def"
#undef INGOT_SCALAR_OP
};
static_assert(std::size(kScalarOps) == kScalarOpCount);

}  // namespace

std::string_view to_string(ScalarOp op) { return kScalarOps[static_cast<size_t>(op)].name; }

int operand_count(ScalarOp op) { return kScalarOps[static_cast<size_t>(op)].operands; }

bool is_predicate(ScalarOp op) {
  switch (op) {
    case ScalarOp::kIsNan:
    case ScalarOp::kIsInf:
    case ScalarOp::kSignbit:
    case ScalarOp::kEq:
    case ScalarOp::kNe:
    case ScalarOp::kLt:
    case ScalarOp::kLe:
    case ScalarOp::kGt:
    case ScalarOp::kGe:
      return true;
    default:
      return false;
  }
}

bool accepts(ScalarOp op, DType dtype) {
  if (!is_computable(dtype) || is_half(dtype)) return false;
  switch (op) {
    case ScalarOp::kAdd:
    case ScalarOp::kMul:
    case ScalarOp::kMin:
    case ScalarOp::kMax:
    case ScalarOp::kEq:
    case ScalarOp::kNe:
    case ScalarOp::kLt:
    case ScalarOp::kLe:
    case ScalarOp::kGt:
    case ScalarOp::kGe:
    case ScalarOp::kSelect:
      return true;
    case ScalarOp::kNot:
    case ScalarOp::kAnd:
    case ScalarOp::kOr:
    case ScalarOp::kXor:
      return !is_float(dtype);
    case ScalarOp::kShl:
    case ScalarOp::kShr:
      return is_int(dtype);
    case ScalarOp::kNeg:
    case ScalarOp::kAbs:
    case ScalarOp::kSign:
    case ScalarOp::kSignbit:
    case ScalarOp::kSub:
    case ScalarOp::kDivFloor:
    case ScalarOp::kDivTrunc:
    case ScalarOp::kRemainder:
    case ScalarOp::kFmod:
    case ScalarOp::kPow:
    case ScalarOp::kFmin:
    case ScalarOp::kFmax:
      return dtype != DType::kBool;
    default:
      return is_float(dtype);
  }
}

std::string_view to_string(ReduceOp op) {
  constexpr std::string_view kNames[] = {"sum", "prod", "min",    "max",
                                         "any", "all",  "argmin", "argmax"};
  static_assert(std::size(kNames) == kReduceOpCount);
  return kNames[static_cast<size_t>(op)];
}

std::string_view to_string(StoreMode mode) {
  constexpr std::string_view kNames[] = {"set", "add", "mul", "min", "max"};
  static_assert(std::size(kNames) == kStoreModeCount);
  return kNames[static_cast<size_t>(mode)];
}

std::string_view to_string(KernelKind kind) {
  constexpr std::string_view kNames[] = {"loop", "matmul", "conv", "attention", "scan", "sort"};
  static_assert(std::size(kNames) == kKernelKindCount);
  return kNames[static_cast<size_t>(kind)];
}

std::string_view to_string(InstKind kind) {
  constexpr std::string_view kNames[] = {"const",       "index",      "load",   "compute",
                                         "cast",        "bitcast",    "reduce", "store",
                                         "check_index", "accumulator"};
  static_assert(std::size(kNames) == kInstKindCount);
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace ingot::program
