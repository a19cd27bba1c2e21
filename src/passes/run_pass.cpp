#include <fmt/core.h>

#include <chrono>

#include "ir/text.h"
#include "ir/verify.h"
#include "passes/pipeline.h"
#include "support/diagnostics.h"

namespace ingot::passes {

namespace {

// Below the message: the user's line, then what the compiler was doing.
template <typename Error>
void add_notes(Error& error, const Pass& pass, const ir::Model& model, const PassContext& context) {
  for (std::string& note : ir::location_notes(model, context.loc())) {
    error.add_note(std::move(note));
  }
  error.add_note(context.node().empty()
                     ? fmt::format("while running pass {}", pass.name)
                     : fmt::format("while running pass {} on node %{}", pass.name, context.node()));
}

void dump(const Pass& pass, const ir::Model& model, const RunOptions& options, bool changed) {
  if (!options.dump || (options.print_after != pass.name && options.print_after != "all")) return;
  *options.dump += fmt::format("# after {}{}\n", pass.name, changed ? "" : " (unchanged)");
  if (changed || options.print_after != "all") *options.dump += ir::to_string(model);
}

}  // namespace

bool run_pass(const Pass& pass, ir::Model& model, PassContext& context, const RunOptions& options) {
  ir::verify(model);
  context.visit_nothing();
  const auto start = std::chrono::steady_clock::now();
  bool changed = false;
  try {
    changed = pass.function(model, context);
    context.visit_nothing();
    ir::verify(model);
  } catch (CompileError& error) {
    add_notes(error, pass, model, context);
    throw;
  } catch (InternalError& error) {
    add_notes(error, pass, model, context);
    throw;
  }
  if (options.records) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    options.records->push_back({pass.name, changed, elapsed.count()});
  }
  dump(pass, model, options, changed);
  return changed;
}

}  // namespace ingot::passes
