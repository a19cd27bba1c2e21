// An exported program as the archive's JSON states it (torch/_export/serde/schema.py, version 8):
// plain structs, nothing resolved yet.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "support/dtype.h"

namespace ingot::pt2 {

class Archive;

// A number that may be an expression over size symbols, written as sympy.srepr.
template <typename Number>
struct Symbolic {
  std::string expr;  // empty: it is `value`
  Number value{};

  bool is_expr() const { return !expr.empty(); }
};
using SymInt = Symbolic<int64_t>;
using SymFloat = Symbolic<double>;
using SymBool = Symbolic<bool>;

inline constexpr int kStridedLayout = 7;

struct TensorMeta {
  DType dtype = DType::kF32;
  std::vector<SymInt> sizes;
  std::vector<SymInt> strides;  // elements
  SymInt storage_offset;        // elements
  int layout = kStridedLayout;
  bool requires_grad = false;
  std::string device;  // "cpu", "cuda"
};

struct Graph;
struct Argument;

// The members of the union Argument.
struct NoneArg {};
struct TensorArg {
  std::string name;
};
struct TensorListArg {
  std::vector<std::string> names;  // empty: None. A symbolic integer's name may stand here, too.
};
struct NestedTensorsArg {
  std::vector<std::vector<std::string>> names;
};
// A value of the graph's tables, or a constant if the name is empty.
template <typename Number>
struct NamedOr {
  std::string name;
  Number value{};
};
using SymIntArg = NamedOr<int64_t>;
using SymFloatArg = NamedOr<double>;
using SymBoolArg = NamedOr<bool>;
struct DTypeArg {
  DType dtype = DType::kF32;
};
enum class Hardware { kDevice, kLayout, kMemoryFormat };
// Where and how a tensor lies: read, but without meaning for Ingot, except that a layout other than
// kStridedLayout is no plain tensor.
struct HardwareArg {
  Hardware kind = Hardware::kDevice;
  int64_t value = 0;
};
struct GraphArg {
  std::string name;
  std::shared_ptr<const Graph> graph;
};
struct CustomObjectArg {
  std::string name;
  std::string class_name;
};
struct OperatorArg {
  std::string target;
};
struct ComplexArg {
  double real = 0;
  double imag = 0;
};
struct StringMapArg {
  std::map<std::string, std::shared_ptr<const Argument>> members;
};

struct Argument {
  std::variant<NoneArg, TensorArg, TensorListArg, int64_t, std::vector<int64_t>, double,
               std::vector<double>, bool, std::vector<bool>, std::string, std::vector<std::string>,
               SymIntArg, std::vector<SymIntArg>, SymFloatArg, std::vector<SymFloatArg>, SymBoolArg,
               std::vector<SymBoolArg>, DTypeArg, HardwareArg, GraphArg, CustomObjectArg,
               OperatorArg, ComplexArg, NestedTensorsArg, std::vector<std::vector<int64_t>>,
               std::vector<std::vector<double>>, StringMapArg>
      value;

  template <typename T>
  const T* get() const {
    return std::get_if<T>(&value);
  }
};

struct NamedArgument {
  std::string name;  // the schema's; empty for operands of higher-order operators
  Argument arg;
};

struct Node {
  std::string target;  // "torch.ops.aten.linear.default", "_operator.mul"
  std::vector<NamedArgument> inputs;
  std::vector<Argument> outputs;
  std::string name;  // may be empty (2.6)
  // Metadata, for messages only.
  std::string stack_trace;
  std::string nn_module_stack;
};

struct Graph {
  std::vector<Argument> inputs;
  std::vector<Argument> outputs;
  std::vector<Node> nodes;
  std::unordered_map<std::string, TensorMeta> tensor_values;
  std::unordered_map<std::string, SymInt> sym_int_values;
  std::unordered_map<std::string, SymBool> sym_bool_values;
  std::unordered_map<std::string, SymFloat> sym_float_values;
  bool is_single_tensor_return = false;
};

enum class InputSpecKind {
  kUserInput,
  kParameter,
  kBuffer,
  kTensorConstant,
  kCustomObject,
  kToken,
  kConstant,  // a Python value that the export burned in: `arg`
};

struct InputSpec {
  InputSpecKind kind = InputSpecKind::kUserInput;
  Argument arg;      // the graph's input
  std::string name;  // the weight's name, or the argument's of a kConstant
  bool persistent = true;
};

enum class OutputSpecKind {
  kUserOutput,
  kLoss,
  kBufferMutation,     // `name`: the buffer
  kParameterMutation,  // `name`: the parameter
  kUserInputMutation,  // `name`: the graph input
  kGradient,
  kToken,
};

struct OutputSpec {
  OutputSpecKind kind = OutputSpecKind::kUserOutput;
  Argument arg;
  std::string name;
};

struct RangeConstraint {
  std::optional<int64_t> min;
  std::optional<int64_t> max;
};

struct ExportedProgram {
  std::string model;  // its name in the archive
  Graph graph;
  std::vector<InputSpec> inputs;    // one per graph input
  std::vector<OutputSpec> outputs;  // one per graph output
  // The call's pytrees as JSON text, and the names of forward's arguments.
  std::string in_spec;
  std::string out_spec;
  std::vector<std::string> forward_arg_names;
  std::map<std::string, std::vector<std::string>> namedtuple_fields;
  std::map<std::string, RangeConstraint> range_constraints;  // by str(expression)
  std::vector<std::string> guards_code;                      // Python over L['argument']
  std::vector<std::string> verifiers;                        // "TRAINING" or "ATEN"
  int64_t schema_major = 0;
  int64_t schema_minor = 0;
  std::string torch_version;
  std::vector<std::string> warnings;  // keys not known, each once

  bool is_training_ir() const;
};

// Reads a program of the archive. Throws CompileError: kArchiveJson for malformed JSON,
// kArchiveSchema for another major version or for what a newer schema added to a union or an enum.
// Members it does not know are only warned about, as PyTorch ignores them.
ExportedProgram read_exported_program(const Archive& archive, const std::string& model);

// The same from JSON text; `record` names it in messages.
ExportedProgram parse_exported_program(std::string_view json, const std::string& record);

}  // namespace ingot::pt2
