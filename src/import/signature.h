// What the inputs and outputs of the exported graph mean: weights, the caller's arguments, results,
// new contents of buffers.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "import/archive.h"
#include "import/graph_importer.h"
#include "import/import_context.h"
#include "import/payload.h"

namespace ingot::pt2 {

class SignatureImporter {
 public:
  SignatureImporter(ImportContext& context, const Archive& archive)
      : context_(context), archive_(archive) {}

  // Adds the graph's inputs: every argument of the caller, and those weights that the graph uses.
  // Fills the model's inputs, user_inputs, weights, storages and symbols. Throws CompileError:
  // kArchiveWeight, kBadGraph, kUnsupportedCase.
  void import_inputs(Scope& scope);
  // Adds the graph's outputs after its nodes. Fills outputs and user_outputs; marks inputs that the
  // model writes.
  void import_outputs(Scope& scope);

  // The records of the storages that are kept.
  const std::vector<const Record*>& records() const { return records_; }

 private:
  void import_weight(Scope& scope, const InputSpec& spec, const Payloads& payloads);
  uint32_t add_storage(const std::string& record);
  void import_user_input(Scope& scope, const InputSpec& spec, std::string name);
  void import_tied_names(const Payloads& payloads);
  void import_number_input(Scope& scope, const SymIntArg& arg, program::Input input);
  void bind_symbols();
  void import_output(Scope& scope, const OutputSpec& spec, std::string name);
  void import_user_output(Scope& scope, const Argument& arg, std::string name);
  void import_mutation(Scope& scope, const OutputSpec& spec);

  ImportContext& context_;
  const Archive& archive_;
  std::map<std::string, uint32_t> storages_;       // by record
  std::vector<const Record*> records_;             // by storage
  std::map<std::string, uint32_t> weight_inputs_;  // graph input of a weight's name
  std::map<std::string, uint32_t> user_inputs_;    // graph input of the caller's tensors, by value
};

}  // namespace ingot::pt2
