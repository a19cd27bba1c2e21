// Operator signatures, parsed from PyTorch's schema strings: argument names, types, defaults, and
// which arguments are written or aliased.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/arg.h"

namespace ingot::ir {

enum class ArgKind : uint8_t {
  kTensor,
  kTensorList,  // also Tensor?[]: a missing element is null
  kInt,         // int and SymInt
  kIntList,
  kFloat,
  kFloatList,
  kBool,
  kBoolList,
  kNumber,  // Scalar: keeps whether it was written as an int, a float or a bool
  kString,
  kDType,
  kOther,  // layout, device, memory format, generator: accepted and ignored
  kGraph,
};

struct Param {
  std::string name;
  ArgKind kind = ArgKind::kTensor;
  bool is_optional = false;
  bool has_default = false;
  Arg default_value;
  int fixed_size = 0;       // int[2]: a single number stands for two of it
  std::string alias_set;    // "a" of Tensor(a) and Tensor(a!)
  bool is_written = false;  // the ! of Tensor(a!)
};

struct Return {
  ArgKind kind = ArgKind::kTensor;
  std::string name;
  std::string alias_set;
  bool is_written = false;
};

struct Schema {
  std::string name;      // "aten.softmax.int"; the overload is always there ("aten.relu.default")
  std::string base;      // "softmax"
  std::string overload;  // "int", "default"
  std::vector<Param> params;
  std::vector<Return> returns;

  // The position of the parameter, or -1.
  int find_param(std::string_view param) const;
  bool is_mutating() const;  // writes one of its arguments
  bool is_view() const;      // a result aliases an argument that is not written
};

// Parses "aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor". Throws
// InternalError for text that is not a schema (the strings are ours).
Schema parse_schema(std::string_view text);

}  // namespace ingot::ir
