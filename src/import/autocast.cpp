#include "import/autocast.h"

#include <algorithm>

#include "ir/builder.h"
#include "ops/op_table.h"
#include "support/diagnostics.h"

namespace ingot::pt2 {
namespace {

// Autocast leaves float64 alone.
bool is_cast_by_autocast(DType dtype) { return dtype == DType::kF32 || is_half(dtype); }

// Whether the operator gives results of the recorded element types for these operands.
bool explains(const ir::Operator& op, const std::vector<ir::Arg>& args,
              const std::vector<ir::TensorType>& recorded) {
  ir::Node call;
  call.op = &op;
  call.args = args;
  try {
    const std::vector<ir::TensorType> inferred = ops::op_table().infer(call);
    return std::equal(
        inferred.begin(), inferred.end(), recorded.begin(), recorded.end(),
        [](const ir::TensorType& a, const ir::TensorType& b) { return a.dtype == b.dtype; });
  } catch (const CompileError&) {
    return false;  // operands of different element types, before the casts
  }
}

}  // namespace

bool apply_autocast(ir::Graph& graph, const ir::Operator& op, std::vector<ir::Arg>& args,
                    const std::vector<ir::TensorType>& recorded, ir::LocId loc) {
  if (explains(op, args, recorded)) return true;
  if (recorded.empty() || !is_float(recorded.front().dtype) || op.schema.is_mutating()) {
    return false;
  }
  const DType wanted = recorded.front().dtype;
  ir::Builder builder(graph, ops::op_table());
  const auto cast = [&](ir::Value*& value) {
    if (!value || !is_cast_by_autocast(value->dtype()) || value->dtype() == wanted) return;
    builder.set_origin(loc, value->name + "_autocast");
    value = builder.cast(value, wanted);
  };
  for (ir::Arg& arg : args) {
    if (auto* value = std::get_if<ir::Value*>(&arg)) cast(*value);
    if (auto* list = std::get_if<std::vector<ir::Value*>>(&arg)) {
      for (ir::Value*& value : *list) cast(value);
    }
  }
  return explains(op, args, recorded);
}

}  // namespace ingot::pt2
