// New tensors of one number: all of them are calls of full. Memory that PyTorch leaves
// uninitialised is zero.
#include "ops/family.h"
#include "ops/pointwise.h"

namespace ingot::ops {
namespace {

struct Row {
  std::string_view schema;
  double value;  // unless `number` names an argument
  std::string_view number = {};
};

#define INGOT_OPTIONS \
  "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None"

constexpr Row kRows[] = {
    {"aten::empty.memory_format(SymInt[] size, *, " INGOT_OPTIONS
     ", MemoryFormat? memory_format=None) -> Tensor",
     0},
    {"aten::empty_like(Tensor self, *, " INGOT_OPTIONS
     ", MemoryFormat? memory_format=None) -> Tensor",
     0},
    {"aten::empty_permuted(SymInt[] size, int[] physical_layout, *, " INGOT_OPTIONS ") -> Tensor",
     0},
    {"aten::empty_strided(SymInt[] size, SymInt[] stride, *, " INGOT_OPTIONS ") -> Tensor", 0},
    {"aten::fill.Scalar(Tensor self, Scalar value) -> Tensor", 0, "value"},
    {"aten::full_like(Tensor self, Scalar fill_value, *, " INGOT_OPTIONS
     ", MemoryFormat? memory_format=None) -> Tensor",
     0, "fill_value"},
    {"aten::new_empty(Tensor self, SymInt[] size, *, " INGOT_OPTIONS ") -> Tensor", 0},
    {"aten::new_empty_strided(Tensor self, SymInt[] size, SymInt[] stride, *, " INGOT_OPTIONS
     ") -> Tensor",
     0},
    {"aten::new_full(Tensor self, SymInt[] size, Scalar fill_value, *, " INGOT_OPTIONS
     ") -> Tensor",
     0, "fill_value"},
    {"aten::new_ones(Tensor self, SymInt[] size, *, " INGOT_OPTIONS ") -> Tensor", 1},
    {"aten::new_zeros(Tensor self, SymInt[] size, *, " INGOT_OPTIONS ") -> Tensor", 0},
    {"aten::ones(SymInt[] size, *, " INGOT_OPTIONS ") -> Tensor", 1},
    {"aten::ones_like(Tensor self, *, " INGOT_OPTIONS
     ", MemoryFormat? memory_format=None) -> Tensor",
     1},
    {"aten::scalar_tensor(Scalar s, *, " INGOT_OPTIONS ") -> Tensor", 0, "s"},
    {"aten::zero(Tensor self) -> Tensor", 0},
    {"aten::zeros(SymInt[] size, *, " INGOT_OPTIONS ") -> Tensor", 0},
    {"aten::zeros_like(Tensor self, *, " INGOT_OPTIONS
     ", MemoryFormat? memory_format=None) -> Tensor",
     0},
};

// The sizes and dtype come from `self` unless there are arguments for them.
TensorType result_type_of(const Node& node) {
  TensorType type;
  if (node.has_param("self")) type = node.tensor("self")->type;
  if (node.has_param("size")) type.sizes = node.integers("size");
  if (node.has_param("dtype")) type.dtype = node.dtype_or("dtype", type.dtype);
  return type;
}

std::vector<Value*> decompose(const Row& row, ir::Builder& b, const Node& node) {
  TensorType type = result_type_of(node);
  const ir::Arg number = row.number.empty() ? ir::Arg(row.value) : node.arg(row.number);
  return {b.call("aten.full.default", {std::move(type.sizes), number, type.dtype})};
}

std::vector<RefTensor> reference(const Row& row, const RefArgs& args) {
  const double number = row.number.empty() ? row.value : args.number(row.number);
  return {expanded({args.result_dtype, {}, {number}}, args.result_sizes[0])};
}

std::vector<Case> cases(const Row& row) {
  const ir::Schema schema = ir::parse_schema(row.schema);
  const bool has_self = schema.find_param("self") >= 0;
  std::vector<CaseArg> args;
  for (const ir::Param& param : schema.params) {
    if (param.name == "self") args.push_back(TensorArg{{2, 5}});
    if (param.name == "size") args.push_back(std::vector<int64_t>{3, 4});
    if (param.name == "stride") args.push_back(std::vector<int64_t>{4, 1});
    if (param.name == "physical_layout") args.push_back(std::vector<int64_t>{0, 1});
    if (param.name == row.number) args.push_back(int64_t{3});
  }
  std::vector<Case> all = {
      {schema.name, args, has_self ? computable_dtypes() : float32_dtypes(), "", true, {"size"}}};
  if (schema.find_param("dtype") < 0) return all;
  args.push_back(DType::kF16);
  all.push_back({schema.name, args, float32_dtypes(), "half"});
  args.back() = DType::kI32;
  all.push_back({schema.name, args, float32_dtypes(), "int"});
  return all;
}

struct Maker {
  template <size_t I>
  static constexpr OpDef def() {
    return {
        .name = schema_base(kRows[I].schema),
        .schemas = std::span(&kRows[I].schema, 1),
        .kind = OpKind::kComposite,
        .infer = [](const Node& node) -> std::vector<TensorType> { return {result_type_of(node)}; },
        .decompose = [](ir::Builder& b, const Node& node) { return decompose(kRows[I], b, node); },
        .reference = [](const RefArgs& args) { return reference(kRows[I], args); },
        .cases = [] { return cases(kRows[I]); },
    };
  }
};
constexpr auto kDefs = make_family<Maker>(std::make_index_sequence<std::size(kRows)>{});

}  // namespace

extern constexpr OpFamily k_creation{kDefs};

}  // namespace ingot::ops
