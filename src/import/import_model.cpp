#include "import/import_model.h"

#include <fmt/core.h>

#include "import/graph_importer.h"
#include "import/guard.h"
#include "import/signature.h"
#include "import/type_check.h"
#include "support/diagnostics.h"

namespace ingot::pt2 {
namespace {

void require_bound(const SymbolTable& symbols, const sym::Expr& expr, const ir::Model& model,
                   const ir::Node& node) {
  if (symbols.is_bound(expr)) return;
  throw CompileError(Diag::kUnsupportedCase,
                     fmt::format("{} depends on the data of a tensor through {}", node.target(),
                                 sym::to_string(expr)),
                     ir::location_notes(model, node.loc));
}

// Sizes and arguments may only use symbols that the inputs determine.
void check_symbols(const SymbolTable& symbols, const ir::Model& model, const ir::Graph& graph) {
  for (const ir::Node* node : graph.nodes()) {
    for (const ir::Value* result : node->results) {
      for (const sym::Expr& size : result->type.sizes) require_bound(symbols, size, model, *node);
    }
    for (const ir::Arg& arg : node->args) {
      if (const auto* expr = std::get_if<sym::Expr>(&arg)) {
        require_bound(symbols, *expr, model, *node);
      } else if (const auto* exprs = std::get_if<std::vector<sym::Expr>>(&arg)) {
        for (const sym::Expr& element : *exprs) require_bound(symbols, element, model, *node);
      } else if (const auto* inner = std::get_if<std::shared_ptr<ir::Graph>>(&arg)) {
        check_symbols(symbols, model, **inner);
      }
    }
  }
}

}  // namespace

std::unique_ptr<ir::Model> import_model(std::shared_ptr<const Archive> archive,
                                        const ExportedProgram& program,
                                        const ImportOptions& options) {
  auto model = std::make_unique<ir::Model>();
  ImportContext context(program, *model);
  Scope scope{program.graph, model->graph, {}};
  SignatureImporter signature(context, *archive);
  signature.import_inputs(scope);
  import_guards(context);
  GraphImporter importer(context);
  importer.import_nodes(scope);
  signature.import_outputs(scope);
  context.unsupported.throw_if_any(*model);
  check_symbols(context.symbols, *model, model->graph);
  check_types(context);
  context.unsupported.throw_if_any(*model);
  if (options.check_weights) archive->check_crcs(signature.records(), options.threads);
  model->keep_alive = std::move(archive);
  return model;
}

std::unique_ptr<ir::Model> import_file(const std::string& path, const ImportOptions& options) {
  std::shared_ptr<const Archive> archive = Archive::open(path);
  const ExportedProgram program = read_exported_program(*archive, archive->models().front());
  std::vector<std::string> warnings = program.warnings;
  if (archive->models().size() > 1) {
    warnings.push_back(fmt::format("the archive holds {} models: took '{}'",
                                   archive->models().size(), program.model));
  }
  std::unique_ptr<ir::Model> model = import_model(std::move(archive), program, options);
  model->warnings.insert(model->warnings.begin(), warnings.begin(), warnings.end());
  return model;
}

}  // namespace ingot::pt2
