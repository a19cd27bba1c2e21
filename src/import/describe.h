// What `ingot inspect` says about an exported program: inputs, outputs, weights, operators.
#pragma once

#include <string>

#include "import/archive.h"
#include "import/exported_program.h"

namespace ingot::pt2 {

struct DescribeOptions {
  bool list_weights = false;  // one line per weight; JSON always has them all
};

// Text for people, lines ending in '\n'. Describes what Ingot cannot compile, too: calls of
// operators that it lacks are marked. Reads no weights. Throws CompileError for tables of weights
// that are malformed.
std::string describe(const Archive& archive, const ExportedProgram& program,
                     const DescribeOptions& options = {});

// The same as JSON, one object:
//   model, models: [names], torch_version, schema_version, dialect: "training" | "aten",
//   inputs: [{name, kind: "tensor" | "number" | "constant", dtype, sizes, value}],
//   symbols: [{name, min, max}] (null: unbounded), outputs: [{name, kind, dtype, sizes, value}],
//   updates: [names of what the program writes],
//   weights: {count, records, bytes, list: [{name, kind, dtype, sizes, bytes, record}]},
//   operators: [{name, count, supported}], supported: bool, guards: [texts], warnings: [texts].
std::string describe_json(const Archive& archive, const ExportedProgram& program);

}  // namespace ingot::pt2
