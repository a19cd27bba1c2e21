// What every pass is: a function from a model to a changed model, stateless and deterministic.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ir/builder.h"
#include "ir/model.h"

namespace ingot::passes {

enum class FusedAttention : uint8_t {
  kAuto,  // fuse where the fused kernel's constraints hold
  kOn,    // the same, and say in the model's warnings why a node was not fused
  kOff,   // decomposed math everywhere
};

// What a pass may know beside the model, and where it tells what it is working on.
class PassContext {
 public:
  explicit PassContext(const ir::OperatorTable& table) : operators(table) {}

  const ir::OperatorTable& operators;
  FusedAttention fused_attention = FusedAttention::kAuto;

  // The node being worked on; errors name it and its line of Python.
  void visit(const ir::Node& node) {
    node_ = node.name;
    loc_ = node.loc;
  }
  void visit_nothing() {
    node_.clear();
    loc_ = ir::kNoLoc;
  }
  const std::string& node() const { return node_; }
  ir::LocId loc() const { return loc_; }

 private:
  std::string node_;
  ir::LocId loc_ = ir::kNoLoc;
};

// Returns whether it changed anything. Throws CompileError if the model is at fault.
using PassFn = bool (*)(ir::Model& model, PassContext& context);

struct Pass {
  std::string_view name;  // as on the command line: "eliminate-dead-code"
  PassFn function;
  std::string_view help;  // one line
};

// All passes of passes.def, in the order of that file.
std::span<const Pass> all_passes();
// The pass of that name, or null.
const Pass* find_pass(std::string_view name);

}  // namespace ingot::passes
