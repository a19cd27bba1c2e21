// The facts about an exported program that describe() and describe_json() print.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "import/archive.h"
#include "import/exported_program.h"

namespace ingot::pt2 {

// An input or output of the caller.
struct LeafDescription {
  std::string name;
  std::string kind;   // "tensor", "number", "constant"
  std::string dtype;  // of a tensor
  std::vector<std::string> sizes;
  std::string value;  // a constant or a number's expression
};

struct SymbolDescription {
  std::string name;
  std::optional<int64_t> min;
  std::optional<int64_t> max;
};

struct WeightDescription {
  std::string name;
  std::string kind;  // "parameter", "buffer", "buffer (not saved)", "constant"
  std::string dtype;
  std::vector<std::string> sizes;
  uint64_t bytes = 0;
  std::string record;
};

struct OperatorDescription {
  std::string name;
  size_t count = 0;
  bool supported = false;
};

struct Description {
  std::string model;
  std::vector<std::string> models;
  std::string torch_version;
  std::string schema_version;
  std::string dialect;
  std::vector<LeafDescription> inputs;
  std::vector<SymbolDescription> symbols;  // those that inputs use
  std::vector<LeafDescription> outputs;
  std::vector<std::string> updates;  // buffers and inputs that the signature says are written
  std::vector<WeightDescription> weights;
  size_t weight_records = 0;
  uint64_t weight_bytes = 0;                   // of the records: shared ones once
  std::vector<OperatorDescription> operators;  // by name
  std::vector<std::string> guards;
  std::vector<std::string> warnings;

  bool is_supported() const;
};

Description make_description(const Archive& archive, const ExportedProgram& program);

}  // namespace ingot::pt2
