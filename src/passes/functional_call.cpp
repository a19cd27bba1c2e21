#include "passes/functional_call.h"

#include <fmt/core.h>

#include "support/diagnostics.h"

namespace ingot::passes {

namespace {

using ir::Arg;
using ir::Schema;
using ir::Value;

std::string namespace_of(const Schema& schema) {
  return schema.name.substr(0, schema.name.find('.') + 1);
}

// "add_" -> "add", "__iand__" -> "__and__"; "" for other names.
std::string without_in_place_mark(const std::string& base) {
  if (base.size() > 5 && base.starts_with("__i") && base.ends_with("__")) {
    return "__" + base.substr(3);
  }
  if (base.size() > 1 && base.ends_with('_') && !base.ends_with("__")) {
    return base.substr(0, base.size() - 1);
  }
  return "";
}

// "out" -> "default", "Tensor_out" -> "Tensor"; "" for other overloads.
std::string without_out_mark(const std::string& overload) {
  if (overload == "out") return "default";
  if (overload.ends_with("_out")) return overload.substr(0, overload.size() - 4);
  return "";
}

// Training updates the running statistics, which the schema of batch_norm does not say.
bool is_training_batch_norm(const ir::Node& node) {
  if (node.target() != "aten.batch_norm.default") return false;
  const Arg training = node.arg("training");
  const bool* flag = std::get_if<bool>(&training);
  return flag && *flag && node.tensor_or_null("running_mean") && node.tensor_or_null("running_var");
}

// The arguments of `callee` that `node` has under the same names; the first one may be called
// otherwise (dropout_(self) is dropout(input)).
std::vector<Arg> same_named_args(const Schema& callee, const ir::Node& node) {
  std::vector<Arg> args;
  for (const ir::Param& param : callee.params) {
    const bool is_renamed = args.empty() && !node.has_param(param.name);
    args.push_back(is_renamed ? node.args.at(0) : node.arg_or_none(param.name));
  }
  return args;
}

// New contents in the type of the tensor that is written.
Value* converted(ir::Builder& b, Value* value, const ir::TensorType& type) {
  return b.expand(b.cast(value, type.dtype), type.sizes);
}

size_t param_position(const ir::Node& node, std::string_view name) {
  const int position = node.op->schema.find_param(name);
  INGOT_CHECK(position >= 0, fmt::format("{} has no parameter {}", node.target(), name));
  return static_cast<size_t>(position);
}

// Writes that do not depend on what was there before: what they write, or null for others.
Value* overwritten(ir::Builder& b, const ir::Node& node) {
  const std::string& target = node.target();
  const bool is_fill = target == "aten.fill_.Tensor" || target == "aten.fill_.Scalar";
  if (!is_fill && target != "aten.copy_.default" && target != "aten.zero_.default") return nullptr;
  const ir::TensorType& type = node.tensor("self")->type;
  if (target == "aten.zero_.default") return b.full(type.sizes, 0, type.dtype);
  const Arg& source = node.arg(is_fill ? "value" : "src");
  if (const auto* tensor = std::get_if<Value*>(&source)) return *tensor;
  return b.call("aten.full.default", {type.sizes, source, type.dtype});
}

FunctionalCall call_batch_norm(ir::Builder& b, const ir::Node& node) {
  const std::vector<Value*> values = b.call_all(
      "aten._native_batch_norm_legit_functional.default",
      {node.arg("input"), node.arg("weight"), node.arg("bias"), node.arg("running_mean"),
       node.arg("running_var"), node.arg("training"), node.arg("momentum"), node.arg("eps")});
  FunctionalCall call;
  call.results = {values.at(0)};
  call.writes = {{param_position(node, "running_mean"), values.at(3)},
                 {param_position(node, "running_var"), values.at(4)}};
  return call;
}

}  // namespace

std::string functional_twin(const ir::OperatorTable& table, const Schema& schema) {
  const auto known = [&](const std::string& name) { return table.find(name) ? name : ""; };
  const std::string space = namespace_of(schema);
  if (const std::string base = without_in_place_mark(schema.base); !base.empty()) {
    const std::string twin = known(space + base + "." + schema.overload);
    // pow_.Scalar has a tensor for a base, pow.Scalar a number: it is pow.Tensor_Scalar.
    const std::string tensor_twin = space + base + ".Tensor_" + schema.overload;
    return known(tensor_twin).empty() ? twin : tensor_twin;
  }
  if (const std::string overload = without_out_mark(schema.overload); !overload.empty()) {
    return known(space + schema.base + "." + overload);
  }
  return known(space + schema.base + "_functional." + schema.overload);
}

bool is_writing(const ir::Node& node) {
  return node.op->schema.is_mutating() || is_training_batch_norm(node);
}

FunctionalCall call_functional(ir::Builder& b, const ir::OperatorTable& table,
                               const ir::Node& node) {
  if (is_training_batch_norm(node)) return call_batch_norm(b, node);
  FunctionalCall call;
  const Schema& schema = node.op->schema;
  size_t fresh = 0;
  for (const ir::Return& result : schema.returns) {
    if (!result.is_written) ++fresh;
  }

  std::vector<Value*> values;
  if (Value* value = overwritten(b, node)) {
    values = {value};
  } else {
    const std::string twin = functional_twin(table, schema);
    if (twin.empty()) {
      throw CompileError(Diag::kUnsupportedOperator,
                         fmt::format("{} has no form that does not write", schema.name));
    }
    values = b.call_all(twin, same_named_args(table.find(twin)->schema, node));
  }

  // The functional form gives the results that are new, then what is written.
  size_t next = fresh;
  for (size_t i = 0; i < schema.params.size(); ++i) {
    if (!schema.params[i].is_written || ir::is_none(node.args[i])) continue;
    const auto* target = std::get_if<Value*>(&node.args[i]);
    if (!target || next >= values.size()) {
      throw CompileError(Diag::kUnsupportedCase,
                         fmt::format("{} writes {} in a way that is not supported", schema.name,
                                     schema.params[i].name));
    }
    call.writes.push_back({i, converted(b, values[next++], (*target)->type)});
  }
  size_t next_fresh = 0;
  for (const ir::Return& result : schema.returns) {
    call.results.push_back(result.is_written ? nullptr : values.at(next_fresh++));
  }
  return call;
}

}  // namespace ingot::passes
