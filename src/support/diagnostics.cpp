#include "support/diagnostics.h"

#include <fmt/core.h>

namespace ingot {

StatusCode code_of(Diag diag) {
  switch (diag) {
#define INGOT_DIAG(name, number, code, help) \
  case Diag::name:                           \
    return StatusCode::code;
#include "support/diagnostics.def"
#undef INGOT_DIAG
  }
  return StatusCode::kInternal;
}

Status make_status(Diag diag, std::string message) {
  return Status(code_of(diag), static_cast<int>(diag), std::move(message));
}

std::string to_string(const Diagnostic& diagnostic) {
  std::string text =
      fmt::format("error[E{:04}]: {}", static_cast<int>(diagnostic.id), diagnostic.message);
  for (const std::string& note : diagnostic.notes) text += "\n  " + note;
  return text;
}

CompileError::CompileError(Diagnostic diagnostic)
    : diagnostic_(std::move(diagnostic)), text_(to_string(diagnostic_)) {}

void CompileError::add_note(std::string note) {
  diagnostic_.notes.push_back(std::move(note));
  text_ = to_string(diagnostic_);
}

InternalError::InternalError(std::string message, SourceLocation where)
    : text_(fmt::format("error[E{:04}]: internal error: {}\n  at {}:{}",
                        static_cast<int>(Diag::kInternal), message, where.file, where.line)) {}

void InternalError::add_note(std::string note) { text_ += "\n  " + note; }

void throw_status(const Status& status) {
  if (status.code() == StatusCode::kInternal) throw InternalError(status.message());
  throw CompileError(static_cast<Diag>(status.id()), status.message());
}

void check_failed(const char* condition, std::string message, SourceLocation where) {
  throw InternalError(fmt::format("{} (failed: {})", message, condition), where);
}

}  // namespace ingot
