// Assertions and range constraints of the export: no results, no kernels. Constraints on sizes are
// guards of the program; checks of dtype and device hold by the graph's own types.
#include "ops/family.h"
#include "ops/pointwise.h"

namespace ingot::ops {
namespace {

struct Row {
  RowSchemas schemas;
  std::vector<Case> (*cases)();
};

constexpr Row kRows[] = {
    {{"aten::_assert_async(Tensor self) -> ()",
      "aten::_assert_async.msg(Tensor self, str assert_msg) -> ()"},
     []() -> std::vector<Case> {
       const TensorArg condition{{}, Fill::kBools};
       return {{"aten._assert_async.default", {condition}, float32_dtypes(), "", true},
               {"aten._assert_async.msg", {condition, "message"}, float32_dtypes()}};
     }},
    {{"aten::_assert_scalar(Scalar self, str assert_msg) -> ()"},
     []() -> std::vector<Case> {
       return {{"aten._assert_scalar.default", {true, "message"}, float32_dtypes(), "", true}};
     }},
    {{"aten::_assert_tensor_metadata(Tensor a, SymInt[]? size=None, SymInt[]? stride=None, "
      "ScalarType? dtype=None, *, Device? device=None, Layout? layout=None) -> ()"},
     []() -> std::vector<Case> {
       return {{"aten._assert_tensor_metadata.default",
                {TensorArg{{2}}, NoneArg{}, NoneArg{}, DType::kF32},
                float32_dtypes(),
                "",
                true}};
     }},
    {{"aten::sym_constrain_range(Scalar size, *, int? min=None, int? max=None) -> ()"},
     []() -> std::vector<Case> {
       return {{"aten.sym_constrain_range.default",
                {int64_t{3}},
                float32_dtypes(),
                "",
                true,
                {"size"}}};
     }},
    {{"aten::sym_constrain_range_for_size(Scalar size, *, int? min=None, int? max=None) -> ()"},
     []() -> std::vector<Case> {
       return {{"aten.sym_constrain_range_for_size.default",
                {int64_t{3}},
                float32_dtypes(),
                "",
                true,
                {"size"}}};
     }},
};

struct Maker {
  template <size_t I>
  static constexpr OpDef def() {
    return {
        .name = schema_base(kRows[I].schemas[0]),
        .schemas = used(kRows[I].schemas),
        .kind = OpKind::kEffect,
        .infer = [](const Node&) { return std::vector<TensorType>(); },
        .cases = kRows[I].cases,
    };
  }
};
constexpr auto kDefs = make_family<Maker>(std::make_index_sequence<std::size(kRows)>{});

}  // namespace

extern constexpr OpFamily k_effects{kDefs};

}  // namespace ingot::ops
