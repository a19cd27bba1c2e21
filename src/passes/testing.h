// What the tests of passes share: models from text, passes by name, graphs run on random inputs.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ir/model.h"
#include "ops/host_tensor.h"
#include "passes/pass.h"

namespace ingot::passes {

// The model of a textual graph over the real operators.
std::unique_ptr<ir::Model> parse(std::string_view text);

// Runs one pass on a model; returns whether it changed anything.
bool apply(std::string_view pass, ir::Model& model,
           FusedAttention fused_attention = FusedAttention::kAuto);

// The text of a graph after the passes, in order.
std::string after(const std::vector<std::string_view>& passes, std::string_view text);

// One random tensor per graph input, for symbols with these values.
std::vector<ops::HostTensor> random_inputs(const ir::Graph& graph, const sym::Values& symbols,
                                           uint64_t seed);

// The largest |a - b| / (1 + |b|) over the outputs of two graphs on the same inputs; infinity if a
// shape, dtype or NaN differs.
double largest_difference(const ir::Graph& a, const ir::Graph& b,
                          const std::vector<ops::HostTensor>& inputs, const sym::Values& symbols);

// largest_difference of a textual graph before and after the passes, on random inputs.
double change_of_results(const std::vector<std::string_view>& passes, std::string_view text,
                         const sym::Values& symbols = {},
                         FusedAttention fused_attention = FusedAttention::kAuto);

}  // namespace ingot::passes
