// The many spellings of a conversion. Devices and layouts are ignored: the target decides.
#include <cmath>

#include "ops/pointwise.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kSchemas[] = {
    "aten::to.device(Tensor(a) self, Device device, ScalarType dtype, bool non_blocking=False, "
    "bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
    "aten::to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, "
    "MemoryFormat? memory_format=None) -> Tensor(a)",
    "aten::to.dtype_layout(Tensor(a) self, *, ScalarType? dtype=None, Layout? layout=None, "
    "Device? device=None, bool? pin_memory=None, bool non_blocking=False, bool copy=False, "
    "MemoryFormat? memory_format=None) -> Tensor(a)",
    "aten::to.other(Tensor(a) self, Tensor other, bool non_blocking=False, bool copy=False, "
    "MemoryFormat? memory_format=None) -> Tensor(a)",
    "aten::_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, "
    "Device? device=None, bool? pin_memory=None, bool non_blocking=False, "
    "MemoryFormat? memory_format=None) -> Tensor",
    "aten::type_as(Tensor self, Tensor other) -> Tensor",
    "aten::_cast_Byte(Tensor self, bool non_blocking=False) -> Tensor",
    "aten::_cast_Char(Tensor self, bool non_blocking=False) -> Tensor",
    "aten::_cast_Double(Tensor self, bool non_blocking=False) -> Tensor",
    "aten::_cast_Float(Tensor self, bool non_blocking=False) -> Tensor",
    "aten::_cast_Half(Tensor self, bool non_blocking=False) -> Tensor",
    "aten::_cast_Int(Tensor self, bool non_blocking=False) -> Tensor",
    "aten::_cast_Long(Tensor self, bool non_blocking=False) -> Tensor",
    "aten::_cast_Short(Tensor self, bool non_blocking=False) -> Tensor",
};

constexpr std::pair<std::string_view, DType> kNamed[] = {
    {"_cast_Byte", DType::kU8},   {"_cast_Char", DType::kI8},   {"_cast_Double", DType::kF64},
    {"_cast_Float", DType::kF32}, {"_cast_Half", DType::kF16},  {"_cast_Int", DType::kI32},
    {"_cast_Long", DType::kI64},  {"_cast_Short", DType::kI16},
};

DType target_dtype(const Node& node) {
  for (const auto& [base, dtype] : kNamed) {
    if (node.op->schema.base == base) return dtype;
  }
  if (node.has_param("other")) return node.tensor("other")->dtype();
  return node.dtype_or("dtype", node.tensor("self")->dtype());
}

std::vector<TensorType> infer(const Node& node) {
  return {{target_dtype(node), node.tensor("self")->type.sizes}};
}

std::vector<Value*> decompose(ir::Builder& b, const Node& node) {
  return {b.cast(node.tensor("self"), target_dtype(node))};
}

std::vector<RefTensor> reference(const RefArgs& args) {
  return {map_reference(args, args.tensor("self"), [](double x) { return x; })};
}

std::vector<Case> cases() {
  const TensorArg self{{3, 4}};
  const std::vector<DType> floats = all_float_dtypes();
  std::vector<Case> all = {
      {"aten.to.device", {self, NoneArg{}, DType::kF32}, computable_dtypes(), "", true},
      {"aten.to.dtype", {self, DType::kF16}, computable_dtypes(), "", true},
      {"aten.to.dtype_layout", {self, DType::kBF16}, computable_dtypes(), "", true},
      {"aten.to.dtype_layout", {self}, computable_dtypes(), "same"},
      {"aten.to.other", {self, TensorArg{{2}, Fill::kNormal, true, DType::kF64}}, floats},
      {"aten._to_copy.default", {self, DType::kF32}, floats},
      {"aten._to_copy.default", {self}, floats, "same"},
      {"aten.type_as.default", {self, TensorArg{{2}, Fill::kNormal, true, DType::kF32}}, floats},
  };
  for (const auto& [base, dtype] : kNamed) {
    all.push_back({"aten." + std::string(base) + ".default", {self}, int_dtypes()});
  }
  return all;
}

}  // namespace

extern constexpr OpDef k_to{
    .name = "to",
    .schemas = kSchemas,
    .kind = OpKind::kComposite,
    .infer = infer,
    .decompose = decompose,
    .reference = reference,
    .cases = cases,
};

}  // namespace ingot::ops
