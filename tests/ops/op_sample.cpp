#include "op_sample.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ops/op_table.h"
#include "support/diagnostics.h"
#include "support/tolerance.h"

namespace ingot::ops {
namespace {

// A small generator of our own: the same numbers with every standard library.
class Random {
 public:
  double uniform() {  // [0, 1)
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state_ >> 11) * 0x1p-53;
  }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(uniform() * static_cast<double>(high - low + 1));
  }

 private:
  uint64_t state_ = 0x9e3779b97f4a7c15u;
};

double special(Random& random) {
  constexpr double kValues[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 1.0, -1.0, 0.5};
  const int64_t pick = random.between(0, 15);
  return pick < 8 ? kValues[pick] : random.normal();
}

double float_value(const TensorArg& arg, Random& random) {
  switch (arg.fill) {
    case Fill::kPositive:
      return 0.1 + 2.9 * random.uniform();
    case Fill::kUnit:
      return -0.95 + 1.9 * random.uniform();
    case Fill::kSpecial:
      return special(random);
    case Fill::kLarge:
      return -60 + 120 * random.uniform();
    case Fill::kIndices:
      return static_cast<double>(random.between(0, arg.bound - 1));
    case Fill::kBools:
      return static_cast<double>(random.between(0, 1));
    case Fill::kNormal:
      break;
  }
  return random.normal();
}

int64_t integer_value(const TensorArg& arg, DType dtype, Random& random) {
  switch (arg.fill) {
    case Fill::kPositive:
      return random.between(1, 10);
    case Fill::kUnit:
      return random.between(dtype == DType::kU8 ? 0 : -1, 1);
    case Fill::kLarge:
      return random.between(dtype == DType::kU8 ? 0 : -60, 60);
    case Fill::kIndices:
      return random.between(0, arg.bound - 1);
    default:
      return random.between(dtype == DType::kU8 ? 0 : -10, 10);
  }
}

HostTensor fill(const TensorArg& arg, DType dtype, Random& random) {
  HostTensor tensor(dtype, arg.sizes);
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    if (is_float(dtype)) {
      tensor.set(i, to_number(dtype, float_value(arg, random)));
    } else if (dtype == DType::kBool) {
      tensor.set(i, to_integer(dtype, random.between(0, 1)));
    } else {
      tensor.set(i, to_integer(dtype, integer_value(arg, dtype, random)));
    }
  }
  return tensor;
}

class SampleBuilder {
 public:
  SampleBuilder(const Case& test_case, DType dtype, bool dynamic)
      : case_(test_case), dtype_(dtype), dynamic_(dynamic), sample_(new OpSample) {}

  std::unique_ptr<OpSample> build() {
    const ir::Operator* op = find_operator(case_.schema);
    INGOT_CHECK(op, "a case of an unknown operator " + case_.schema);
    std::vector<ir::Arg> args;
    // Tensors first: they decide which sizes are symbols.
    for (const CaseArg& arg : case_.args) args.push_back(tensors_of(arg));
    for (size_t i = 0; i < case_.args.size(); ++i) {
      const std::string& name = op->schema.params.at(i).name;
      const auto& list = case_.dynamic_args;
      const bool symbolic = std::find(list.begin(), list.end(), name) != list.end();
      if (ir::is_none(args[i])) args[i] = constant_of(case_.args[i], symbolic);
    }
    ir::Builder builder(sample_->graph, op_table());
    builder.set_origin(ir::kNoLoc, "result");
    sample_->graph.outputs() = builder.call_all(case_.schema, std::move(args));
    sample_->node = sample_->graph.nodes().back();
    return std::move(sample_);
  }

 private:
  sym::Expr size_expr(int64_t size) {
    const auto& only = case_.dynamic_sizes;
    const bool varies = only.empty() || std::find(only.begin(), only.end(), size) != only.end();
    if (!dynamic_ || size < 2 || !varies) return size;
    const std::string name = fmt::format("s{}", size);
    sample_->symbols[name] = size;
    return sym::Expr::symbol(name);
  }

  ir::Value* input(const TensorArg& arg) {
    DType dtype = arg.has_dtype ? arg.dtype : dtype_;
    if (!arg.has_dtype && arg.fill == Fill::kIndices) dtype = DType::kI64;
    if (!arg.has_dtype && arg.fill == Fill::kBools) dtype = DType::kBool;
    ir::TensorType type{dtype, {}};
    for (int64_t size : arg.sizes) type.sizes.push_back(size_expr(size));
    sample_->inputs.push_back(fill(arg, dtype, random_));
    return sample_->graph.add_input(fmt::format("in{}", sample_->inputs.size() - 1), type);
  }

  ir::Arg tensors_of(const CaseArg& arg) {
    if (const auto* tensor = std::get_if<TensorArg>(&arg)) return input(*tensor);
    if (const auto* list = std::get_if<std::vector<TensorArg>>(&arg)) {
      std::vector<ir::Value*> values;
      for (const TensorArg& tensor : *list) values.push_back(input(tensor));
      return values;
    }
    return {};
  }

  sym::Expr integer(int64_t value, bool symbolic) {
    return symbolic ? size_expr(value) : sym::Expr(value);
  }

  ir::Arg constant_of(const CaseArg& arg, bool symbolic) {
    return std::visit(
        [&](const auto& value) -> ir::Arg {
          using T = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<T, int64_t>) {
            return integer(value, symbolic);
          } else if constexpr (std::is_same_v<T, std::vector<int64_t>>) {
            std::vector<sym::Expr> exprs;
            for (int64_t element : value) exprs.push_back(integer(element, symbolic));
            return exprs;
          } else if constexpr (std::is_same_v<T, NoneArg> || std::is_same_v<T, TensorArg> ||
                               std::is_same_v<T, std::vector<TensorArg>>) {
            return std::monostate{};
          } else {
            return value;
          }
        },
        arg);
  }

  const Case& case_;
  DType dtype_;
  bool dynamic_;
  Random random_;
  std::unique_ptr<OpSample> sample_;
};

}  // namespace

std::unique_ptr<OpSample> make_sample(const Case& test_case, DType dtype, bool dynamic) {
  return SampleBuilder(test_case, dtype, dynamic).build();
}

std::vector<RefTensor> OpSample::expected() const {
  Tensors tensors;
  for (size_t i = 0; i < inputs.size(); ++i) tensors[graph.inputs()[i]] = inputs[i];
  return node->op->def->reference(reference_args(*node, tensors, symbols));
}

std::string compare(const HostTensor& actual, const RefTensor& expected) {
  if (actual.sizes != expected.sizes) return "sizes differ from the reference's";
  if (static_cast<int64_t>(expected.data.size()) != actual.elements()) {
    return "the reference has another number of elements";
  }
  const Tolerance tolerance = tolerance_of(actual.dtype);
  std::string text;
  int differences = 0;
  for (int64_t i = 0; i < actual.elements(); ++i) {
    const double got = actual.get(i).as_double();
    const double want = to_number(actual.dtype, expected.data[static_cast<size_t>(i)]).as_double();
    if (is_close(got, want, tolerance)) continue;
    if (++differences <= 4) text += fmt::format("  element {}: {} instead of {}\n", i, got, want);
  }
  if (differences > 4) text += fmt::format("  and {} more\n", differences - 4);
  return text;
}

}  // namespace ingot::ops
