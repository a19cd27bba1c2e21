#include "ir/model.h"

#include <fmt/core.h>

namespace ingot::ir {

sym::Ranges Model::ranges() const {
  sym::Ranges ranges;
  for (const program::Symbol& symbol : symbols) ranges.emplace(symbol.name, symbol.range);
  return ranges;
}

std::vector<std::string> location_notes(const Model& model, LocId loc) {
  std::vector<std::string> notes;
  if (loc >= model.locations.size()) return notes;
  const program::Location& where = model.locations[loc];
  if (!where.file.empty()) {
    std::string note = fmt::format("at {}:{}", where.file, where.line);
    if (!where.function.empty()) note += fmt::format(" in {}", where.function);
    if (!where.code.empty()) note += fmt::format(": {}", where.code);
    notes.push_back(std::move(note));
  }
  if (!where.module_path.empty() && !where.node.empty()) {
    notes.push_back(fmt::format("in {}, export node %{}", where.module_path, where.node));
  } else if (!where.module_path.empty()) {
    notes.push_back(fmt::format("in {}", where.module_path));
  } else if (!where.node.empty()) {
    notes.push_back(fmt::format("export node %{}", where.node));
  }
  return notes;
}

}  // namespace ingot::ir
