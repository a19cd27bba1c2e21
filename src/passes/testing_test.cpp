// The implementation of testing.h; of the tests, so that the library stays free of it.
#include "passes/testing.h"

#include <cmath>
#include <limits>
#include <random>

#include "ir/text.h"
#include "ops/evaluate.h"
#include "ops/op_table.h"
#include "passes/pipeline.h"
#include "support/diagnostics.h"

namespace ingot::passes {

std::unique_ptr<ir::Model> parse(std::string_view text) {
  return ir::parse_model(text, ops::find_operator);
}

bool apply(std::string_view pass, ir::Model& model, FusedAttention fused_attention) {
  PassContext context(ops::op_table());
  context.fused_attention = fused_attention;
  const Pass* found = find_pass(pass);
  INGOT_CHECK(found, "there is no pass " + std::string(pass));
  return run_pass(*found, model, context);
}

std::string after(const std::vector<std::string_view>& passes, std::string_view text) {
  const std::unique_ptr<ir::Model> model = parse(text);
  for (const std::string_view pass : passes) apply(pass, *model);
  return ir::to_string(*model);
}

namespace {

ops::Number random_number(DType dtype, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int64_t> small(0, 2);
  return is_float(dtype) ? ops::to_number(dtype, normal(random))
                         : ops::to_integer(dtype, small(random));
}

double difference(const ops::HostTensor& a, const ops::HostTensor& b) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (a.dtype != b.dtype || a.sizes != b.sizes) return kInfinity;
  double largest = 0;
  for (int64_t i = 0; i < a.elements(); ++i) {
    const double x = a.get(i).as_double();
    const double y = b.get(i).as_double();
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const double distance = std::abs(x - y) / (1 + std::abs(y));
    largest = std::isnan(distance) ? kInfinity : std::max(largest, distance);
  }
  return largest;
}

}  // namespace

std::vector<ops::HostTensor> random_inputs(const ir::Graph& graph, const sym::Values& symbols,
                                           uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<ops::HostTensor> inputs;
  for (const ir::Value* input : graph.inputs()) {
    std::vector<int64_t> sizes;
    for (const sym::Expr& size : input->type.sizes) {
      sizes.push_back(value_or_throw(sym::evaluate(size, symbols)));
    }
    ops::HostTensor tensor(input->dtype(), std::move(sizes));
    for (int64_t i = 0; i < tensor.elements(); ++i) {
      tensor.set(i, random_number(tensor.dtype, random));
    }
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

double largest_difference(const ir::Graph& a, const ir::Graph& b,
                          const std::vector<ops::HostTensor>& inputs, const sym::Values& symbols) {
  const std::vector<ops::HostTensor> left = ops::evaluate(a, inputs, symbols);
  const std::vector<ops::HostTensor> right = ops::evaluate(b, inputs, symbols);
  if (left.size() != right.size()) return std::numeric_limits<double>::infinity();
  double largest = 0;
  for (size_t i = 0; i < left.size(); ++i) {
    largest = std::max(largest, difference(left[i], right[i]));
  }
  return largest;
}

double change_of_results(const std::vector<std::string_view>& passes, std::string_view text,
                         const sym::Values& symbols, FusedAttention fused_attention) {
  const std::unique_ptr<ir::Model> before = parse(text);
  const std::unique_ptr<ir::Model> changed = parse(text);
  for (const std::string_view pass : passes) apply(pass, *changed, fused_attention);
  return largest_difference(before->graph, changed->graph, random_inputs(before->graph, symbols, 1),
                            symbols);
}

}  // namespace ingot::passes
