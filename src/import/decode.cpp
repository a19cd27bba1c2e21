#include "import/decode.h"

#include <fmt/core.h>

#include "support/diagnostics.h"

namespace ingot::pt2 {

void Decoder::unknown_member(std::string_view type, std::string_view member) {
  warnings_.insert(
      fmt::format("ignored: member '{}' of {}, which is not in the schema versions that "
                  "Ingot knows",
                  member.substr(0, 80), type));
  json.skip();
}

void Decoder::unknown_tag(std::string_view type, std::string_view tag) const {
  throw CompileError(Diag::kArchiveSchema,
                     fmt::format("{}: '{}' is no {} of the schema versions that Ingot knows",
                                 json.where(), tag.substr(0, 80), type));
}

void Decoder::unknown_number(std::string_view type, int64_t number) const {
  throw CompileError(Diag::kArchiveSchema,
                     fmt::format("{}: {} is no {} of the schema versions that Ingot knows",
                                 json.where(), number, type));
}

DType decode_dtype(Decoder& in) {
  // The schema's own numbers, which are not those of PyTorch's core.
  switch (const int64_t number = in.json.integer()) {
    case 1:
      return DType::kU8;
    case 2:
      return DType::kI8;
    case 3:
      return DType::kI16;
    case 4:
      return DType::kI32;
    case 5:
      return DType::kI64;
    case 6:
      return DType::kF16;
    case 7:
      return DType::kF32;
    case 8:
      return DType::kF64;
    case 9:
      return DType::kC32;
    case 10:
      return DType::kC64;
    case 11:
      return DType::kC128;
    case 12:
      return DType::kBool;
    case 13:
      return DType::kBF16;
    case 28:
      return DType::kU16;
    case 29:
      return DType::kF8E4M3;
    case 30:
      return DType::kF8E5M2;
    case 31:
      return DType::kF8E4M3Fnuz;
    case 32:
      return DType::kF8E5M2Fnuz;
    case 33:
      return DType::kF8E8M0;
    case 34:
      return DType::kU32;
    case 35:
      return DType::kU64;
    default:
      in.unknown_number("element type", number);
  }
}

namespace {

// {"expr_str": …, "hint": …}; the hint is the value at export time and of no use here.
std::string decode_sym_expr(Decoder& in) {
  std::string expr;
  in.json.object([&](std::string_view key) {
    if (key == "expr_str") {
      expr = in.json.string();
    } else if (key == "hint") {
      in.json.skip();
    } else {
      in.unknown_member("SymExpr", key);
    }
  });
  if (expr.empty()) in.json.fail("SymExpr without 'expr_str'");
  return expr;
}

template <typename Number, typename Read>
Symbolic<Number> decode_symbolic(Decoder& in, std::string_view type, std::string_view value_tag,
                                 Read read) {
  Symbolic<Number> result;
  in.tagged(type, [&](std::string_view tag) {
    if (tag == "as_expr") {
      result.expr = decode_sym_expr(in);
    } else if (tag == value_tag) {
      result.value = read();
    } else {
      in.unknown_tag(type, tag);
    }
  });
  return result;
}

template <typename Number, typename Read>
NamedOr<Number> decode_named_or(Decoder& in, std::string_view type, std::string_view value_tag,
                                Read read) {
  NamedOr<Number> result;
  in.tagged(type, [&](std::string_view tag) {
    if (tag == "as_name") {
      result.name = in.json.string();
    } else if (tag == value_tag) {
      result.value = read();
    } else {
      in.unknown_tag(type, tag);
    }
  });
  return result;
}

SymFloat decode_sym_float(Decoder& in) {
  return decode_symbolic<double>(in, "SymFloat", "as_float", [&] { return in.json.real(); });
}

SymBool decode_sym_bool(Decoder& in) {
  return decode_symbolic<bool>(in, "SymBool", "as_bool", [&] { return in.json.boolean(); });
}

SymIntArg decode_sym_int_arg(Decoder& in) {
  return decode_named_or<int64_t>(in, "SymIntArgument", "as_int",
                                  [&] { return in.json.integer(); });
}

SymFloatArg decode_sym_float_arg(Decoder& in) {
  return decode_named_or<double>(in, "SymFloatArgument", "as_float",
                                 [&] { return in.json.real(); });
}

SymBoolArg decode_sym_bool_arg(Decoder& in) {
  return decode_named_or<bool>(in, "SymBoolArgument", "as_bool", [&] { return in.json.boolean(); });
}

std::string decode_device(Decoder& in) {
  std::string type;
  in.json.object([&](std::string_view key) {
    if (key == "type") {
      type = in.json.string();
    } else if (key == "index") {
      if (!in.json.null()) in.json.integer();
    } else {
      in.unknown_member("Device", key);
    }
  });
  return type;
}

// {"as_tensor": {"name": …}} or {"as_none": true}: the name or "".
std::string decode_optional_tensor(Decoder& in) {
  std::string name;
  in.tagged("OptionalTensorArgument", [&](std::string_view tag) {
    if (tag == "as_tensor") {
      name = decode_name(in);
    } else if (tag == "as_none") {
      in.json.boolean();
    } else {
      in.unknown_tag("OptionalTensorArgument", tag);
    }
  });
  return name;
}

GraphArg decode_graph_arg(Decoder& in) {
  GraphArg arg;
  in.json.object([&](std::string_view key) {
    if (key == "name") {
      arg.name = in.json.string();
    } else if (key == "graph") {
      arg.graph = std::make_shared<Graph>(decode_graph(in));
    } else {
      in.unknown_member("GraphArgument", key);
    }
  });
  if (!arg.graph) in.json.fail("GraphArgument without 'graph'");
  return arg;
}

ComplexArg decode_complex(Decoder& in) {
  ComplexArg arg;
  in.json.object([&](std::string_view key) {
    if (key == "real") {
      arg.real = in.json.real();
    } else if (key == "imag") {
      arg.imag = in.json.real();
    } else {
      in.unknown_member("ComplexValue", key);
    }
  });
  return arg;
}

// The members of Argument that stand for numbers and strings; false if `tag` is none of them.
bool decode_plain_argument(Decoder& in, std::string_view tag, Argument& arg) {
  JsonReader& json = in.json;
  const auto integers = [&] { return in.list([&] { return json.integer(); }); };
  const auto reals = [&] { return in.list([&] { return json.real(); }); };
  if (tag == "as_none") {
    json.boolean();
    arg.value = NoneArg{};
  } else if (tag == "as_int") {
    arg.value = json.integer();
  } else if (tag == "as_ints") {
    arg.value = integers();
  } else if (tag == "as_float") {
    arg.value = json.real();
  } else if (tag == "as_floats") {
    arg.value = reals();
  } else if (tag == "as_string") {
    arg.value = json.string();
  } else if (tag == "as_strings") {
    arg.value = in.strings();
  } else if (tag == "as_bool") {
    arg.value = json.boolean();
  } else if (tag == "as_bools") {
    arg.value = in.list([&] { return json.boolean(); });
  } else if (tag == "as_complex") {
    arg.value = decode_complex(in);
  } else if (tag == "as_int_lists") {
    arg.value = in.list(integers);
  } else if (tag == "as_float_lists") {
    arg.value = in.list(reals);
  } else {
    return false;
  }
  return true;
}

// Those that name values of the graph.
bool decode_named_argument(Decoder& in, std::string_view tag, Argument& arg) {
  const auto names = [&] { return in.list([&] { return decode_name(in); }); };
  if (tag == "as_tensor") {
    arg.value = TensorArg{decode_name(in)};
  } else if (tag == "as_tensors") {
    arg.value = TensorListArg{names()};
  } else if (tag == "as_optional_tensors") {
    arg.value = TensorListArg{in.list([&] { return decode_optional_tensor(in); })};
  } else if (tag == "as_optional_tensor") {
    std::string name = decode_optional_tensor(in);
    if (!name.empty()) arg.value = TensorArg{std::move(name)};
  } else if (tag == "as_nested_tensors") {
    arg.value = NestedTensorsArg{in.list(names)};
  } else if (tag == "as_sym_int") {
    arg.value = decode_sym_int_arg(in);
  } else if (tag == "as_sym_ints") {
    arg.value = in.list([&] { return decode_sym_int_arg(in); });
  } else if (tag == "as_sym_float") {
    arg.value = decode_sym_float_arg(in);
  } else if (tag == "as_sym_floats") {
    arg.value = in.list([&] { return decode_sym_float_arg(in); });
  } else if (tag == "as_sym_bool") {
    arg.value = decode_sym_bool_arg(in);
  } else if (tag == "as_sym_bools") {
    arg.value = in.list([&] { return decode_sym_bool_arg(in); });
  } else {
    return false;
  }
  return true;
}

bool decode_other_argument(Decoder& in, std::string_view tag, Argument& arg) {
  if (tag == "as_scalar_type") {
    arg.value = DTypeArg{decode_dtype(in)};
  } else if (tag == "as_memory_format") {
    arg.value = HardwareArg{Hardware::kMemoryFormat, in.json.integer()};
  } else if (tag == "as_layout") {
    arg.value = HardwareArg{Hardware::kLayout, in.json.integer()};
  } else if (tag == "as_device") {
    decode_device(in);
    arg.value = HardwareArg{Hardware::kDevice, 0};
  } else if (tag == "as_graph") {
    arg.value = decode_graph_arg(in);
  } else if (tag == "as_custom_obj") {
    CustomObjectArg object;
    object.name = decode_name(in, &object.class_name);
    arg.value = std::move(object);
  } else if (tag == "as_operator") {
    arg.value = OperatorArg{in.json.string()};
  } else if (tag == "as_string_to_argument") {
    StringMapArg map;
    in.json.object([&](std::string_view key) {
      std::string name(key);
      map.members[std::move(name)] = std::make_shared<Argument>(decode_argument(in));
    });
    arg.value = std::move(map);
  } else {
    return false;
  }
  return true;
}

void decode_metadata(Decoder& in, Node& node) {
  in.json.object([&](std::string_view key) {
    if (key == "stack_trace") {
      node.stack_trace = in.string_or_null();
    } else if (key == "nn_module_stack") {
      node.nn_module_stack = in.string_or_null();
    } else {
      in.json.skip();  // torch_fn, from_node, custom: for PyTorch's own tools
    }
  });
}

NamedArgument decode_node_input(Decoder& in) {
  NamedArgument input;
  bool has_arg = false;
  in.json.object([&](std::string_view key) {
    if (key == "name") {
      input.name = in.json.string();
    } else if (key == "arg") {
      input.arg = decode_argument(in);
      has_arg = true;
    } else if (key == "kind") {
      in.json.skip();  // positional or keyword: only matters to Python
    } else {
      in.unknown_member("NamedArgument", key);
    }
  });
  if (!has_arg) in.json.fail("NamedArgument without 'arg'");
  return input;
}

Node decode_node(Decoder& in) {
  Node node;
  in.json.object([&](std::string_view key) {
    if (key == "target") {
      node.target = in.json.string();
    } else if (key == "inputs") {
      node.inputs = in.list([&] { return decode_node_input(in); });
    } else if (key == "outputs") {
      node.outputs = in.list([&] { return decode_argument(in); });
    } else if (key == "metadata") {
      decode_metadata(in, node);
    } else if (key == "name") {
      node.name = in.string_or_null();
    } else if (key == "is_hop_single_tensor_return") {
      in.json.skip();  // both encodings of results are told apart by their form
    } else {
      in.unknown_member("Node", key);
    }
  });
  if (node.target.empty()) in.json.fail("Node without 'target'");
  return node;
}

template <typename Map, typename Read>
void decode_values(Decoder& in, Map& map, Read read) {
  in.json.object([&](std::string_view key) {
    std::string name(key);
    map.insert_or_assign(std::move(name), read());
  });
}

}  // namespace

SymInt decode_sym_int(Decoder& in) {
  return decode_symbolic<int64_t>(in, "SymInt", "as_int", [&] { return in.json.integer(); });
}

TensorMeta decode_tensor_meta(Decoder& in) {
  TensorMeta meta;
  bool has_dtype = false;
  in.json.object([&](std::string_view key) {
    if (key == "dtype") {
      meta.dtype = decode_dtype(in);
      has_dtype = true;
    } else if (key == "sizes") {
      meta.sizes = in.list([&] { return decode_sym_int(in); });
    } else if (key == "strides") {
      meta.strides = in.list([&] { return decode_sym_int(in); });
    } else if (key == "storage_offset") {
      meta.storage_offset = decode_sym_int(in);
    } else if (key == "layout") {
      meta.layout = static_cast<int>(in.json.integer());
    } else if (key == "requires_grad") {
      meta.requires_grad = in.json.boolean();
    } else if (key == "device") {
      meta.device = decode_device(in);
    } else {
      in.unknown_member("TensorMeta", key);
    }
  });
  if (!has_dtype) in.json.fail("TensorMeta without 'dtype'");
  return meta;
}

std::string decode_name(Decoder& in, std::string* class_name) {
  std::string name;
  in.json.object([&](std::string_view key) {
    if (key == "name") {
      name = in.json.string();
    } else if (key == "class_fqn" && class_name) {
      *class_name = in.json.string();
    } else {
      in.unknown_member("TensorArgument", key);
    }
  });
  if (name.empty()) in.json.fail("an argument without 'name'");
  return name;
}

Argument decode_argument(Decoder& in) {
  Argument arg;
  in.tagged("Argument", [&](std::string_view tag) {
    if (!decode_plain_argument(in, tag, arg) && !decode_named_argument(in, tag, arg) &&
        !decode_other_argument(in, tag, arg)) {
      in.unknown_tag("Argument", tag);
    }
  });
  return arg;
}

Graph decode_graph(Decoder& in) {
  Graph graph;
  const auto arguments = [&] { return in.list([&] { return decode_argument(in); }); };
  in.json.object([&](std::string_view key) {
    if (key == "inputs") {
      graph.inputs = arguments();
    } else if (key == "outputs") {
      graph.outputs = arguments();
    } else if (key == "nodes") {
      graph.nodes = in.list([&] { return decode_node(in); });
    } else if (key == "tensor_values") {
      decode_values(in, graph.tensor_values, [&] { return decode_tensor_meta(in); });
    } else if (key == "sym_int_values") {
      decode_values(in, graph.sym_int_values, [&] { return decode_sym_int(in); });
    } else if (key == "sym_bool_values") {
      decode_values(in, graph.sym_bool_values, [&] { return decode_sym_bool(in); });
    } else if (key == "sym_float_values") {
      decode_values(in, graph.sym_float_values, [&] { return decode_sym_float(in); });
    } else if (key == "is_single_tensor_return") {
      graph.is_single_tensor_return = in.json.boolean();
    } else if (key == "custom_obj_values") {
      in.json.skip();  // custom objects are refused where they are used
    } else {
      in.unknown_member("Graph", key);
    }
  });
  return graph;
}

}  // namespace ingot::pt2
