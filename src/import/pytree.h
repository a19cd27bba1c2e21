// The nested Python containers of a program's call and result: names for their leaves.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "import/exported_program.h"

namespace ingot::pt2 {

// A tree of containers; leaves have no type and no children.
struct PytreeNode {
  std::string type;  // "builtins.dict"; empty for a leaf
  std::vector<std::string>
      keys;  // of the children: dict keys or field names; empty if there are none
  std::vector<PytreeNode> children;

  bool is_leaf() const { return type.empty(); }
};

// Parses a spec such as `[1, {"type": "builtins.tuple", "context": "null", …}]`; `what` names it in
// messages. Throws CompileError (kArchiveJson).
PytreeNode parse_pytree(const std::string& spec, const std::string& what,
                        const std::map<std::string, std::vector<std::string>>& namedtuple_fields);

// The paths of the leaves of a call in order: "x", "batch.mask", "rest_0", "points.1". Positional
// arguments are named after forward's parameters, keyword arguments after their keys. Empty if the
// program does not say.
std::vector<std::string> input_paths(const ExportedProgram& program);

// The same for the result: "logits", "out.0"; "" where a leaf has no key on its path.
std::vector<std::string> output_paths(const ExportedProgram& program);

}  // namespace ingot::pt2
