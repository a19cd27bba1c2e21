// What the steps of an import share.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <variant>

#include "import/exported_program.h"
#include "import/location.h"
#include "import/symbols.h"
#include "import/unsupported.h"
#include "ir/model.h"

namespace ingot::pt2 {

// A value that could not be imported, since what makes it is unsupported (and reported).
struct Unknown {};

// What a name of the exported graph stands for.
using ScopeValue = std::variant<Unknown, ir::Value*, sym::Expr, double, bool>;

// The names of one exported graph while it is imported into `target`.
struct Scope {
  const Graph& source;
  ir::Graph& target;
  std::unordered_map<std::string, ScopeValue> values;
  bool in_autocast = false;  // inside a region whose casts are not written out
};

struct ImportContext {
  ImportContext(const ExportedProgram& exported, ir::Model& imported)
      : program(exported), model(imported), locations(imported.locations) {}

  const ExportedProgram& program;
  ir::Model& model;
  SymbolTable symbols;
  LocationTable locations;
  UnsupportedReport unsupported;
  ir::Graph placeholders;  // stands in for results of unsupported calls

  // The type that the export recorded for a tensor of a graph. Throws CompileError (kBadGraph,
  // kUnsupportedCase) if there is none or it is not that of a plain tensor.
  ir::TensorType tensor_type(const Graph& graph, const std::string& name);
  ir::TensorType tensor_type(const TensorMeta& meta, const std::string& name);
};

// "aten.linear.default" of "torch.ops.aten.linear.default"; the overload is always there. Python's
// own operators keep their name ("_operator.mul").
std::string operator_name(const std::string& target);

// The value of a symbolic number of the graph's tables, if they have one that the inputs determine.
std::optional<SymValue> table_value(ImportContext& context, const Graph& graph,
                                    const std::string& name);

}  // namespace ingot::pt2
