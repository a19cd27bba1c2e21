#include "import/pytree.h"

#include <fmt/core.h>

#include <algorithm>

#include "import/json.h"
#include "support/diagnostics.h"

namespace ingot::pt2 {
namespace {

using NamedTuples = std::map<std::string, std::vector<std::string>>;

// Keys in a node's context: a JSON list of strings. Other contexts (null, the bare name of a
// namedtuple, numbers as keys) give none; malformed ones, too, since they are only names.
std::vector<std::string> keys_of_context(const std::string& context) {
  std::vector<std::string> keys;
  if (!context.starts_with('[')) return keys;
  try {
    JsonReader json(context, "context");
    json.array([&] {
      if (json.peek() == JsonReader::Kind::kString) {
        keys.push_back(json.string());
      } else if (json.peek() == JsonReader::Kind::kNumber) {
        keys.push_back(fmt::format("{}", json.integer()));
      } else {
        json.fail("no key");
      }
    });
    json.finish();
  } catch (const CompileError&) {
    keys.clear();
  }
  return keys;
}

PytreeNode read_node(JsonReader& json, const NamedTuples& namedtuple_fields) {
  PytreeNode node;
  std::string context;
  json.object([&](std::string_view key) {
    if (key == "type") {
      if (!json.null()) node.type = json.string();
    } else if (key == "context") {
      // A string that holds JSON, or (namedtuples) a bare name.
      if (json.peek() == JsonReader::Kind::kString) {
        context = json.string();
      } else {
        json.skip();
      }
    } else if (key == "children_spec") {
      json.array([&] { node.children.push_back(read_node(json, namedtuple_fields)); });
    } else {
      json.skip();
    }
  });
  const auto fields = namedtuple_fields.find(context);
  node.keys = fields != namedtuple_fields.end() ? fields->second : keys_of_context(context);
  if (node.keys.size() != node.children.size()) node.keys.clear();
  return node;
}

// A name for an input without a path: the graph's own.
std::string name_in_graph(const InputSpec& spec, size_t index) {
  if (const auto* tensor = spec.arg.get<TensorArg>()) return tensor->name;
  const auto* number = spec.arg.get<SymIntArg>();
  if (number && !number->name.empty()) return number->name;
  return spec.name.empty() ? fmt::format("in{}", index) : spec.name;
}

void append_paths(const PytreeNode& node, const std::string& path,
                  std::vector<std::string>& paths) {
  if (node.is_leaf()) {
    paths.push_back(path);
    return;
  }
  for (size_t i = 0; i < node.children.size(); ++i) {
    const std::string step = node.keys.empty() ? fmt::format("{}", i) : node.keys[i];
    append_paths(node.children[i], path.empty() ? step : path + "." + step, paths);
  }
}

}  // namespace

PytreeNode parse_pytree(const std::string& spec, const std::string& what,
                        const NamedTuples& namedtuple_fields) {
  constexpr int64_t kProtocol = 1;
  JsonReader json(spec, what);
  PytreeNode tree;
  size_t count = 0;
  json.array([&] {
    if (++count == 1) {
      if (json.integer() != kProtocol) json.fail("a pytree protocol that Ingot does not know");
    } else if (count == 2) {
      tree = read_node(json, namedtuple_fields);
    } else {
      json.fail("more than a protocol and a tree");
    }
  });
  json.finish();
  if (count != 2) json.fail("a pytree without its tree");
  return tree;
}

bool is_call_leaf(const InputSpec& spec) {
  return spec.kind == InputSpecKind::kUserInput || spec.kind == InputSpecKind::kConstant;
}

bool is_call_leaf(const OutputSpec& spec) {
  return spec.kind == OutputSpecKind::kUserOutput || spec.kind == OutputSpecKind::kLoss;
}

std::vector<std::string> input_names(const ExportedProgram& program) {
  std::vector<std::string> paths;
  if (!program.in_spec.empty()) {
    const PytreeNode call = parse_pytree(program.in_spec, "in_spec", program.namedtuple_fields);
    if (call.children.size() == 2) {
      const std::vector<PytreeNode>& args = call.children[0].children;
      for (size_t i = 0; i < args.size(); ++i) {
        const std::vector<std::string>& names = program.forward_arg_names;
        append_paths(args[i], i < names.size() ? names[i] : fmt::format("arg_{}", i), paths);
      }
      append_paths(call.children[1], "", paths);
    }
  }
  std::vector<std::string> names;
  for (const InputSpec& spec : program.inputs) {
    if (is_call_leaf(spec)) names.push_back(name_in_graph(spec, names.size()));
  }
  if (paths.size() != names.size()) return names;  // not the tree of these inputs
  for (size_t i = 0; i < names.size(); ++i) {
    if (!paths[i].empty()) names[i] = paths[i];
  }
  return names;
}

std::vector<std::string> output_names(const ExportedProgram& program) {
  std::vector<std::string> paths;
  if (!program.out_spec.empty()) {
    append_paths(parse_pytree(program.out_spec, "out_spec", program.namedtuple_fields), "", paths);
  }
  const auto count =
      static_cast<size_t>(std::count_if(program.outputs.begin(), program.outputs.end(),
                                        [](const OutputSpec& spec) { return is_call_leaf(spec); }));
  if (paths.size() != count) paths.assign(count, "");
  for (size_t i = 0; i < count; ++i) {
    // Positions alone say nothing that "out3" does not say better.
    if (paths[i].find_first_not_of("0123456789.") == paths[i].npos) {
      paths[i] = fmt::format("out{}", i);
    }
  }
  return paths;
}

}  // namespace ingot::pt2
