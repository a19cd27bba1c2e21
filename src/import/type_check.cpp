#include "import/type_check.h"

#include <fmt/core.h>

#include <string_view>

#include "ir/text.h"
#include "ops/op_table.h"
#include "support/diagnostics.h"

namespace ingot::pt2 {
namespace {

// False if the types differ for some values of the symbols. Sizes that Ingot cannot prove equal
// are taken as recorded: the export knew more about them.
bool may_be_equal(const ir::TensorType& inferred, const ir::TensorType& recorded,
                  const sym::Ranges& ranges) {
  if (inferred.dtype != recorded.dtype || inferred.rank() != recorded.rank()) return false;
  for (size_t dim = 0; dim < recorded.sizes.size(); ++dim) {
    const sym::Expr differs = sym::ne(inferred.sizes[dim], recorded.sizes[dim]);
    if (sym::provably(differs, ranges)) return false;
  }
  return true;
}

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

class TypeChecker {
 public:
  explicit TypeChecker(ImportContext& context)
      : context_(context), ranges_(context.model.ranges()) {}

  void check_graph(const ir::Graph& graph) {
    const std::vector<uint32_t> uses = ir::use_counts(graph);
    for (const ir::Node* node : graph.nodes()) {
      for (const ir::Arg& arg : node->args) {
        if (const auto* inner = std::get_if<std::shared_ptr<ir::Graph>>(&arg)) check_graph(**inner);
      }
      check_node(*node, uses);
    }
  }

 private:
  void check_node(const ir::Node& node, const std::vector<uint32_t>& uses) {
    // An in-place call gives its operand's type, whatever the functional twin would give.
    if (node.op->schema.is_mutating() || !node.op->def->infer) return;
    std::vector<ir::TensorType> inferred;
    try {
      ir::Node call;
      call.op = node.op;
      call.args = node.args;
      inferred = ops::op_table().infer(call);
    } catch (CompileError& error) {
      if (error.diagnostic().id == Diag::kUnsupportedCase) {
        context_.unsupported.add_operator(node.target(), error.diagnostic().message, node.loc);
        return;
      }
      for (std::string& note : ir::location_notes(context_.model, node.loc)) error.add_note(note);
      throw;
    } catch (const InternalError& error) {
      // Arguments that fit the schema, but that the operator is not made for.
      context_.unsupported.add_operator(node.target(), first_line(error.what()), node.loc);
      return;
    }
    bool agrees = inferred.size() == node.results.size();
    for (size_t i = 0; agrees && i < inferred.size(); ++i) {
      const ir::Value* result = node.results[i];
      // Statistics that nothing reads have other types on other devices.
      if (uses[result->id] == 0) continue;
      if (may_be_equal(inferred[i], result->type, ranges_)) continue;
      throw CompileError(
          Diag::kBadGraph,
          fmt::format("the export says that %{} is {}, but {} gives {}", result->name,
                      to_string(result->type), node.target(), to_string(inferred[i])),
          ir::location_notes(context_.model, node.loc));
    }
    if (agrees) return;
    throw CompileError(Diag::kBadGraph,
                       fmt::format("the export says that {} has {} results, but it gives {}",
                                   node.target(), node.results.size(), inferred.size()),
                       ir::location_notes(context_.model, node.loc));
  }

  ImportContext& context_;
  sym::Ranges ranges_;
};

}  // namespace

void check_types(ImportContext& context) { TypeChecker(context).check_graph(context.model.graph); }

}  // namespace ingot::pt2
