// All operators by name. Schemas are parsed once, at the first lookup; in-place overloads
// (aten.add_.Tensor) and aliases (aten.absolute.default) are derived from the functional ones.
#include <algorithm>
#include <deque>
#include <map>

#include "ops/op_table.h"
#include "support/diagnostics.h"

namespace ingot::ops {

#define INGOT_OP(name) extern const OpDef k_##name;
#define INGOT_OP_FAMILY(name) extern const OpFamily k_##name;
#include "ops/ops.def"
#undef INGOT_OP
#undef INGOT_OP_FAMILY

namespace {

struct Alias {
  std::string_view alias;
  std::string_view name;
};
constexpr Alias kAliases[] = {
#define INGOT_OP_ALIAS(alias, name) {#alias, #name},
#include "ops/aliases.def"
#undef INGOT_OP_ALIAS
};

std::vector<const OpDef*> collect_defs() {
  std::vector<const OpDef*> defs;
#define INGOT_OP(name) defs.push_back(&k_##name);
#define INGOT_OP_FAMILY(name) \
  for (const OpDef& def : k_##name) defs.push_back(&def);
#include "ops/ops.def"
#undef INGOT_OP
#undef INGOT_OP_FAMILY
  std::sort(defs.begin(), defs.end(),
            [](const OpDef* a, const OpDef* b) { return a->name < b->name; });
  return defs;
}

ir::Schema renamed(const ir::Schema& schema, std::string base) {
  ir::Schema copy = schema;
  const std::string space = schema.name.substr(0, schema.name.find('.'));
  copy.base = std::move(base);
  copy.name = space + "." + copy.base + "." + copy.overload;
  return copy;
}

// "add" -> "add_", "__and__" -> "__iand__".
std::string in_place_name(const std::string& base) {
  if (base.size() > 4 && base.starts_with("__") && base.ends_with("__")) {
    return "__i" + base.substr(2);
  }
  return base + "_";
}

// True for f(Tensor self, …) -> Tensor (dropout calls it input), the only form that has an in-place
// twin.
bool can_be_in_place(const ir::Schema& schema) {
  return schema.name.starts_with("aten.") && !schema.params.empty() &&
         schema.params[0].kind == ir::ArgKind::kTensor &&
         (schema.params[0].name == "self" || schema.base.ends_with("dropout")) &&
         schema.returns.size() == 1 && schema.returns[0].kind == ir::ArgKind::kTensor &&
         !schema.params[0].is_written;
}

class Registry {
 public:
  Registry() : defs_(collect_defs()) {
    for (const OpDef* def : defs_) {
      for (std::string_view text : def->schemas) add(ir::parse_schema(text), def);
    }
    add_aliases();
    add_in_place();
  }

  std::span<const OpDef* const> defs() const { return defs_; }

  const ir::Operator* find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& [name, op] : by_name_) names.emplace_back(name);
    return names;
  }

 private:
  void add(ir::Schema schema, const OpDef* def) {
    ir::Operator& op = operators_.emplace_back(ir::Operator{std::move(schema), def});
    const bool is_new = by_name_.emplace(op.schema.name, &op).second;
    INGOT_CHECK(is_new, "operator " + op.schema.name + " is defined twice");
  }

  void add_aliases() {
    const size_t count = operators_.size();
    for (const Alias& alias : kAliases) {
      for (size_t i = 0; i < count; ++i) {
        const ir::Operator& op = operators_[i];
        if (op.schema.base == alias.name && op.schema.name.starts_with("aten.")) {
          add(renamed(op.schema, std::string(alias.alias)), op.def);
        }
      }
    }
  }

  void add_in_place() {
    const size_t count = operators_.size();
    for (size_t i = 0; i < count; ++i) {
      const ir::Operator& op = operators_[i];
      if (!can_be_in_place(op.schema)) continue;
      ir::Schema schema = renamed(op.schema, in_place_name(op.schema.base));
      // pow.Tensor_Scalar and pow.Tensor_Tensor are pow_.Scalar and pow_.Tensor in place.
      if (schema.base == "pow_" && schema.overload.starts_with("Tensor_")) {
        schema.overload = schema.overload.substr(7);
        schema.name = "aten.pow_." + schema.overload;
      }
      if (by_name_.contains(schema.name)) continue;
      schema.params[0].name = "self";
      schema.params[0].alias_set = "a";
      schema.params[0].is_written = true;
      schema.returns[0].alias_set = "a";
      schema.returns[0].is_written = true;
      add(std::move(schema), op.def);
    }
  }

  std::vector<const OpDef*> defs_;
  std::deque<ir::Operator> operators_;  // addresses are handed out
  std::map<std::string_view, const ir::Operator*> by_name_;
};

const Registry& registry() {
  static const Registry instance;
  return instance;
}

}  // namespace

std::span<const OpDef* const> all_ops() { return registry().defs(); }

const ir::Operator* find_operator(std::string_view name) { return registry().find(name); }

std::vector<std::string> operator_names() { return registry().names(); }

std::vector<TensorType> OpTable::infer(const Node& node) const {
  INGOT_CHECK(node.op->def && node.op->def->infer, "operator " + node.target() + " has no infer");
  try {
    return node.op->def->infer(node);
  } catch (const CompileError& error) {
    Diagnostic diagnostic = error.diagnostic();
    diagnostic.message = node.target() + ": " + diagnostic.message;
    throw CompileError(std::move(diagnostic));
  }
}

}  // namespace ingot::ops
