#include "passes/functionalize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

#include "ir/text.h"
#include "ops/evaluate.h"
#include "ops/op_table.h"
#include "passes/eager_interpreter.h"
#include "passes/testing.h"
#include "support/diagnostics.h"

namespace ingot::passes {
namespace {

const std::vector<std::string_view> kPasses = {"functionalize", "simplify-views",
                                               "eliminate-dead-code"};

TEST(Functionalize, InPlaceOperators) {
  EXPECT_EQ(after(kPasses, R"(graph main(%x: f32[4], %y: f32[4]) {
  %a: f32[4] = aten.mul.Tensor(%x, %y)
  %b: f32[4] = aten.add_.Tensor(%a, %y, 2)
  %c: f32[4] = aten.relu_.default(%a)
  return %b, %c, %a
})"),
            R"(graph main(%x: f32[4], %y: f32[4]) {
  %a: f32[4] = aten.mul.Tensor(%x, %y)
  %b: f32[4] = aten.add.Tensor(%a, %y, 2)
  %c: f32[4] = aten.relu.default(%b)
  return %c, %c, %c
}
)");
}

TEST(Functionalize, KeepsTheTypeOfWhatIsWritten) {
  EXPECT_EQ(after(kPasses, R"(graph main(%x: f16[3, 4], %y: f32[4]) {
  %a: f16[3, 4] = aten.exp.default(%x)
  %b: f16[3, 4] = aten.add_.Tensor(%a, %y)
  %c: f16[3, 4] = aten.copy_.default(%b, %y)
  return %b
})"),
            R"(graph main(%x: f16[3, 4], %y: f32[4]) {
  %c: f16[4] = ingot.cast.default(%y, dtype f16)
  %c_1: f16[3, 4] = ingot.expand.default(%c, [3, 4])
  return %c_1
}
)");
}

TEST(Functionalize, WritesThroughViews) {
  EXPECT_EQ(after(kPasses, R"(graph main(%x: f32[4, 6], %y: f32[4]) {
  %a: f32[4, 6] = aten.exp.default(%x)
  %v: f32[6, 4] = aten.transpose.int(%a, 0, 1)
  %col: f32[4] = aten.select.int(%v, 0, 2)
  %w: f32[4] = aten.copy_.default(%col, %y)
  return %a, %v
})"),
            R"(graph main(%x: f32[4, 6], %y: f32[4]) {
  %a: f32[4, 6] = aten.exp.default(%x)
  %w: f32[6, 4] = aten.permute.default(%a, [1, 0])
  %w_1: f32[1, 4] = ingot.reshape.default(%y, [1, 4])
  %w_2: f32[6, 4] = aten.slice_scatter.default(%w, %w_1, 0, 2, 3, 1)
  %w_3: f32[4, 6] = aten.permute.default(%w_2, [1, 0])
  return %w_3, %w_2
}
)");
}

TEST(Functionalize, BuffersAndInputsGetMutationOutputs) {
  const std::string text = after(
      kPasses, R"(graph main(const %w "cache": f32[8, 2], %x: f32[2], %i: i64[1], %y: f32[1, 2]) {
  %a: f32[8, 2] = aten.index_copy_.default(%w, 0, %i, %y)
  %b: f32[2] = aten.add_.Scalar(%x, 1)
  %c: f32[8, 2] = aten.mul.Tensor(%w, %x)
  return %c
})");
  EXPECT_EQ(text,
            R"(graph main(state %w "cache": f32[8, 2], %x: f32[2], %i: i64[1], %y: f32[1, 2]) {
  %a: f32[8, 2] = aten.index_copy.default(%w, 0, %i, %y)
  %b: f32[2] = aten.add.Scalar(%x, 1, 1)
  %c: f32[8, 2] = aten.mul.Tensor(%a, %b)
  return %c, state %w <- %a, input %x <- %b
}
)");
  EXPECT_EQ(after({"functionalize"}, text), text);
}

TEST(Functionalize, WriteThroughAnExpandedViewIsRefused) {
  try {
    after(kPasses, R"(graph main(%x: f32[1, 6]) {
  %v: f32[4, 6] = aten.expand.default(%x, [4, 6])
  %w: f32[4, 6] = aten.add_.Scalar(%v, 1)
  return %w
})");
    FAIL() << "not refused";
  } catch (const CompileError& error) {
    EXPECT_EQ(error.diagnostic().id, Diag::kUnsupportedCase);
    EXPECT_THAT(error.what(), testing::HasSubstr("elements share memory"));
    EXPECT_THAT(error.what(), testing::HasSubstr("at <ir>:3: %w"));
    EXPECT_THAT(error.what(), testing::HasSubstr("while running pass functionalize on node %w"));
  }
}

TEST(Functionalize, AnExpandThatRepeatsNothingIsWritable) {
  EXPECT_EQ(after(kPasses, R"(graph main(%x: f32[6]) {
  %v: f32[1, 6] = aten.expand.default(%x, [1, 6])
  %w: f32[1, 6] = aten.zero_.default(%v)
  return
})"),
            R"(graph main(%x: f32[6]) {
  %w: f32[1, 6] = aten.full.default([1, 6], 0.0, dtype f32, none, none, none)
  %w_1: f32[6] = ingot.reshape.default(%w, [6])
  return input %x <- %w_1
}
)");
}

TEST(Functionalize, ReshapeOfWhatIsNotContiguousIsACopy) {
  EXPECT_EQ(after(kPasses, R"(graph main(%x: f32[2, 3]) {
  %t: f32[3, 2] = aten.transpose.int(%x, 0, 1)
  %copy: f32[6] = aten.reshape.default(%t, [6])
  %a: f32[6] = aten.zero_.default(%copy)
  %view: f32[6] = aten.reshape.default(%x, [6])
  %b: f32[6] = aten.relu_.default(%view)
  return
})"),
            R"(graph main(%x: f32[2, 3]) {
  %view: f32[6] = ingot.reshape.default(%x, [6])
  %b: f32[6] = aten.relu.default(%view)
  %b_1: f32[2, 3] = ingot.reshape.default(%b, [2, 3])
  return input %x <- %b_1
}
)");
}

TEST(Functionalize, DropoutInEvaluationIsItsArgument) {
  EXPECT_EQ(after({"functionalize", "decompose", "eliminate-dead-code"},
                  R"(graph main(%x: f32[4]) {
  %d: f32[4] = aten.dropout.default(%x, 0.5, false)
  %a: f32[4] = aten.neg_.default(%d)
  %c: f32[4] = aten.clone.default(%x)
  %b: f32[4] = aten.exp_.default(%c)
  return %x
})"),
            R"(graph main(%x: f32[4]) {
  %a: f32[4] = aten.neg.default(%x)
  return %a, input %x <- %a
}
)");
}

TEST(Functionalize, OneWeightUnderTwoNames) {
  const auto model = parse(R"(graph main(const %a "a": f32[4], const %b "b": f32[4]) {
  %w: f32[4] = aten.neg_.default(%a)
  %s: f32[4] = aten.exp.default(%b)
  return %s
})");
  model->weights[1].storage = model->weights[0].storage;
  apply("functionalize", *model);
  EXPECT_EQ(ir::to_string(*model), R"(graph main(state %a "a": f32[4], state %b "b": f32[4]) {
  %w: f32[4] = aten.neg.default(%a)
  %s: f32[4] = aten.exp.default(%w)
  return %s, state %a <- %w, state %b <- %w
}
)");
}

TEST(Functionalize, OverlappingBuffersAreRefused) {
  const auto model = parse(R"(graph main(const %a "a": f32[4], const %b "b": f32[2]) {
  %w: f32[4] = aten.neg_.default(%a)
  return %b
})");
  model->weights[1].storage = model->weights[0].storage;
  EXPECT_THROW(apply("functionalize", *model), CompileError);
}

TEST(Functionalize, OperatorsWithAnOutArgument) {
  EXPECT_EQ(after(kPasses, R"(graph main(%x: f32[4]) {
  %y: f32[4] = aten.exp.default(%x)
  %v: f32[4] = aten.unsqueeze_.default(%y, 0)
  return %v
})")
                .find("unsqueeze_"),
            std::string::npos);
}

// Builds random training graphs while the eager interpreter runs them.
class RandomProgram {
 public:
  explicit RandomProgram(uint64_t seed) : random_(seed) {
    model_.locations.push_back({});
    add_input(ir::InputRole::kUser, {4, 6});
    add_input(ir::InputRole::kUser, {6});
    add_input(ir::InputRole::kConstant, {3, 4, 2});
  }

  void grow(int steps) {
    for (int i = 0; i < steps; ++i) add_random_node();
    for (size_t i = 0; i < values_.size(); ++i) {
      if (i % 3 != 0) continue;
      model_.graph.outputs().push_back(values_[i]);
      model_.outputs.push_back(
          {ir::OutputRole::kUser, static_cast<uint32_t>(model_.user_outputs.size())});
      model_.user_outputs.push_back({});
    }
  }

  // Compares the functional graph with what the eager run has left behind.
  void check() {
    const std::string text = ir::to_string(model_);
    std::vector<std::vector<double>> expected;
    for (const ir::Value* output : model_.graph.outputs()) {
      expected.push_back(eager_.get(output).elements());
    }
    for (const std::string_view pass : {"functionalize", "decompose", "simplify-views",
                                        "eliminate-common-subexpressions", "eliminate-dead-code"}) {
      apply(pass, model_);
    }
    for (size_t i = expected.size(); i < model_.outputs.size(); ++i) {
      expected.push_back(*memories_[model_.outputs[i].index]);
    }
    const std::vector<ops::HostTensor> results = ops::evaluate(model_.graph, inputs_);
    ASSERT_EQ(results.size(), expected.size());
    for (size_t i = 0; i < results.size(); ++i) {
      for (int64_t k = 0; k < results[i].elements(); ++k) {
        ASSERT_EQ(results[i].get(k).as_double(), expected[i][static_cast<size_t>(k)])
            << "output " << i << ", element " << k << "\n"
            << text << "\nbecame\n"
            << ir::to_string(model_);
      }
    }
    // What was not declared as changed must not have changed.
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const bool is_declared = std::any_of(
          model_.outputs.begin(), model_.outputs.end(), [&](const ir::OutputBinding& output) {
            return output.role != ir::OutputRole::kUser && output.index == i;
          });
      for (int64_t k = 0; k < inputs_[i].elements() && !is_declared; ++k) {
        ASSERT_EQ(inputs_[i].get(k).as_double(), (*memories_[i])[static_cast<size_t>(k)]) << text;
      }
    }
  }

 private:
  int64_t below(int64_t bound) {
    return std::uniform_int_distribution<int64_t>(0, bound - 1)(random_);
  }
  ir::Value* any_value() {
    return values_[static_cast<size_t>(below(static_cast<int64_t>(values_.size())))];
  }

  void add_input(ir::InputRole role, std::vector<int64_t> sizes) {
    const size_t number = model_.inputs.size();
    ir::Value* value =
        model_.graph.add_input("in" + std::to_string(number), {DType::kF64, ir::to_exprs(sizes)});
    EagerTensor tensor = EagerTensor::make(sizes);
    ops::HostTensor host(DType::kF64, sizes);
    for (size_t i = 0; i < tensor.memory->size(); ++i) {
      (*tensor.memory)[i] = static_cast<double>(below(9) - 4);
      host.set(static_cast<int64_t>(i), ops::to_number(DType::kF64, (*tensor.memory)[i]));
    }
    inputs_.push_back(host);
    memories_.push_back(tensor.memory);
    eager_.set(value, tensor);
    values_.push_back(value);
    if (role == ir::InputRole::kUser) {
      model_.inputs.push_back({role, static_cast<uint32_t>(model_.user_inputs.size())});
      model_.user_inputs.push_back({});
    } else {
      model_.inputs.push_back({role, static_cast<uint32_t>(model_.weights.size())});
      ir::Weight weight{"w", DType::kF64, sizes, tensor.strides, 0, 0};
      model_.weights.push_back(weight);
      model_.storages.push_back({});
    }
  }

  // Adds a call whose result has the sizes that the eager run finds. Does nothing if that refuses.
  void add(std::string_view op, std::vector<ir::Arg> args) {
    const ir::Operator* callee = ops::find_operator(op);
    ASSERT_NE(callee, nullptr) << op;
    args = ir::complete_args(callee->schema, std::move(args));
    const std::string name = "v" + std::to_string(model_.graph.nodes().size());
    ir::Node* node = model_.graph.add_node(callee, args, {{DType::kF64, {}}}, name, 0);
    try {
      eager_.run(*node);
    } catch (const std::invalid_argument&) {
      model_.graph.erase_node(node);
      return;
    }
    ir::Value* result = node->results[0];
    result->type.sizes = ir::to_exprs(eager_.get(result).sizes);
    values_.push_back(result);
  }

  std::vector<sym::Expr> random_sizes(int64_t elements) {
    std::vector<sym::Expr> sizes;
    while (elements > 1) {
      int64_t factor = 2 + below(5);
      if (elements % factor != 0) factor = elements;
      sizes.push_back(factor);
      elements /= factor;
    }
    if (below(3) == 0)
      sizes.insert(sizes.begin() + below(1 + static_cast<int64_t>(sizes.size())), 1);
    return sizes;
  }

  void add_view(ir::Value* x) {
    const int64_t rank = x->rank();
    const int64_t dim = rank == 0 ? 0 : below(rank);
    const int64_t elements = *x->type.elements().as_const();
    switch (below(rank == 0 ? 3 : 7)) {
      case 0:
        return add("aten.view.default", {x, random_sizes(elements)});
      case 1:
        return add("aten.reshape.default", {x, random_sizes(elements)});
      case 2:
        return add("aten.unsqueeze.default", {x, sym::Expr(below(rank + 1))});
      case 3:
        return add("aten.transpose.int", {x, sym::Expr(dim), sym::Expr(below(rank))});
      case 4: {
        const int64_t size = *x->size(dim).as_const();
        return add("aten.select.int", {x, sym::Expr(dim), sym::Expr(below(size))});
      }
      case 5: {
        const int64_t size = *x->size(dim).as_const();
        const int64_t start = below(size);
        return add("aten.slice.Tensor",
                   {x, sym::Expr(dim), sym::Expr(start), sym::Expr(start + 1 + below(size - start)),
                    sym::Expr(1 + below(2))});
      }
      default:
        return add(below(2) ? "aten.contiguous.default" : "aten.clone.default", {x});
    }
  }

  // A value that broadcasts to `x`, or null.
  ir::Value* operand_for(const ir::Value* x) {
    for (int tries = 0; tries < 20; ++tries) {
      ir::Value* y = any_value();
      const int64_t added = x->rank() - y->rank();
      bool fits = added >= 0;
      for (int64_t i = 0; fits && i < y->rank(); ++i) {
        fits = y->size(i).is_const(1) || y->size(i) == x->size(i + added);
      }
      if (fits) return y;
    }
    return nullptr;
  }

  void add_write(ir::Value* x) {
    ir::Value* y = operand_for(x);
    switch (below(y ? 6 : 4)) {
      case 0:
        return add("aten.add_.Scalar", {x, sym::Expr(1 + below(3))});
      case 1:
        return add("aten.mul_.Scalar", {x, below(2) ? 0.5 : -1.0});
      case 2:
        return add("aten.fill_.Scalar", {x, static_cast<double>(below(5))});
      case 3:
        return add("aten.relu_.default", {x});
      case 4:
        return shares_memory(x, y) ? void() : add("aten.copy_.default", {x, y});
      default:
        return shares_memory(x, y) ? void() : add("aten.add_.Tensor", {x, y});
    }
  }

  // PyTorch refuses most writes whose operand overlaps the written tensor.
  bool shares_memory(const ir::Value* x, const ir::Value* y) const {
    return eager_.get(x).memory == eager_.get(y).memory;
  }

  void add_random_node() {
    ir::Value* x = any_value();
    const int64_t kind = below(10);
    if (kind < 5) return add_view(x);
    if (kind < 8) return add_write(x);
    if (ir::Value* y = operand_for(x)) return add("aten.add.Tensor", {x, y});
  }

  std::mt19937_64 random_;
  ir::Model model_;
  EagerInterpreter eager_;
  std::vector<ir::Value*> values_;
  std::vector<ops::HostTensor> inputs_;
  std::vector<std::shared_ptr<std::vector<double>>> memories_;  // of the inputs
};

TEST(Functionalize, RandomProgramsGiveWhatEagerExecutionGives) {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    RandomProgram program(seed);
    program.grow(static_cast<int>(4 + seed % 25));
    program.check();
    if (HasFatalFailure()) {
      ADD_FAILURE() << "seed " << seed;
      return;
    }
  }
}

}  // namespace
}  // namespace ingot::passes
