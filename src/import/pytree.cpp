#include "import/pytree.h"

#include <fmt/core.h>

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

std::vector<std::string> input_paths(const ExportedProgram& program) {
  std::vector<std::string> paths;
  if (program.in_spec.empty()) return paths;
  const PytreeNode call = parse_pytree(program.in_spec, "in_spec", program.namedtuple_fields);
  if (call.children.size() != 2) return paths;
  const std::vector<PytreeNode>& args = call.children[0].children;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::vector<std::string>& names = program.forward_arg_names;
    append_paths(args[i], i < names.size() ? names[i] : fmt::format("arg_{}", i), paths);
  }
  append_paths(call.children[1], "", paths);
  return paths;
}

std::vector<std::string> output_paths(const ExportedProgram& program) {
  std::vector<std::string> paths;
  if (program.out_spec.empty()) return paths;
  const PytreeNode result = parse_pytree(program.out_spec, "out_spec", program.namedtuple_fields);
  append_paths(result, "", paths);
  for (std::string& path : paths) {
    // Positions alone say nothing that "out3" does not say better.
    if (path.find_first_not_of("0123456789.") == path.npos) path.clear();
  }
  return paths;
}

}  // namespace ingot::pt2
