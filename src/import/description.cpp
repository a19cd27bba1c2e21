#include "import/description.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "import/graph_importer.h"
#include "import/payload.h"
#include "import/pytree.h"
#include "import/symbols.h"

namespace ingot::pt2 {
namespace {

class Describer {
 public:
  Describer(const Archive& archive, const ExportedProgram& program)
      : archive_(archive), program_(program) {}

  Description run() {
    description_.model = program_.model;
    description_.models = archive_.models();
    description_.torch_version = program_.torch_version;
    description_.schema_version =
        fmt::format("{}.{}", program_.schema_major, program_.schema_minor);
    description_.dialect = program_.is_training_ir() ? "training" : "aten";
    description_.guards = program_.guards_code;
    description_.warnings = program_.warnings;
    if (archive_.models().size() > 1) {
      description_.warnings.push_back(fmt::format("the archive holds {} models: '{}' is described",
                                                  archive_.models().size(), program_.model));
    }
    describe_inputs();
    describe_outputs();
    describe_weights();
    describe_operators();
    return std::move(description_);
  }

 private:
  std::string size_text(const SymInt& size) {
    if (!size.is_expr()) return fmt::format("{}", size.value);
    const std::optional<sym::Expr> expr = symbols_.parse(size.expr);
    return expr ? sym::to_string(*expr) : size.expr;
  }
  std::vector<std::string> size_texts(const TensorMeta& meta) {
    std::vector<std::string> sizes;
    for (const SymInt& size : meta.sizes) sizes.push_back(size_text(size));
    return sizes;
  }
  static std::string dtype_text(const TensorMeta& meta) {
    return std::string(to_string(meta.dtype));
  }

  static std::string constant_text(const Argument& arg) {
    if (const auto* flag = arg.get<bool>()) return *flag ? "True" : "False";
    if (const auto* integer = arg.get<int64_t>()) return fmt::format("{}", *integer);
    if (const auto* number = arg.get<double>()) return fmt::format("{}", *number);
    if (const auto* text = arg.get<std::string>()) return fmt::format("'{}'", *text);
    return arg.get<NoneArg>() ? "None" : "?";
  }

  LeafDescription describe_leaf(const Argument& arg, std::string name) {
    LeafDescription leaf;
    leaf.name = std::move(name);
    if (const auto* tensor = arg.get<TensorArg>()) {
      leaf.kind = "tensor";
      const auto meta = program_.graph.tensor_values.find(tensor->name);
      if (meta == program_.graph.tensor_values.end()) return leaf;
      leaf.dtype = dtype_text(meta->second);
      leaf.sizes = size_texts(meta->second);
    } else if (const auto* number = arg.get<SymIntArg>(); number && !number->name.empty()) {
      leaf.kind = "number";
      const auto value = program_.graph.sym_int_values.find(number->name);
      leaf.value =
          value == program_.graph.sym_int_values.end() ? number->name : size_text(value->second);
    } else if (arg.get<SymFloatArg>() || arg.get<SymBoolArg>()) {
      leaf.kind = "number";
    } else if (const auto* integer = arg.get<SymIntArg>()) {
      leaf.kind = "constant";
      leaf.value = fmt::format("{}", integer->value);
    } else {
      leaf.kind = "constant";
      leaf.value = constant_text(arg);
    }
    return leaf;
  }

  void describe_inputs() {
    const std::vector<std::string> names = input_names(program_);
    size_t leaf = 0;
    for (const InputSpec& spec : program_.inputs) {
      if (!is_call_leaf(spec)) continue;
      LeafDescription input = describe_leaf(spec.arg, names[leaf++]);
      if (const auto* tensor = spec.arg.get<TensorArg>()) collect_symbols(tensor->name);
      if (input.kind == "number") add_symbol(input.value);
      description_.inputs.push_back(std::move(input));
    }
  }

  void collect_symbols(const std::string& tensor) {
    const auto meta = program_.graph.tensor_values.find(tensor);
    if (meta == program_.graph.tensor_values.end()) return;
    for (const SymInt& size : meta->second.sizes) {
      const std::optional<sym::Expr> expr =
          size.is_expr() ? symbols_.parse(size.expr) : std::nullopt;
      if (!expr) continue;
      std::set<std::string, std::less<>> used;
      sym::collect_symbols(*expr, used);
      for (const std::string& symbol : used) add_symbol(symbol);
    }
  }

  void add_symbol(const std::string& name) {
    if (!seen_symbols_.insert(name).second) return;
    SymbolDescription symbol{name, {}, {}};
    const auto range = program_.range_constraints.find(name);
    if (range != program_.range_constraints.end()) {
      symbol.min = range->second.min;
      symbol.max = range->second.max;
    }
    description_.symbols.push_back(std::move(symbol));
  }

  void describe_outputs() {
    const std::vector<std::string> names = output_names(program_);
    size_t leaf = 0;
    for (const OutputSpec& spec : program_.outputs) {
      if (is_call_leaf(spec)) {
        description_.outputs.push_back(describe_leaf(spec.arg, names[leaf++]));
      } else if (spec.kind == OutputSpecKind::kBufferMutation ||
                 spec.kind == OutputSpecKind::kParameterMutation ||
                 spec.kind == OutputSpecKind::kUserInputMutation) {
        description_.updates.push_back(spec.name);
      }
    }
  }

  void describe_weights() {
    const Payloads payloads = read_payloads(archive_, program_.model);
    std::set<std::string> records;
    for (const InputSpec& spec : program_.inputs) {
      WeightDescription weight;
      switch (spec.kind) {
        case InputSpecKind::kParameter:
          weight.kind = "parameter";
          break;
        case InputSpecKind::kBuffer:
          weight.kind = spec.persistent ? "buffer" : "buffer (not saved)";
          break;
        case InputSpecKind::kTensorConstant:
          weight.kind = "constant";
          break;
        default:
          continue;
      }
      weight.name = spec.name;
      const auto payload = payloads.find(spec.name);
      if (payload != payloads.end()) {
        weight.dtype = dtype_text(payload->second.meta);
        weight.sizes = size_texts(payload->second.meta);
        weight.bytes = packed_bytes(payload->second.meta);
        weight.record = payload->second.record;
        records.insert(weight.record);
      }
      description_.weights.push_back(std::move(weight));
    }
    description_.weight_records = records.size();
    for (const std::string& name : records) {
      const Record* record = archive_.find(name);
      if (record) description_.weight_bytes += record->bytes.size();
    }
  }

  void count_operators(const Graph& graph, std::map<std::string, size_t>& counts) {
    for (const Node& node : graph.nodes) {
      ++counts[node.target];
      for (const NamedArgument& input : node.inputs) {
        if (const auto* inner = input.arg.get<GraphArg>()) count_operators(*inner->graph, counts);
      }
    }
  }

  void describe_operators() {
    std::map<std::string, size_t> counts;
    count_operators(program_.graph, counts);
    for (const auto& [target, count] : counts) {
      description_.operators.push_back({operator_name(target), count, is_importable(target)});
    }
    std::sort(description_.operators.begin(), description_.operators.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
  }

  const Archive& archive_;
  const ExportedProgram& program_;
  SymbolTable symbols_;
  std::set<std::string> seen_symbols_;
  Description description_;
};

}  // namespace

bool Description::is_supported() const {
  return std::all_of(operators.begin(), operators.end(),
                     [](const OperatorDescription& op) { return op.supported; });
}

Description make_description(const Archive& archive, const ExportedProgram& program) {
  return Describer(archive, program).run();
}

}  // namespace ingot::pt2
