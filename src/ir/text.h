// The textual form of graphs: for `--print-after`, `ingot opt` and the goldens.
//
//   # comment
//   symbol s0 in [1, 64]
//   graph main(%x: f32[s0, 4], const %w "lin.weight": f32[3, 4], state %kc "kc": f32[8]) {
//     %y: f32[s0, 3] = aten.linear.default(%x, %w, none)
//     %a: f32[s0, 1], %b: f32[s0, 2] = aten.split_with_sizes.default(%y, [1, 2], 1)
//     return %a, state %kc <- %kc2, input %x <- %x2
//   }
//
// Arguments are in the order of the schema: %name, none, 3, s0 + 1, [1, s0], 1.0 (floats always
// have a point, an exponent or are inf or nan), true, "text", dtype f32, [%x, none], and sub-graphs
// as graph(%a: f32[2]) { … }. Trailing arguments that equal their default may be left out when
// parsing; they are printed. Weights have no bytes in this form.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "ir/model.h"

namespace ingot::ir {

std::string to_string(const TensorType& type);
std::string to_string(const Node& node);  // one line; names as they are, even if not unique
// Names that occur twice or hold odd characters are changed, so that the text parses back.
std::string to_string(const Model& model);

// Finds the operator of a name such as "aten.relu.default", or null.
using FindOperator = const Operator* (*)(std::string_view name);

// The result passes verify(). Throws CompileError (kBadIr, with the line) for malformed text or
// unknown operators; any text is safe to give. Nodes get their line of the text as location.
std::unique_ptr<Model> parse_model(std::string_view text, FindOperator find_operator);

}  // namespace ingot::ir
