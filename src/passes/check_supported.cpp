#include "passes/check_supported.h"

#include <fmt/core.h>

#include <map>

#include "support/diagnostics.h"

namespace ingot::passes {

namespace {

struct Use {
  size_t count = 0;
  ir::LocId first = ir::kNoLoc;
  size_t order = 0;  // of the first call among the first calls
};
using Uses = std::map<std::string, Use>;

void collect(const ir::Graph& graph, Uses& uses) {
  for (const ir::Node* node : graph.nodes()) {
    if (!node->op->def) {
      Use& use = uses[node->target()];
      if (use.count++ == 0) {
        use.first = node->loc;
        use.order = uses.size();
      }
    }
    for (const ir::Arg& arg : node->args) {
      if (const auto* inner = std::get_if<std::shared_ptr<ir::Graph>>(&arg)) collect(**inner, uses);
    }
  }
}

}  // namespace

bool check_supported(ir::Model& model, PassContext&) {
  Uses uses;
  collect(model.graph, uses);
  if (uses.empty()) return false;
  std::map<size_t, std::string> in_order;
  for (const auto& [name, use] : uses) in_order[use.order] = name;
  std::vector<std::string> notes;
  for (const auto& [order, name] : in_order) {
    const Use& use = uses.at(name);
    std::string note =
        fmt::format("{}: {} call{}", name, use.count, use.count == 1 ? "" : "s, the first");
    for (const std::string& where : ir::location_notes(model, use.first)) note += " " + where;
    notes.push_back(std::move(note));
  }
  throw CompileError(Diag::kUnsupportedOperator,
                     fmt::format("the model uses {} operator{} that Ingot does not support",
                                 uses.size(), uses.size() == 1 ? "" : "s"),
                     std::move(notes));
}

}  // namespace ingot::passes
