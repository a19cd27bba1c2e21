#include "runtime/core/location.h"

namespace ingot::runtime {

Status with_location(Status status, const program::Program& program, program::LocIndex loc) {
  if (status.ok() || loc >= program.locations.size()) return status;
  const program::Location& location = program.locations[loc];
  if (!location.file.empty()) {
    std::string note = "at " + location.file + ":" + std::to_string(location.line);
    if (!location.function.empty()) note += " in " + location.function;
    if (!location.code.empty()) note += ": " + location.code;
    status = std::move(status).with_note(note);
  }
  if (!location.module_path.empty() || !location.node.empty()) {
    std::string note = location.module_path.empty() ? "" : "in " + location.module_path;
    if (!location.node.empty()) {
      note += note.empty() ? "export node %" : ", export node %";
      note += location.node;
    }
    status = std::move(status).with_note(note);
  }
  return status;
}

}  // namespace ingot::runtime
