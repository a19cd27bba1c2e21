// Errors of the compiler: CompileError when the model or an option is at fault, InternalError for a
// bug in Ingot. Every user-facing message has an id in diagnostics.def.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "support/status.h"

namespace ingot {

// Registered diagnostics: the enumerator is the name, its value the number printed as error[E0301].
enum class Diag : int {
#define INGOT_DIAG(name, number, code, help) name = number,
#include "support/diagnostics.def"
#undef INGOT_DIAG
};

// The kind of fault a diagnostic stands for; decides the exit code.
StatusCode code_of(Diag diag);

// A Status for the exception-free libraries with the id of `diag`.
Status make_status(Diag diag, std::string message);

// One error as the user reads it. `notes` are printed below, one per line.
struct Diagnostic {
  Diag id;
  std::string message;             // lower case, no final period
  std::vector<std::string> notes;  // "at model.py:12 in forward: …", "in layers.3 (Linear)"
};

// "error[E0301]: message" and the notes, indented by two.
std::string to_string(const Diagnostic& diagnostic);

class CompileError : public std::exception {
 public:
  explicit CompileError(Diagnostic diagnostic);
  CompileError(Diag id, std::string message, std::vector<std::string> notes = {})
      : CompileError(Diagnostic{id, std::move(message), std::move(notes)}) {}
  const Diagnostic& diagnostic() const { return diagnostic_; }
  void add_note(std::string note);
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  Diagnostic diagnostic_;
  std::string text_;
};

// std::source_location, which clang 14 does not have.
struct SourceLocation {
  const char* file = "";
  unsigned line = 0;
  static constexpr SourceLocation current(const char* in_file = __builtin_FILE(),
                                          unsigned at_line = __builtin_LINE()) {
    return {in_file, at_line};
  }
};

class InternalError : public std::exception {
 public:
  InternalError(std::string message, SourceLocation where = SourceLocation::current());
  void add_note(std::string note);
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

// Turns a failed Status of an exception-free library into the matching exception.
[[noreturn]] void throw_status(const Status& status);
inline void check_ok(const Status& status) {
  if (!status.ok()) throw_status(status);
}
template <typename T>
T value_or_throw(Result<T> result) {
  if (!result.ok()) throw_status(result.status());
  return std::move(result).value();
}

[[noreturn]] void check_failed(const char* condition, std::string message, SourceLocation where);

}  // namespace ingot

// Throws InternalError when `cond` is false. On in all builds; never reachable by a user's model.
#define INGOT_CHECK(cond, message)                                                          \
  do {                                                                                      \
    if (!(cond)) ::ingot::check_failed(#cond, message, ::ingot::SourceLocation::current()); \
  } while (false)
