// Padding with a constant, by reflection, replication or wrapping around.
#include "ops/broadcast.h"
#include "ops/op_def.h"
#include "ops/operand.h"
#include "ops/reference_view.h"

namespace ingot::ops {
namespace {

enum class Mode : uint8_t { kConstant, kReflect, kReplicate, kCircular };

Mode mode_of(std::string_view base, std::string_view text) {
  if (base.starts_with("reflection")) return Mode::kReflect;
  if (base.starts_with("replication")) return Mode::kReplicate;
  if (text == "reflect") return Mode::kReflect;
  if (text == "replicate") return Mode::kReplicate;
  if (text == "circular") return Mode::kCircular;
  return Mode::kConstant;
}

Mode mode_of(const Node& node) {
  return mode_of(node.op->schema.base, node.has_param("mode") ? node.text("mode") : "");
}

const char* amounts_name(const Node& node) { return node.has_param("padding") ? "padding" : "pad"; }

// Before and after each dimension; PyTorch lists the last dimension first.
struct Amounts {
  Sizes before, after;
};
Amounts amounts_of(const Node& node) {
  const Value* self = node.tensor("self");
  const Sizes listed = node.integers(amounts_name(node));
  Amounts amounts{Sizes(self->type.sizes.size(), sym::Expr(0)),
                  Sizes(self->type.sizes.size(), sym::Expr(0))};
  if (listed.size() > 2 * self->type.sizes.size()) {
    throw CompileError(Diag::kShapeMismatch, "padding of more dimensions than there are");
  }
  for (size_t i = 0; i + 1 < listed.size(); i += 2) {
    const size_t dim = self->type.sizes.size() - 1 - i / 2;
    amounts.before[dim] = listed[i];
    amounts.after[dim] = listed[i + 1];
  }
  return amounts;
}

std::vector<TensorType> infer(const Node& node) {
  TensorType type = node.tensor("self")->type;
  const Amounts amounts = amounts_of(node);
  for (size_t d = 0; d < type.sizes.size(); ++d) {
    type.sizes[d] = type.sizes[d] + amounts.before[d] + amounts.after[d];
  }
  return {type};
}

// Where position `at` (0 is the first of the operand) is read from.
sym::Expr source_position(Mode mode, const sym::Expr& at, const sym::Expr& size) {
  switch (mode) {
    case Mode::kReflect: {
      const sym::Expr folded = sym::max(at, -at);
      return sym::min(folded, (size - 1) * 2 - folded);
    }
    case Mode::kReplicate:
      return sym::min(sym::max(at, 0), size - 1);
    case Mode::kCircular:
      return sym::mod(at, size);
    case Mode::kConstant:
      break;
  }
  return at;
}

Scalar element(ElementBuilder& e, const Node& node, uint32_t, const Index& index) {
  const Value* self = node.tensor("self");
  const Amounts amounts = amounts_of(node);
  const Mode mode = mode_of(node);
  Index source(index.size());
  sym::Expr inside = 1;
  for (size_t d = 0; d < index.size(); ++d) {
    const sym::Expr at = index[d] - amounts.before[d];
    const sym::Expr& size = self->type.sizes[d];
    const bool is_padded = !amounts.before[d].is_const(0) || !amounts.after[d].is_const(0);
    source[d] = is_padded ? source_position(mode, at, size) : at;
    if (mode == Mode::kConstant && is_padded) {
      inside = sym::logical_and(inside, sym::logical_and(sym::le(0, at), sym::lt(at, size)));
    }
  }
  if (mode != Mode::kConstant) return e.load(self, source);
  const bool has_value = node.has_param("value") && !ir::is_none(node.arg("value"));
  const Scalar fill =
      has_value ? number_operand(e, node, "value", self->dtype()) : e.number(self->dtype(), 0);
  return e.guarded(
      e.condition(inside), [&] { return e.load(self, source); }, fill);
}

std::vector<RefTensor> reference(const RefArgs& args, std::string_view base) {
  const RefTensor& self = args.tensor("self");
  bool has_mode = false;
  bool has_value = false;
  std::string amounts = "pad";
  for (const std::string& name : args.names) {
    has_mode |= name == "mode";
    has_value |= name == "value";
    if (name == "padding") amounts = name;
  }
  const Mode mode = mode_of(base, has_mode ? args.text("mode") : "");
  const std::vector<int64_t> listed = args.integers(amounts);
  const double fill = has_value && args.has("value") ? args.number("value") : 0;
  RefTensor result{args.result_dtype, args.result_sizes[0], {}};
  const size_t rank = self.sizes.size();
  for_each_index(result.sizes, [&](std::vector<int64_t> index) {
    bool inside = true;
    for (size_t i = 0; i + 1 < listed.size(); i += 2) {
      const size_t d = rank - 1 - i / 2;
      const int64_t size = self.sizes[d];
      int64_t at = index[d] - listed[i];
      if (mode == Mode::kReflect) at = at < 0 ? -at : at >= size ? 2 * (size - 1) - at : at;
      if (mode == Mode::kReplicate) at = std::min(std::max<int64_t>(at, 0), size - 1);
      if (mode == Mode::kCircular) at = (at + size) % size;
      inside &= at >= 0 && at < size;
      index[d] = at;
    }
    result.data.push_back(inside ? self.data[static_cast<size_t>(self.offset(index))] : fill);
  });
  return {result};
}

constexpr std::string_view kConstantSchemas[] = {
    "aten::constant_pad_nd(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor",
    "aten::pad(Tensor self, SymInt[] pad, str mode=\"constant\", float? value=None) -> Tensor"};
constexpr std::string_view kReflectSchemas[] = {
    "aten::reflection_pad1d(Tensor self, SymInt[2] padding) -> Tensor",
    "aten::reflection_pad2d(Tensor self, SymInt[4] padding) -> Tensor",
    "aten::reflection_pad3d(Tensor self, SymInt[6] padding) -> Tensor"};
constexpr std::string_view kReplicateSchemas[] = {
    "aten::replication_pad1d(Tensor self, SymInt[2] padding) -> Tensor",
    "aten::replication_pad2d(Tensor self, SymInt[4] padding) -> Tensor",
    "aten::replication_pad3d(Tensor self, SymInt[6] padding) -> Tensor"};

using Dims = std::vector<int64_t>;

Case make_case(std::string schema, std::vector<CaseArg> args) {
  Case made{.schema = std::move(schema), .args = std::move(args)};
  made.dtypes = {DType::kF32, DType::kBF16};
  return made;
}

std::vector<Case> constant_cases() {
  return first_dynamic(
      {make_case("aten.constant_pad_nd.default", {TensorArg{{3, 5}}, Dims{1, 2}, 1.5}),
       make_case("aten.constant_pad_nd.default", {TensorArg{{3, 6}}, Dims{-1, 2, 1, -1}}),
       make_case("aten.pad.default", {TensorArg{{2, 3, 5}}, Dims{2, 1}, std::string("reflect")}),
       make_case("aten.pad.default", {TensorArg{{2, 3, 5}}, Dims{2, 1}, std::string("circular")}),
       make_case("aten.pad.default", {TensorArg{{2, 5}}, Dims{0, 1}})});
}
std::vector<Case> reflect_cases() {
  return first_dynamic(
      {make_case("aten.reflection_pad1d.default", {TensorArg{{2, 5}}, Dims{2, 3}}),
       make_case("aten.reflection_pad2d.default", {TensorArg{{2, 4, 5}}, Dims{2, 1, 0, 3}}),
       make_case("aten.reflection_pad3d.default",
                 {TensorArg{{2, 3, 4, 5}}, Dims{1, 1, 2, 0, 0, 1}})});
}
std::vector<Case> replicate_cases() {
  return first_dynamic(
      {make_case("aten.replication_pad2d.default", {TensorArg{{2, 4, 5}}, Dims{2, 1, 0, 3}}),
       make_case("aten.replication_pad3d.default",
                 {TensorArg{{2, 3, 4, 5}}, Dims{1, 1, 2, 0, 0, 1}}),
       make_case("aten.replication_pad1d.default", {TensorArg{{2, 5}}, Dims{2, 3}})});
}

constexpr OpDef kDefs[] = {
    {.name = "pad",
     .schemas = kConstantSchemas,
     .kind = OpKind::kIndexing,
     .infer = infer,
     .element = element,
     .reference = [](const RefArgs& args) { return reference(args, "pad"); },
     .cases = constant_cases},
    {.name = "reflection_pad",
     .schemas = kReflectSchemas,
     .kind = OpKind::kIndexing,
     .infer = infer,
     .element = element,
     .reference = [](const RefArgs& args) { return reference(args, "reflection"); },
     .cases = reflect_cases},
    {.name = "replication_pad",
     .schemas = kReplicateSchemas,
     .kind = OpKind::kIndexing,
     .infer = infer,
     .element = element,
     .reference = [](const RefArgs& args) { return reference(args, "replication"); },
     .cases = replicate_cases},
};

}  // namespace

extern constexpr OpFamily k_padding{kDefs};

}  // namespace ingot::ops
