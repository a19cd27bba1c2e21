// Errors of the exception-free libraries: Status and Result<T> carry a code, an error id and text.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace ingot {

// What kind of thing is at fault; the command line's exit code follows from it.
enum class StatusCode : uint8_t {
  kOk = 0,
  kInvalidArgument = 1,  // an option or a call's argument is ill-formed (exit 2)
  kInvalidData = 2,      // the model, package or input is at fault (exit 3)
  kEnvironment = 3,      // no GPU, no NVRTC, no memory, unreadable file (exit 4)
  kInternal = 4,         // a bug in Ingot (exit 70)
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  // `id` is a registered diagnostic number, printed as error[E0123].
  Status(StatusCode code, int id, std::string message)
      : code_(code), id_(id), message_(std::move(message)) {}

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  int id() const { return id_; }
  const std::string& message() const { return message_; }
  // "loading x.ingot: …": the caller's step goes in front as the error travels up.
  Status with_context(std::string_view step) && {
    message_ = std::string(step) + ": " + message_;
    return std::move(*this);
  }
  // A second line below the message, such as the user's Python line.
  Status with_note(std::string_view note) && {
    message_ += "\n  " + std::string(note);
    return std::move(*this);
  }

 private:
  StatusCode code_ = StatusCode::kOk;
  int id_ = 0;
  std::string message_;
};

inline Status ok_status() { return {}; }

// A value or the Status that explains its absence.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : storage_(std::move(value)) {}         // NOLINT: implicit by intent
  Result(Status status) : storage_(std::move(status)) {}  // NOLINT: implicit by intent

  bool ok() const { return storage_.index() == 0; }
  const Status& status() const& { return std::get<1>(storage_); }
  Status status() && { return std::get<1>(std::move(storage_)); }
  T& value() & { return *std::get_if<0>(&storage_); }
  const T& value() const& { return *std::get_if<0>(&storage_); }
  T&& value() && { return std::move(*std::get_if<0>(&storage_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, Status> storage_;
};

}  // namespace ingot

#define INGOT_CONCAT_INNER(a, b) a##b
#define INGOT_CONCAT(a, b) INGOT_CONCAT_INNER(a, b)

// Returns the Status of `expr` to the caller unless it is ok.
#define INGOT_RETURN_IF_ERROR(expr)                                                        \
  do {                                                                                     \
    if (::ingot::Status ingot_failure = (expr); !ingot_failure.ok()) return ingot_failure; \
  } while (false)

// Declares `decl` with the value of the Result `expr`, or returns its Status to the caller.
#define INGOT_ASSIGN_OR_RETURN(decl, expr) \
  INGOT_ASSIGN_OR_RETURN_IMPL(INGOT_CONCAT(ingot_result_, __LINE__), decl, expr)
#define INGOT_ASSIGN_OR_RETURN_IMPL(result, decl, expr) \
  auto result = (expr);                                 \
  if (!result.ok()) return std::move(result).status();  \
  decl = std::move(result).value()
