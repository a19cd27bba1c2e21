// Operators that give their first operand back: layout, autograd and memory are not the graph's
// business, and dropout does nothing in inference.
#include "ops/family.h"
#include "ops/pointwise.h"
#include "ops/promotion.h"
#include "support/diagnostics.h"

namespace ingot::ops {
namespace {

struct Row {
  std::string_view schema;
  bool is_dropout;
};

constexpr Row kRows[] = {
    {"aten::_conj(Tensor(a) self) -> Tensor(a)", false},
    {"aten::alias(Tensor(a) self) -> Tensor(a)", false},
    {"aten::alias_copy(Tensor self) -> Tensor", false},
    {"aten::alpha_dropout(Tensor input, float p, bool train) -> Tensor", true},
    {"aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor", false},
    {"aten::conj(Tensor(a) self) -> Tensor(a)", false},
    {"aten::contiguous(Tensor(a) self, *, MemoryFormat memory_format=0) -> Tensor(a)", false},
    {"aten::detach(Tensor(a) self) -> Tensor(a)", false},
    {"aten::detach_copy(Tensor self) -> Tensor", false},
    {"aten::dropout(Tensor input, float p, bool train) -> Tensor", true},
    {"aten::feature_alpha_dropout(Tensor input, float p, bool train) -> Tensor", true},
    {"aten::feature_dropout(Tensor input, float p, bool train) -> Tensor", true},
    {"aten::lift(Tensor self) -> Tensor", false},
    {"aten::lift_fresh(Tensor(a) self) -> Tensor(a)", false},
    {"aten::lift_fresh_copy(Tensor self) -> Tensor", false},
    {"aten::positive(Tensor(a) self) -> Tensor(a)", false},
    {"aten::real(Tensor(a) self) -> Tensor(a)", false},
    {"aten::resolve_conj(Tensor(a) self) -> Tensor(a)", false},
    {"aten::resolve_neg(Tensor(a) self) -> Tensor(a)", false},
};

std::string_view operand_name(const Row& row) { return row.is_dropout ? "input" : "self"; }

// Types come from the archive, so that infer may never be asked: decompose checks again.
void refuse_training(const Row& row, const Node& node) {
  if (row.is_dropout && node.flag("train") && node.number("p") != 0) {
    throw CompileError(Diag::kUnsupportedCase,
                       "dropout in training mode: export the model in eval mode");
  }
}

std::vector<TensorType> infer(const Row& row, const Node& node) {
  refuse_training(row, node);
  const TensorType& type = node.tensor(operand_name(row))->type;
  return {{result_type(node, {operand_name(row)}), type.sizes}};
}

std::vector<Case> cases(const Row& row) {
  std::vector<CaseArg> more;
  if (row.is_dropout) more = {0.5, false};
  return unary_cases(row.schema, Fill::kNormal, computable_dtypes(), more);
}

struct Maker {
  template <size_t I>
  static constexpr OpDef def() {
    return {
        .name = schema_base(kRows[I].schema),
        .schemas = std::span(&kRows[I].schema, 1),
        .kind = OpKind::kComposite,
        .infer = [](const Node& node) { return infer(kRows[I], node); },
        .decompose = [](ir::Builder&, const Node& node) -> std::vector<Value*> {
          refuse_training(kRows[I], node);
          return {node.tensor(operand_name(kRows[I]))};
        },
        .reference = [](const RefArgs& args) -> std::vector<RefTensor> {
          return {args.tensor(operand_name(kRows[I]))};
        },
        .cases = [] { return cases(kRows[I]); },
    };
  }
};
constexpr auto kDefs = make_family<Maker>(std::make_index_sequence<std::size(kRows)>{});

}  // namespace

extern constexpr OpFamily k_identity{kDefs};

}  // namespace ingot::ops
