// Where a node comes from in the user's Python, from the metadata that the export keeps.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "import/exported_program.h"
#include "ir/graph.h"
#include "program/program.h"

namespace ingot::pt2 {

// The node's innermost Python frame outside PyTorch, its module and its name. Metadata that is
// missing or of an unknown form leaves fields empty.
program::Location locate(const Node& node);

// Numbers locations, equal ones once.
class LocationTable {
 public:
  explicit LocationTable(std::vector<program::Location>& locations) : locations_(locations) {}
  ir::LocId add(program::Location location);

 private:
  using Key = std::vector<std::string>;
  std::vector<program::Location>& locations_;
  std::map<Key, ir::LocId> ids_;
};

}  // namespace ingot::pt2
