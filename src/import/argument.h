// Turns the arguments of exported calls into those of the graph IR, by the operator's schema.
#pragma once

#include <string>
#include <vector>

#include "import/import_context.h"
#include "ir/schema.h"

namespace ingot::pt2 {

class GraphImporter;

// The arguments of a call, one per parameter, defaults filled in. A number may stand where the
// schema wants a tensor, and keeps whether it is an int, a float or a bool. Throws CompileError:
// kBadGraph for names that are not defined, arguments that are missing or of the wrong kind;
// kUnsupportedCase for complex numbers and other layouts than strided.
std::vector<ir::Arg> convert_arguments(GraphImporter& importer, const Scope& scope,
                                       const Node& node, const ir::Schema& schema);

// What a name stands for. Throws CompileError (kBadGraph) if nothing defines it before.
const ScopeValue& find_value(const Scope& scope, const std::string& name);

// The number that an argument of a Python operator is; nothing if it is unknown or no number.
std::optional<SymValue> to_number(const Scope& scope, const Argument& argument);

}  // namespace ingot::pt2
