#include "passes/pipeline.h"

#include <fmt/core.h>

#include "passes/decompose.h"
#include "passes/eliminate_common_subexpressions.h"
#include "passes/eliminate_dead_code.h"
#include "passes/expand_attention.h"
#include "passes/fold_channel_affine.h"
#include "passes/fold_constants.h"
#include "passes/functionalize.h"
#include "passes/fuse_attention.h"
#include "passes/merge_matmul_batches.h"
#include "passes/share_attention_heads.h"
#include "passes/simplify_sizes.h"
#include "passes/simplify_views.h"
#include "support/diagnostics.h"

namespace ingot::passes {

namespace {

constexpr Pass kPasses[] = {
#define INGOT_PASS(function, name, help) {name, function, help},
#include "passes/passes.def"
#undef INGOT_PASS
};

}  // namespace

std::span<const Pass> all_passes() { return kPasses; }

const Pass* find_pass(std::string_view name) {
  for (const Pass& pass : kPasses) {
    if (pass.name == name) return &pass;
  }
  return nullptr;
}

void run_pipeline(ir::Model& model, PassContext& context, const RunOptions& options) {
  if (!options.print_after.empty() && options.print_after != "all" &&
      !find_pass(options.print_after)) {
    throw CompileError(Diag::kBadOption, fmt::format("there is no pass '{}'", options.print_after));
  }
  const auto run = [&](std::string_view name) {
    return run_pass(*find_pass(name), model, context, options);
  };

  // What the model means: values, no writes.
  run("functionalize");

  // Few, simple operators.
  run("decompose");
  run("simplify-sizes");
  run("fold-constants");
  run("simplify-views");
  run("eliminate-common-subexpressions");
  run("eliminate-dead-code");

  // Fused patterns. They look at who reads a value, so nothing dead may be left.
  run("fuse-attention");
  run("expand-attention");
  run("merge-matmul-batches");
  run("fold-channel-affine");

  // What the rewrites above have left behind.
  run("simplify-sizes");
  run("fold-constants");
  run("simplify-views");
  run("share-attention-heads");
  run("eliminate-common-subexpressions");
  run("eliminate-dead-code");
}

}  // namespace ingot::passes
