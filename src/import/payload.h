// The archive's tables of weights and constants: which record holds the bytes of which tensor.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "import/archive.h"
#include "import/exported_program.h"

namespace ingot::pt2 {

// One entry of data/weights/*_weights_config.json or data/constants/*_constants_config.json.
struct Payload {
  std::string record;  // "data/weights/weight_0"; tied tensors and views share one
  bool is_param = false;
  bool is_pickled = false;  // a tensor subclass or custom object: not readable without Python
  bool has_meta = false;
  TensorMeta meta;
};

// By PyTorch's fully qualified name.
using Payloads = std::map<std::string, Payload, std::less<>>;

// Both tables of a model; one that the archive lacks is empty. Throws CompileError (kArchiveJson,
// kArchiveRecord).
Payloads read_payloads(const Archive& archive, const std::string& model);

// The tensor's sizes and strides as numbers and its storage: what a weight is.
struct TensorLayout {
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;  // elements
  int64_t storage_offset = 0;    // elements
};

// Checks that a tensor lies within its record and returns how. Throws CompileError
// (kArchiveWeight), naming the tensor: pickled ones, other layouts than strided, negative or
// symbolic sizes, records that are missing or too short.
TensorLayout check_payload(const Archive& archive, std::string_view name, const Payload& payload);

// Bytes that the elements of a tensor take when packed; 0 if that does not fit 64 bits.
uint64_t packed_bytes(const TensorMeta& meta);

}  // namespace ingot::pt2
