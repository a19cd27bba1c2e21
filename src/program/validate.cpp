#include "program/validate.h"

#include <fmt/core.h>

#include <set>

#include "program/validate_kernel.h"
#include "program/validate_plan.h"
#include "support/diagnostics.h"

namespace ingot::program {
namespace {

Status bad(std::string message) { return make_status(Diag::kBadPackage, std::move(message)); }

class NameSet {
 public:
  // False for the second of a name.
  bool add(std::string_view name) { return names_.insert(name).second; }

 private:
  std::set<std::string_view> names_;
};

bool is_identifier(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (name.empty() || !letter(name[0])) return false;
  for (const char c : name) {
    if (!letter(c) && !(c >= '0' && c <= '9')) return false;
  }
  return true;
}

Status check_symbols(const Program& program) {
  NameSet names;
  for (const Symbol& symbol : program.symbols) {
    if (!is_identifier(symbol.name)) return bad("a symbol's name is not an identifier");
    if (!names.add(symbol.name)) return bad(fmt::format("symbol {} is there twice", symbol.name));
    if (symbol.range.lo > symbol.range.hi) {
      return bad(fmt::format("the range of symbol {} is empty", symbol.name));
    }
  }
  return ok_status();
}

Status check_sizes(const std::vector<sym::Expr>& sizes, const ProgramScope& scope) {
  if (sizes.size() > kMaxRank) return bad("too many dimensions");
  for (const sym::Expr& size : sizes) INGOT_RETURN_IF_ERROR(scope.check_size(size));
  return ok_status();
}

Status check_input(const Input& input, const ProgramScope& scope) {
  switch (input.kind) {
    case InputKind::kTensor:
      return check_sizes(input.sizes, scope);
    case InputKind::kScalar:
      return scope.has_symbol(input.symbol) ? ok_status() : bad("its symbol is not there");
    case InputKind::kBurnedIn:
      return ok_status();
  }
  return bad("it is of an unknown kind");
}

Status check_output(const Program& program, const Output& output, const ProgramScope& scope) {
  switch (output.kind) {
    case OutputKind::kTensor:
      return check_sizes(output.sizes, scope);
    case OutputKind::kLiteral:
      return ok_status();
    case OutputKind::kScalar:
      return scope.check(output.scalar);
    case OutputKind::kInput:
      if (output.input >= program.inputs.size() ||
          program.inputs[output.input].kind != InputKind::kTensor) {
        return bad("it is not one of the input tensors");
      }
      return ok_status();
  }
  return bad("it is of an unknown kind");
}

Status check_signature(const Program& program, const ProgramScope& scope) {
  NameSet names;
  for (const Input& input : program.inputs) {
    if (!names.add(input.name)) return bad(fmt::format("input {} is there twice", input.name));
    Status status = check_input(input, scope);
    if (!status.ok()) return std::move(status).with_context(fmt::format("input {}", input.name));
  }
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    Status status = check_output(program, program.outputs[i], scope);
    if (!status.ok()) return std::move(status).with_context(fmt::format("output {}", i));
  }
  for (const Guard& guard : program.guards) {
    Status status = scope.check(guard.condition);
    if (!status.ok()) return std::move(status).with_context(fmt::format("guard {}", guard.text));
  }
  return ok_status();
}

// The bytes of its storage that a weight reaches, from the storage's start; nothing on overflow.
std::optional<uint64_t> reach_bytes(const Weight& weight) {
  int64_t last = weight.storage_offset;
  int64_t elements = 1;
  bool overflow = last < 0;
  for (size_t i = 0; i < weight.sizes.size(); ++i) {
    const int64_t size = weight.sizes[i];
    const int64_t stride = weight.strides[i];
    if (size < 0 || stride < 0) return std::nullopt;
    int64_t step = 0;
    overflow |= __builtin_mul_overflow(elements, size, &elements);
    overflow |= __builtin_mul_overflow(size == 0 ? 0 : size - 1, stride, &step);
    overflow |= __builtin_add_overflow(last, step, &last);
  }
  int64_t bytes = 0;
  int64_t whole = 0;
  overflow |= __builtin_mul_overflow(elements, size_of(weight.dtype), &whole);
  overflow |= last == INT64_MAX || __builtin_mul_overflow(last + 1, size_of(weight.dtype), &bytes);
  if (overflow) return std::nullopt;
  return elements == 0 ? 0 : static_cast<uint64_t>(bytes);
}

Status check_weights(const Program& program) {
  NameSet names;
  for (const Weight& weight : program.weights) {
    const auto fault = [&weight](std::string_view what) {
      return bad(fmt::format("weight {} {}", weight.name, what));
    };
    if (!names.add(weight.name)) return fault("is there twice");
    if (weight.storage >= program.storages.size()) return fault("has no storage");
    if (weight.sizes.size() != weight.strides.size() || weight.sizes.size() > kMaxRank) {
      return fault("has a malformed shape");
    }
    const std::optional<uint64_t> bytes = reach_bytes(weight);
    if (!bytes || *bytes > program.storages[weight.storage].bytes) {
      return fault("is larger than its storage");
    }
  }
  return ok_status();
}

}  // namespace

Status validate(const Program& program) {
  INGOT_RETURN_IF_ERROR(check_symbols(program));
  ExprFactsCache facts;
  const ProgramScope scope(program, facts);
  INGOT_RETURN_IF_ERROR(check_signature(program, scope));
  INGOT_RETURN_IF_ERROR(check_weights(program));
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    Status status = validate_kernel(program.kernels[i], facts);
    if (!status.ok()) {
      return std::move(status).with_context(
          fmt::format("kernel {} ({})", i, program.kernels[i].name));
    }
  }
  NameSet targets;
  for (const Plan& plan : program.plans) {
    if (!targets.add(plan.target)) return bad(fmt::format("plan {} is there twice", plan.target));
    Status status = validate_plan(program, plan, scope);
    if (!status.ok()) return std::move(status).with_context(fmt::format("plan {}", plan.target));
  }
  return ok_status();
}

}  // namespace ingot::program
