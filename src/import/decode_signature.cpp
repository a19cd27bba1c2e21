#include "import/archive.h"
#include "import/decode.h"

#include <algorithm>

#include <fmt/core.h>

#include "support/diagnostics.h"

namespace ingot::pt2 {
namespace {

// The members that input and output specs are made of; which ones occur depends on the tag.
struct SpecMembers {
  Argument arg;
  std::string name;
  bool persistent = true;
  bool has_arg = false;
};

// {"arg": TensorArgument, NAME_MEMBER: …}; `is_union` when arg is an Argument.
SpecMembers decode_spec_members(Decoder& in, std::string_view tag, std::string_view name_member,
                                bool is_union) {
  SpecMembers members;
  in.json.object([&](std::string_view key) {
    if (key == "arg") {
      members.has_arg = true;
      if (is_union) {
        members.arg = decode_argument(in);
      } else if (tag == "custom_obj") {
        CustomObjectArg object;
        object.name = decode_name(in, &object.class_name);
        members.arg.value = std::move(object);
      } else {
        members.arg.value = TensorArg{decode_name(in)};
      }
    } else if (key == name_member) {
      members.name = in.json.string();
    } else if (key == "persistent") {
      members.persistent = in.json.boolean();
    } else {
      in.unknown_member(tag, key);
    }
  });
  if (!members.has_arg) in.json.fail(fmt::format("{} without 'arg'", tag));
  return members;
}

Argument decode_constant(Decoder& in) {
  Argument arg;
  in.tagged("ConstantValue", [&](std::string_view tag) {
    if (tag == "as_none") {
      in.json.boolean();
    } else if (tag == "as_int") {
      arg.value = in.json.integer();
    } else if (tag == "as_float") {
      arg.value = in.json.real();
    } else if (tag == "as_string") {
      arg.value = in.json.string();
    } else if (tag == "as_bool") {
      arg.value = in.json.boolean();
    } else {
      in.unknown_tag("ConstantValue", tag);
    }
  });
  return arg;
}

InputSpec decode_constant_input(Decoder& in) {
  InputSpec spec;
  spec.kind = InputSpecKind::kConstant;
  in.json.object([&](std::string_view key) {
    if (key == "name") {
      spec.name = in.json.string();
    } else if (key == "value") {
      spec.arg = decode_constant(in);
    } else {
      in.unknown_member("constant_input", key);
    }
  });
  return spec;
}

InputSpec decode_input_spec(Decoder& in) {
  struct Row {
    std::string_view tag;
    InputSpecKind kind;
    std::string_view name_member;
  };
  constexpr Row kRows[] = {
      {"user_input", InputSpecKind::kUserInput, ""},
      {"parameter", InputSpecKind::kParameter, "parameter_name"},
      {"buffer", InputSpecKind::kBuffer, "buffer_name"},
      {"tensor_constant", InputSpecKind::kTensorConstant, "tensor_constant_name"},
      {"custom_obj", InputSpecKind::kCustomObject, "custom_obj_name"},
      {"token", InputSpecKind::kToken, ""},
  };
  InputSpec spec;
  in.tagged("InputSpec", [&](std::string_view tag) {
    if (tag == "constant_input") {
      spec = decode_constant_input(in);
      return;
    }
    const auto* row = std::find_if(std::begin(kRows), std::end(kRows),
                                   [&](const Row& r) { return r.tag == tag; });
    if (row == std::end(kRows)) in.unknown_tag("InputSpec", tag);
    SpecMembers members =
        decode_spec_members(in, tag, row->name_member, row->kind == InputSpecKind::kUserInput);
    spec = {row->kind, std::move(members.arg), std::move(members.name), members.persistent};
  });
  return spec;
}

OutputSpec decode_output_spec(Decoder& in) {
  struct Row {
    std::string_view tag;
    OutputSpecKind kind;
    std::string_view name_member;
  };
  constexpr Row kRows[] = {
      {"user_output", OutputSpecKind::kUserOutput, ""},
      {"loss_output", OutputSpecKind::kLoss, ""},
      {"buffer_mutation", OutputSpecKind::kBufferMutation, "buffer_name"},
      {"parameter_mutation", OutputSpecKind::kParameterMutation, "parameter_name"},
      {"user_input_mutation", OutputSpecKind::kUserInputMutation, "user_input_name"},
      {"gradient_to_parameter", OutputSpecKind::kGradient, "parameter_name"},
      {"gradient_to_user_input", OutputSpecKind::kGradient, "user_input_name"},
      {"token", OutputSpecKind::kToken, ""},
  };
  OutputSpec spec;
  in.tagged("OutputSpec", [&](std::string_view tag) {
    const auto* row = std::find_if(std::begin(kRows), std::end(kRows),
                                   [&](const Row& r) { return r.tag == tag; });
    if (row == std::end(kRows)) in.unknown_tag("OutputSpec", tag);
    SpecMembers members =
        decode_spec_members(in, tag, row->name_member, row->kind == OutputSpecKind::kUserOutput);
    spec = {row->kind, std::move(members.arg), std::move(members.name)};
  });
  return spec;
}

// The signature of one module's call; only that of the whole program is kept.
void decode_module_signature(Decoder& in, ExportedProgram& program) {
  if (in.json.null()) return;
  in.json.object([&](std::string_view key) {
    if (key == "in_spec") {
      program.in_spec = in.json.string();
    } else if (key == "out_spec") {
      program.out_spec = in.json.string();
    } else if (key == "forward_arg_names") {
      program.forward_arg_names.clear();
      if (!in.json.null()) program.forward_arg_names = in.strings();
    } else {
      in.json.skip();  // the arguments' names: the graph's signature says the same
    }
  });
}

void decode_module_call_graph(Decoder& in, ExportedProgram& program) {
  in.json.array([&] {
    std::string module = "?";
    ExportedProgram call;
    in.json.object([&](std::string_view key) {
      if (key == "fqn") {
        module = in.json.string();
      } else if (key == "signature") {
        decode_module_signature(in, call);
      } else {
        in.unknown_member("ModuleCallEntry", key);
      }
    });
    if (!module.empty()) return;
    program.in_spec = std::move(call.in_spec);
    program.out_spec = std::move(call.out_spec);
    program.forward_arg_names = std::move(call.forward_arg_names);
  });
}

void decode_namedtuples(Decoder& in, ExportedProgram& program) {
  in.json.object([&](std::string_view type) {
    std::vector<std::string>& fields = program.namedtuple_fields[std::string(type)];
    in.json.object([&](std::string_view key) {
      if (key == "field_names") {
        fields = in.strings();
      } else {
        in.unknown_member("NamedTupleDef", key);
      }
    });
  });
}

void decode_graph_module(Decoder& in, ExportedProgram& program) {
  bool has_graph = false;
  bool has_signature = false;
  in.json.object([&](std::string_view key) {
    if (key == "graph") {
      program.graph = decode_graph(in);
      has_graph = true;
    } else if (key == "signature") {
      decode_signature(in, program);
      has_signature = true;
    } else if (key == "module_call_graph") {
      decode_module_call_graph(in, program);
    } else if (key == "treespec_namedtuple_fields") {
      decode_namedtuples(in, program);
    } else if (key == "metadata") {
      in.json.skip();
    } else {
      in.unknown_member("GraphModule", key);
    }
  });
  if (!has_graph || !has_signature) in.json.fail("GraphModule without 'graph' or 'signature'");
}

// A limit of a range: absent, null and infinite ones mean unbounded.
std::optional<int64_t> decode_limit(Decoder& in) {
  if (in.json.null()) return std::nullopt;
  return in.json.integer_or_infinity();
}

void decode_ranges(Decoder& in, ExportedProgram& program) {
  in.json.object([&](std::string_view expr) {
    RangeConstraint& range = program.range_constraints[std::string(expr)];
    in.json.object([&](std::string_view key) {
      if (key == "min_val") {
        range.min = decode_limit(in);
      } else if (key == "max_val") {
        range.max = decode_limit(in);
      } else {
        in.unknown_member("RangeConstraint", key);
      }
    });
  });
}

void decode_version(Decoder& in, ExportedProgram& program) {
  in.json.object([&](std::string_view key) {
    if (key == "major") {
      program.schema_major = in.json.integer();
    } else if (key == "minor") {
      program.schema_minor = in.json.integer();
    } else {
      in.unknown_member("SchemaVersion", key);
    }
  });
}

// Reads the schema version alone: it decides how the rest is to be read.
void check_schema_version(std::string_view json, const std::string& record) {
  constexpr int64_t kMajor = 8;
  Decoder in(json, record);
  ExportedProgram program;
  bool is_there = false;
  in.json.object([&](std::string_view key) {
    if (key == "schema_version") {
      decode_version(in, program);
      is_there = true;
    } else {
      in.json.skip();
    }
  });
  in.json.finish();
  if (!is_there) in.json.fail("the program does not state its schema version");
  if (program.schema_major == kMajor) return;
  throw CompileError(
      Diag::kArchiveSchema,
      fmt::format(
          "{}: the program has schema version {}.{}; Ingot reads {}.x (PyTorch 2.6 to 2.14)",
          record, program.schema_major, program.schema_minor, kMajor));
}

}  // namespace

bool ExportedProgram::is_training_ir() const {
  return std::find(verifiers.begin(), verifiers.end(), "TRAINING") != verifiers.end();
}

void decode_signature(Decoder& in, ExportedProgram& program) {
  in.json.object([&](std::string_view key) {
    if (key == "input_specs") {
      program.inputs = in.list([&] { return decode_input_spec(in); });
    } else if (key == "output_specs") {
      program.outputs = in.list([&] { return decode_output_spec(in); });
    } else {
      in.unknown_member("GraphSignature", key);
    }
  });
}

ExportedProgram parse_exported_program(std::string_view json, const std::string& record) {
  check_schema_version(json, record);
  Decoder in(json, record);
  ExportedProgram program;
  bool has_graph = false;
  in.json.object([&](std::string_view key) {
    if (key == "graph_module") {
      decode_graph_module(in, program);
      has_graph = true;
    } else if (key == "range_constraints") {
      decode_ranges(in, program);
    } else if (key == "schema_version") {
      decode_version(in, program);
    } else if (key == "verifiers") {
      program.verifiers = in.strings();
    } else if (key == "torch_version") {
      program.torch_version = in.json.string();
    } else if (key == "guards_code") {
      if (!in.json.null()) program.guards_code = in.strings();
    } else if (key == "opset_version") {
      in.json.skip();
    } else {
      in.unknown_member("ExportedProgram", key);
    }
  });
  in.json.finish();
  if (!has_graph) in.json.fail("the program has no 'graph_module'");
  if (program.inputs.size() != program.graph.inputs.size() ||
      program.outputs.size() != program.graph.outputs.size()) {
    throw CompileError(
        Diag::kBadGraph,
        fmt::format("{}: the graph has {} inputs and {} outputs, its signature {} and {}", record,
                    program.graph.inputs.size(), program.graph.outputs.size(),
                    program.inputs.size(), program.outputs.size()));
  }
  program.warnings = in.warnings();
  return program;
}

ExportedProgram read_exported_program(const Archive& archive, const std::string& model) {
  const std::string record = "models/" + model + ".json";
  ExportedProgram program = parse_exported_program(archive.text(record), record);
  program.model = model;
  return program;
}

}  // namespace ingot::pt2
