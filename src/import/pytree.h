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

// One name for each of the program's inputs that the caller gives (user inputs and constants), in
// order: "x", "batch.mask", "rest_0", "points.1". Positional arguments are named after forward's
// parameters, keyword arguments after their keys; if the program does not say, after the graph.
std::vector<std::string> input_names(const ExportedProgram& program);

// One name for each result: "logits", "pair.0"; "out3" where no key leads to it.
std::vector<std::string> output_names(const ExportedProgram& program);

// Whether a spec stands for something that the caller gives, or gets.
bool is_call_leaf(const InputSpec& spec);
bool is_call_leaf(const OutputSpec& spec);

}  // namespace ingot::pt2
