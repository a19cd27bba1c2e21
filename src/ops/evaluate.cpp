#include "ops/evaluate.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include "ops/number_op.h"
#include "ops/op_table.h"
#include "support/diagnostics.h"

namespace ingot::ops {
namespace {

int64_t value_of(const sym::Expr& expr, const sym::Values& symbols) {
  if (const auto constant = expr.as_const()) return *constant;
  return value_or_throw(sym::evaluate(expr, symbols));
}

std::vector<int64_t> values_of(std::span<const sym::Expr> exprs, const sym::Values& symbols) {
  std::vector<int64_t> values;
  for (const sym::Expr& expr : exprs) values.push_back(value_of(expr, symbols));
  return values;
}

// Calls visit(index) for every index below `sizes`, in row-major order.
template <typename Visit>
void for_each_index(const std::vector<int64_t>& sizes, Visit visit) {
  for (int64_t size : sizes) {
    if (size == 0) return;
  }
  Index index(sizes.size(), sym::Expr(0));
  std::vector<int64_t> counter(sizes.size(), 0);
  while (true) {
    visit(index);
    size_t dim = sizes.size();
    while (dim > 0 && counter[dim - 1] + 1 == sizes[dim - 1]) {
      --dim;
      counter[dim] = 0;
      index[dim] = 0;
    }
    if (dim == 0) return;
    index[dim - 1] = ++counter[dim - 1];
  }
}

// Computes at once: a Scalar's id is the position of its number in `numbers_`.
class Evaluator : public ElementBuilder {
 public:
  Evaluator(const Tensors& tensors, const sym::Values& symbols)
      : tensors_(tensors), symbols_(symbols) {}

  const Number& number_of(Scalar scalar) const { return numbers_[scalar.id]; }
  // Forgets all numbers, between elements.
  void reset() { numbers_.clear(); }

  int64_t position(const HostTensor& tensor, const Index& index) const {
    INGOT_CHECK(index.size() == tensor.sizes.size(), "an index of another rank than its tensor");
    int64_t offset = 0;
    for (size_t i = 0; i < index.size(); ++i) {
      const int64_t at = value_of(index[i], symbols_);
      INGOT_CHECK(at >= 0 && at < tensor.sizes[i],
                  fmt::format("index {} of dimension {} of size {}", at, i, tensor.sizes[i]));
      offset = offset * tensor.sizes[i] + at;
    }
    return offset;
  }

  Scalar load(const Value* value, const Index& index) override {
    const HostTensor& tensor = tensors_.at(value);
    if (probing_) return add(to_integer(tensor.dtype, 0));
    return add(tensor.get(position(tensor, index)));
  }

  using ElementBuilder::apply;
  Scalar apply(ScalarOp op, std::span<const Scalar> args) override {
    std::vector<Number> operands;
    for (Scalar arg : args) operands.push_back(number_of(arg));
    return add(apply_op(op, operands));
  }

  Scalar cast(Scalar value, DType dtype) override {
    return value.dtype == dtype ? value : add(convert(number_of(value), dtype));
  }

  Scalar bitcast(Scalar value, DType dtype) override {
    HostTensor bits(value.dtype, {});
    bits.set(0, number_of(value));
    INGOT_CHECK(size_of(dtype) == size_of(value.dtype), "a bitcast to another size");
    bits.dtype = dtype;
    return add(bits.get(0));
  }

  Scalar constant(DType dtype, double value) override { return add(to_number(dtype, value)); }
  Scalar integer(DType dtype, int64_t value) override {
    return add(convert(Number{DType::kI64, 0, value}, dtype));
  }
  Scalar index_value(const sym::Expr& index) override {
    return add(to_integer(DType::kI64, value_of(index, symbols_)));
  }

  Scalar reduce(ReduceOp op, std::span<const sym::Expr> extents,
                const std::function<Scalar(const Index&)>& body) override;

  sym::Expr checked_index(Scalar index, const sym::Expr& extent) override {
    const int64_t size = value_of(extent, symbols_);
    const int64_t at = number_of(index).integer;
    if (probing_) return 0;
    if (at < -size || at >= size) {
      throw CompileError(Diag::kIndexRange, fmt::format("index {} is outside [0, {})", at, size));
    }
    return at < 0 ? at + size : at;
  }
  sym::Expr trusted_index(Scalar index) override { return number_of(index).integer; }

  Scalar guarded(Scalar condition, const std::function<Scalar()>& if_true,
                 Scalar otherwise) override {
    return number_of(condition).integer ? if_true() : otherwise;
  }

 private:
  Scalar add(const Number& number) {
    numbers_.push_back(number);
    return {static_cast<program::InstId>(numbers_.size() - 1), number.dtype};
  }

  const Tensors& tensors_;
  const sym::Values& symbols_;
  std::deque<Number> numbers_;  // references stay valid
  bool probing_ = false;        // only dtypes matter: loads give zeros
};

// The folds of ReduceOp, one value after the other; float sums in double.
class Fold {
 public:
  Fold(ReduceOp op) : op_(op) {}

  void add(const Number& value) {
    if (count_ == 0) {
      value_ = value;
    } else {
      next(value);
    }
    ++count_;
  }

  // Of an empty domain: the neutral element, in the dtype.
  Number result(DType dtype) const {
    if (op_ == ReduceOp::kArgMin || op_ == ReduceOp::kArgMax) return {DType::kI64, 0, best_};
    if (count_ == 0) return neutral(dtype);
    if (!is_float(dtype)) return to_integer(dtype, value_.integer);
    return to_number(dtype, value_.real);
  }

 private:
  void next(const Number& value) {
    const bool real = is_float(value.dtype);
    switch (op_) {
      case ReduceOp::kSum:
        value_.real += value.real;
        value_.integer = static_cast<int64_t>(static_cast<uint64_t>(value_.integer) +
                                              static_cast<uint64_t>(value.integer));
        return;
      case ReduceOp::kProd:
        value_.real *= value.real;
        value_.integer = static_cast<int64_t>(static_cast<uint64_t>(value_.integer) *
                                              static_cast<uint64_t>(value.integer));
        return;
      case ReduceOp::kAny:
        value_.integer |= value.integer;
        return;
      case ReduceOp::kAll:
        value_.integer &= value.integer;
        return;
      default:
        if (real ? beats(value.real, value_.real) : beats(value.integer, value_.integer)) {
          value_ = value;
          best_ = count_;
        }
    }
  }

  template <typename T>
  bool beats(T candidate, T best) const {
    if (best != best) return false;  // the first NaN stays
    if (candidate != candidate) return true;
    return op_ == ReduceOp::kMin || op_ == ReduceOp::kArgMin ? candidate < best : candidate > best;
  }

  Number neutral(DType dtype) const {
    switch (op_) {
      case ReduceOp::kProd:
      case ReduceOp::kAll:
        return to_number(dtype, 1);
      case ReduceOp::kMin:
        return to_number(dtype, is_float(dtype) ? INFINITY : 0);
      case ReduceOp::kMax:
        return to_number(dtype, is_float(dtype) ? -INFINITY : 0);
      default:
        return to_number(dtype, 0);
    }
  }

  ReduceOp op_;
  Number value_;
  int64_t best_ = 0;
  int64_t count_ = 0;
};

Scalar Evaluator::reduce(ReduceOp op, std::span<const sym::Expr> extents,
                         const std::function<Scalar(const Index&)>& body) {
  Fold fold(op);
  const std::vector<int64_t> sizes = values_of(extents, symbols_);
  const size_t mark = numbers_.size();
  DType dtype = DType::kF32;
  for_each_index(sizes, [&](const Index& index) {
    const Number value = number_of(body(index));
    dtype = value.dtype;
    fold.add(value);
    numbers_.resize(mark);
  });
  if (std::count(sizes.begin(), sizes.end(), 0) > 0) {
    const bool outer = std::exchange(probing_, true);
    dtype = body(Index(sizes.size(), sym::Expr(0))).dtype;
    probing_ = outer;
  }
  return add(fold.result(dtype));
}

RefArg reference_arg(const ir::Arg& arg, const Tensors& tensors, const sym::Values& symbols) {
  return std::visit(
      [&](const auto& value) -> RefArg {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, Value*>) {
          if (!value) return NoneArg{};
          return to_reference(tensors.at(value));
        } else if constexpr (std::is_same_v<T, std::vector<Value*>>) {
          std::vector<RefTensor> list;
          for (const Value* element : value) {
            list.push_back(element ? to_reference(tensors.at(element)) : RefTensor{});
          }
          return list;
        } else if constexpr (std::is_same_v<T, sym::Expr>) {
          return value_of(value, symbols);
        } else if constexpr (std::is_same_v<T, std::vector<sym::Expr>>) {
          return values_of(value, symbols);
        } else if constexpr (std::is_same_v<T, std::vector<bool>>) {
          return std::vector<int64_t>(value.begin(), value.end());
        } else if constexpr (std::is_same_v<T, std::monostate> ||
                             std::is_same_v<T, std::shared_ptr<ir::Graph>>) {
          return NoneArg{};
        } else {
          return value;
        }
      },
      arg);
}

class GraphEvaluator {
 public:
  GraphEvaluator(const ir::Graph& graph, std::span<const HostTensor> inputs, sym::Values symbols)
      : graph_(graph), symbols_(std::move(symbols)) {
    INGOT_CHECK(inputs.size() == graph.inputs().size(), "one tensor per graph input");
    for (size_t i = 0; i < inputs.size(); ++i) bind(*graph.inputs()[i], inputs[i]);
  }

  std::vector<HostTensor> run() {
    for (const auto& node : graph_.nodes()) {
      try {
        run_node(*node);
      } catch (InternalError& error) {
        error.add_note("in " + node->target());
        throw;
      }
    }
    std::vector<HostTensor> outputs;
    for (const Value* output : graph_.outputs()) outputs.push_back(tensors_.at(output));
    return outputs;
  }

 private:
  void bind(const Value& value, const HostTensor& tensor) {
    INGOT_CHECK(tensor.dtype == value.type.dtype, "input " + value.name + " has another dtype");
    INGOT_CHECK(tensor.sizes.size() == value.type.sizes.size(),
                "input " + value.name + " has another rank");
    for (size_t i = 0; i < tensor.sizes.size(); ++i) {
      const sym::Expr& size = value.type.sizes[i];
      if (size.is_symbol()) symbols_.emplace(size.symbol_name(), tensor.sizes[i]);
    }
    tensors_[&value] = tensor;
  }

  void run_node(const Node& node) {
    const OpDef& def = *node.op->def;
    INGOT_CHECK(!node.op->schema.is_mutating(), "in-place operators must be functionalized first");
    switch (def.kind) {
      case OpKind::kComposite:
        return run_composite(node, def);
      case OpKind::kTemplate:
        return run_reference(node, def);
      case OpKind::kScatter:
        return run_scatter(node, def);
      case OpKind::kEffect:
        return;
      default:
        return run_elements(node, def);
    }
  }

  HostTensor result_tensor(const Value& value) const {
    return HostTensor(value.type.dtype, values_of(value.type.sizes, symbols_));
  }

  void run_elements(const Node& node, const OpDef& def) {
    Evaluator evaluator(tensors_, symbols_);
    for (const Value* result : node.results) {
      HostTensor tensor = result_tensor(*result);
      int64_t position = 0;
      for_each_index(tensor.sizes, [&](const Index& index) {
        evaluator.reset();
        const Scalar element = def.element(evaluator, node, result->result, index);
        INGOT_CHECK(element.dtype == tensor.dtype,
                    fmt::format("an element is {}, its tensor {}", to_string(element.dtype),
                                to_string(tensor.dtype)));
        tensor.set(position++, evaluator.number_of(element));
      });
      tensors_[result] = std::move(tensor);
    }
  }

  void run_scatter(const Node& node, const OpDef& def) {
    const Value* result = node.results[0];
    HostTensor tensor = tensors_.at(node.tensor("self"));
    Evaluator evaluator(tensors_, symbols_);
    for_each_index(values_of(def.scatter.extents(node), symbols_), [&](const Index& index) {
      evaluator.reset();
      const ScatterStore store = def.scatter.store(evaluator, node, index);
      const int64_t position = evaluator.position(tensor, store.target);
      const Number numbers[] = {tensor.get(position), evaluator.number_of(store.value)};
      tensor.set(position, combine(store.mode, numbers));
    });
    tensors_[result] = std::move(tensor);
  }

  static Number combine(program::StoreMode mode, std::span<const Number> numbers) {
    const bool is_bool = numbers[0].dtype == DType::kBool;
    switch (mode) {
      case program::StoreMode::kSet:
        return numbers[1];
      case program::StoreMode::kAdd:
        return apply_op(is_bool ? ScalarOp::kOr : ScalarOp::kAdd, numbers);
      case program::StoreMode::kMul:
        return apply_op(is_bool ? ScalarOp::kAnd : ScalarOp::kMul, numbers);
      case program::StoreMode::kMin:
        return apply_op(ScalarOp::kMin, numbers);
      case program::StoreMode::kMax:
        return apply_op(ScalarOp::kMax, numbers);
    }
    throw InternalError("unknown store mode");
  }

  // Decomposes in a graph of its own, whose inputs are the node's operands.
  void run_composite(const Node& node, const OpDef& def) {
    ir::Graph body;
    std::vector<HostTensor> inputs;
    Node copy = node;
    copy.results.clear();
    std::map<Value*, Value*> inside;
    ir::for_each_operand(copy, [&](Value*& operand) {
      Value*& input = inside[operand];
      if (!input) {
        input = body.add_input(operand->name, operand->type);
        inputs.push_back(tensors_.at(operand));
      }
      operand = input;
    });
    ir::Builder builder(body, op_table());
    builder.set_origin(node.loc, node.name);
    body.outputs() = def.decompose(builder, copy);
    INGOT_CHECK(body.outputs().size() == node.results.size(), "a decomposition loses results");
    std::vector<HostTensor> outputs = GraphEvaluator(body, inputs, symbols_).run();
    for (size_t i = 0; i < outputs.size(); ++i) {
      const HostTensor expected = result_tensor(*node.results[i]);
      INGOT_CHECK(outputs[i].dtype == expected.dtype && outputs[i].sizes == expected.sizes,
                  "a decomposition gives another type than inferred");
      tensors_[node.results[i]] = std::move(outputs[i]);
    }
  }

  void run_reference(const Node& node, const OpDef& def) {
    std::vector<RefTensor> results = def.reference(reference_args(node, tensors_, symbols_));
    INGOT_CHECK(results.size() == node.results.size(), "a reference loses results");
    for (size_t i = 0; i < results.size(); ++i) {
      results[i].dtype = node.results[i]->type.dtype;
      const HostTensor expected = result_tensor(*node.results[i]);
      INGOT_CHECK(results[i].sizes == expected.sizes,
                  "a reference gives other sizes than inferred");
      tensors_[node.results[i]] = from_reference(results[i]);
    }
  }

  const ir::Graph& graph_;
  sym::Values symbols_;
  Tensors tensors_;
};

}  // namespace

RefArgs reference_args(const Node& node, const Tensors& tensors, const sym::Values& symbols) {
  RefArgs args;
  for (size_t i = 0; i < node.args.size(); ++i) {
    args.names.push_back(node.op->schema.params[i].name);
    args.args.push_back(reference_arg(node.args[i], tensors, symbols));
  }
  if (!node.results.empty()) args.result_dtype = node.results[0]->type.dtype;
  for (const Value* result : node.results) {
    args.result_sizes.push_back(values_of(result->type.sizes, symbols));
  }
  return args;
}

RefTensor to_reference(const HostTensor& tensor) {
  RefTensor result{tensor.dtype, tensor.sizes, {}};
  for (int64_t i = 0; i < tensor.elements(); ++i) result.data.push_back(tensor.get(i).as_double());
  return result;
}

HostTensor from_reference(const RefTensor& tensor) {
  HostTensor result(tensor.dtype, tensor.sizes);
  INGOT_CHECK(result.elements() == static_cast<int64_t>(tensor.data.size()),
              "a reference's data does not fit its sizes");
  for (int64_t i = 0; i < result.elements(); ++i) {
    result.set(i, to_number(tensor.dtype, tensor.data[static_cast<size_t>(i)]));
  }
  return result;
}

std::vector<HostTensor> evaluate(const ir::Graph& graph, std::span<const HostTensor> inputs,
                                 sym::Values symbols) {
  return GraphEvaluator(graph, inputs, std::move(symbols)).run();
}

}  // namespace ingot::ops
