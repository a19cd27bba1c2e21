#include "compiler/compile.h"

#include "import/import_model.h"
#include "ops/op_table.h"
#include "program/validate.h"
#include "schedule/schedule.h"
#include "support/diagnostics.h"

namespace ingot::compiler {

Compiled compile_model(std::unique_ptr<ir::Model> model, const Options& options) {
  Compiled compiled;
  passes::PassContext context(ops::op_table());
  context.fused_attention = options.fused_attention;
  passes::RunOptions run;
  run.print_after = options.print_after;
  run.dump = &compiled.printed;
  passes::run_pipeline(*model, context, run);
  schedule::Scheduled scheduled = schedule::schedule_model(*model, "cpu");
  if (const Status status = program::validate(scheduled.program); !status.ok()) {
    throw InternalError("the scheduled program is malformed: " + status.message());
  }
  compiled.program = std::move(scheduled.program);
  for (const uint32_t storage : scheduled.storages) {
    compiled.storages.push_back(model->storages[storage]);
  }
  compiled.keep_alive = model->keep_alive;
  compiled.warnings = model->warnings;
  return compiled;
}

Compiled compile_archive(const std::string& path, const Options& options) {
  return compile_model(pt2::import_file(path), options);
}

}  // namespace ingot::compiler
