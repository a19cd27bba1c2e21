// What the opaque types of the C API hold.
#pragma once

#include <fmt/core.h>

#include <atomic>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "runtime/api/ingot.h"
#include "runtime/core/context.h"
#include "runtime/core/turn.h"
#include "support/diagnostics.h"

struct ingot_status {
  ingot::Status status;
};

namespace ingot::runtime {

// The texts and numbers behind ingot_info, made once.
struct InfoTable {
  struct Entry {
    ingot_info info{};
    std::vector<ingot_dim> dims;
    std::vector<std::string> expressions;
  };
  std::vector<Entry> inputs;
  std::vector<Entry> outputs;
  std::vector<Entry> states;
  std::vector<Entry> weights;
};
InfoTable describe_program(const LoadedProgram& program);

inline ingot_status* to_handle(Status status) {
  if (status.ok()) return nullptr;
  return new ingot_status{std::move(status)};
}

// A status that needs no memory, and is never freed.
ingot_status* out_of_memory() noexcept;

// Runs the body of a C function: a Status becomes its result, and no exception passes.
template <typename Body>
ingot_status* guarded(Body body) noexcept {
  try {
    return to_handle(body());
  } catch (const std::exception&) {  // of the standard library: this project's code below has none
    return out_of_memory();
  }
}

inline Status bad_call(std::string message) {
  return make_status(Diag::kBadCall, std::move(message));
}

}  // namespace ingot::runtime

struct ingot_program {
  std::shared_ptr<ingot::runtime::LoadedProgram> loaded;
  std::shared_ptr<const ingot::runtime::InfoTable> table;
};

struct ingot_context {
  std::unique_ptr<ingot::runtime::Context> context;
  std::shared_ptr<const ingot::runtime::InfoTable> table;
  std::atomic<bool> busy{false};  // guards the vectors
  // Kept so that their memory is used again.
  std::vector<ingot::runtime::Argument> arguments;
  std::vector<ingot::runtime::TensorView> destinations;
  std::vector<ingot::runtime::OutputSlot> slots;
};
