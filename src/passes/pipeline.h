// Runs passes: the readable list of all of them, with verification, dumps and timing around each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "passes/pass.h"

namespace ingot::passes {

// What happened to one pass of a run.
struct PassRecord {
  std::string_view name;
  bool changed = false;
  double seconds = 0;
};

struct RunOptions {
  std::string print_after;                     // a pass's name, or "all"; empty: print nothing
  std::string* dump = nullptr;                 // where print_after appends the model's text
  std::vector<PassRecord>* records = nullptr;  // appended to, if not null
};

// Runs one pass: verifies the model before and after it, and adds the pass, the node and the
// user's Python line to an error's notes.
bool run_pass(const Pass& pass, ir::Model& model, PassContext& context,
              const RunOptions& options = {});

// Everything between import and schedule. Afterwards the graph is functional and holds no composite
// operators. Throws CompileError if the model cannot be compiled, or if options.print_after names
// no pass (kBadOption).
void run_pipeline(ir::Model& model, PassContext& context, const RunOptions& options = {});

}  // namespace ingot::passes
