#include "passes/eliminate_common_subexpressions.h"

#include <bit>
#include <unordered_map>

#include "ops/op_def.h"
#include "passes/replacements.h"

namespace ingot::passes {

namespace {

uint64_t mix(uint64_t seed, uint64_t value) {
  return (seed ^ value) * 0x9e3779b97f4a7c15u + (seed >> 29);
}

uint64_t hash_of(std::monostate) { return 1; }
uint64_t hash_of(const ir::Value* value) { return value ? value->id + 2 : 0; }
uint64_t hash_of(const sym::Expr& expr) { return expr.hash(); }
uint64_t hash_of(double value) { return std::bit_cast<uint64_t>(value); }
uint64_t hash_of(bool value) { return value ? 3 : 4; }
uint64_t hash_of(const std::string& text) { return std::hash<std::string>()(text); }
uint64_t hash_of(DType dtype) { return static_cast<uint64_t>(dtype) + 100; }
uint64_t hash_of(const std::shared_ptr<ir::Graph>&) { return 5; }
template <typename T>
uint64_t hash_of(const std::vector<T>& list) {
  uint64_t hash = list.size();
  for (const auto& element : list) hash = mix(hash, hash_of(T(element)));
  return hash;
}

uint64_t hash_of(const ir::Node& node) {
  uint64_t hash = hash_of(node.op->schema.name);
  for (const ir::Arg& arg : node.args) {
    hash = mix(hash, std::visit([](const auto& value) { return hash_of(value); }, arg));
  }
  return hash;
}

// Floats are the same if their bits are: 0.0 is not -0.0, and NaN is NaN.
bool same(double a, double b) { return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b); }
template <typename T>
bool same(const T& a, const T& b) {
  return a == b;
}
bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return same(x, y); });
}

bool same_arg(const ir::Arg& a, const ir::Arg& b) {
  return a.index() == b.index() && std::visit(
                                       [&](const auto& value) {
                                         using T = std::decay_t<decltype(value)>;
                                         return same(value, std::get<T>(b));
                                       },
                                       a);
}

bool same_call(const ir::Node& a, const ir::Node& b) {
  if (a.op != b.op || a.results.size() != b.results.size()) return false;
  for (size_t i = 0; i < a.results.size(); ++i) {
    if (a.results[i]->type != b.results[i]->type) return false;
  }
  return std::equal(a.args.begin(), a.args.end(), b.args.begin(), b.args.end(), same_arg);
}

bool may_be_shared(const ir::Node& node) {
  if (node.results.empty()) return false;
  if (node.op->def && node.op->def->kind == ops::OpKind::kEffect) return false;
  // Random numbers come from a generator, which the exported schema lists.
  if (node.has_param("generator")) return false;
  for (const ir::Param& param : node.op->schema.params) {
    if (param.kind == ir::ArgKind::kGraph || param.is_written) return false;
  }
  return true;
}

}  // namespace

bool eliminate_common_subexpressions(ir::Model& model, PassContext&) {
  ir::Graph& graph = model.graph;
  std::unordered_multimap<uint64_t, ir::Node*> seen;
  Replacements replaced;
  bool changed = false;
  for (ir::Node* node = graph.nodes().front(); node;) {
    ir::Node* const next = node->next();
    replaced.apply(*node);
    if (may_be_shared(*node)) {
      const uint64_t hash = hash_of(*node);
      const auto [first, last] = seen.equal_range(hash);
      auto twin = first;
      while (twin != last && !same_call(*twin->second, *node)) ++twin;
      if (twin == last) {
        seen.emplace(hash, node);
      } else {
        for (size_t i = 0; i < node->results.size(); ++i) {
          replaced.add(node->results[i], twin->second->results[i]);
        }
        graph.erase_node(node);
        changed = true;
      }
    }
    node = next;
  }
  replaced.apply_to_outputs(graph);
  return changed;
}

}  // namespace ingot::passes
