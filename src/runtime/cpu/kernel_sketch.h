// A short way to write kernels, data and expectations in tests.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "program/kernel.h"
#include "runtime/cpu/lane_table.h"
#include "runtime/cpu/loop_kernel.h"
#include "runtime/scalar/element.h"
#include "runtime/scalar/scalar_executor.h"

namespace ingot::runtime::cpu {

using program::Access;
using program::Inst;
using program::InstId;
using program::InstKind;
using program::kNoInst;
using program::ReduceOp;
using program::ScalarOp;
using program::StoreMode;

inline sym::Expr axis(size_t k) { return sym::Expr::symbol("a" + std::to_string(k)); }
inline sym::Expr value(InstId id) { return sym::Expr::symbol("v" + std::to_string(id)); }
inline sym::Expr scalar_symbol(size_t k) { return sym::Expr::symbol("d" + std::to_string(k)); }

// Builds a loop kernel instruction by instruction.
class KernelSketch {
 public:
  explicit KernelSketch(std::string name = "sketch") { kernel_.name = std::move(name); }

  size_t parallel(sym::Expr extent) { return add_axis(std::move(extent), false); }
  size_t inner(sym::Expr extent) { return add_axis(std::move(extent), true); }
  uint32_t buffer(DType dtype, Access access = Access::kReadWrite) {
    kernel_.buffers.push_back({dtype, access});
    return static_cast<uint32_t>(kernel_.buffers.size() - 1);
  }
  void scalars(uint32_t count) { kernel_.scalar_count = count; }

  void row_stage() { add_stage(false); }
  void inner_stage() { add_stage(true); }

  InstId constant(DType dtype, double value) {
    Inst inst;
    inst.kind = InstKind::kConst;
    inst.dtype = dtype;
    inst.constant = value;
    inst.int_constant = static_cast<int64_t>(value);
    return add(std::move(inst));
  }
  InstId index(sym::Expr expr) {
    Inst inst;
    inst.kind = InstKind::kIndex;
    inst.dtype = DType::kI64;
    inst.index = std::move(expr);
    return add(std::move(inst));
  }
  InstId load(uint32_t buffer, sym::Expr index, InstId predicate = kNoInst) {
    Inst inst;
    inst.kind = InstKind::kLoad;
    inst.dtype = kernel_.buffers[buffer].dtype;
    inst.buffer = buffer;
    inst.index = std::move(index);
    inst.predicate = predicate;
    return add(std::move(inst));
  }
  InstId compute(ScalarOp op, InstId a, InstId b = kNoInst, InstId c = kNoInst) {
    Inst inst;
    inst.kind = InstKind::kCompute;
    inst.op = op;
    inst.args[0] = a;
    inst.args[1] = b;
    inst.args[2] = c;
    inst.dtype =
        program::is_predicate(op) ? DType::kBool : dtype_of(op == ScalarOp::kSelect ? b : a);
    return add(std::move(inst));
  }
  InstId cast(InstId a, DType dtype) { return unary(InstKind::kCast, a, dtype); }
  InstId bitcast(InstId a, DType dtype) { return unary(InstKind::kBitcast, a, dtype); }
  InstId accumulator(DType dtype) {
    kernel_.accumulator = dtype;
    Inst inst;
    inst.kind = InstKind::kAccumulator;
    inst.dtype = dtype;
    return add(std::move(inst));
  }
  InstId reduce(ReduceOp op, InstId a) {
    Inst inst;
    inst.kind = InstKind::kReduce;
    inst.reduce = op;
    inst.args[0] = a;
    const bool arg = op == ReduceOp::kArgMin || op == ReduceOp::kArgMax;
    inst.dtype = arg ? DType::kI64 : dtype_of(a);
    return add(std::move(inst));
  }
  InstId check(InstId a, sym::Expr extent, InstId predicate = kNoInst) {
    Inst inst;
    inst.kind = InstKind::kCheckIndex;
    inst.dtype = DType::kI64;
    inst.args[0] = a;
    inst.index = std::move(extent);
    inst.predicate = predicate;
    return add(std::move(inst));
  }
  void store(uint32_t buffer, sym::Expr index, InstId a, StoreMode mode = StoreMode::kSet,
             InstId predicate = kNoInst) {
    Inst inst;
    inst.kind = InstKind::kStore;
    inst.dtype = kernel_.buffers[buffer].dtype;
    inst.buffer = buffer;
    inst.index = std::move(index);
    inst.args[0] = a;
    inst.store_mode = mode;
    inst.predicate = predicate;
    add(std::move(inst));
  }

  DType dtype_of(InstId id) const { return kernel_.body.insts[id].dtype; }
  program::Kernel& kernel() { return kernel_; }

 private:
  size_t add_axis(sym::Expr extent, bool inner) {
    kernel_.body.axes.push_back({std::move(extent), inner});
    return kernel_.body.axes.size() - 1;
  }
  void add_stage(bool inner) {
    const auto at = static_cast<uint32_t>(kernel_.body.insts.size());
    kernel_.body.stages.push_back({at, at, inner});
  }
  InstId unary(InstKind kind, InstId a, DType dtype) {
    Inst inst;
    inst.kind = kind;
    inst.dtype = dtype;
    inst.args[0] = a;
    return add(std::move(inst));
  }
  InstId add(Inst inst) {
    if (kernel_.body.stages.empty()) add_stage(false);
    kernel_.body.insts.push_back(std::move(inst));
    ++kernel_.body.stages.back().last;
    return static_cast<InstId>(kernel_.body.insts.size() - 1);
  }

  program::Kernel kernel_;
};

// A buffer of elements of any dtype.
class TestBuffer {
 public:
  TestBuffer(DType dtype, int64_t elements)
      : dtype_(dtype),
        bytes_(static_cast<size_t>(elements * size_of(dtype))),
        elements_(elements) {}
  TestBuffer(DType dtype, const std::vector<double>& values)
      : TestBuffer(dtype, static_cast<int64_t>(values.size())) {
    for (size_t i = 0; i < values.size(); ++i) set(static_cast<int64_t>(i), values[i]);
  }

  DType dtype() const { return dtype_; }
  int64_t elements() const { return elements_; }
  void* data() { return bytes_.data(); }
  void set(int64_t i, double value) {
    scalar::store_element(data(), i, dtype_, scalar::from_double(value, dtype_));
  }
  void set_integer(int64_t i, int64_t value) {
    scalar::store_element(data(), i, dtype_, scalar::from_integer(value, dtype_));
  }
  scalar::Element element(int64_t i) const {
    return scalar::load_element(bytes_.data(), i, dtype_);
  }
  double at(int64_t i) const {
    const scalar::Element e = element(i);
    return is_float(dtype_) ? e.real : static_cast<double>(e.integer);
  }

 private:
  DType dtype_;
  std::vector<unsigned char> bytes_;
  int64_t elements_;
};

struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

inline void expect_equal(const TestBuffer& actual, const TestBuffer& expected, Tolerance tolerance,
                         const std::string& what) {
  for (int64_t i = 0; i < expected.elements(); ++i) {
    const scalar::Element a = actual.element(i);
    const scalar::Element e = expected.element(i);
    if (!is_float(expected.dtype())) {
      ASSERT_EQ(a.integer, e.integer) << what << ", element " << i;
    } else if (e.real != e.real) {
      ASSERT_TRUE(a.real != a.real) << what << ", element " << i << ": " << a.real;
    } else if (a.real != e.real) {
      ASSERT_LE(std::abs(a.real - e.real),
                tolerance.absolute + tolerance.relative * std::abs(e.real))
          << what << ", element " << i << ": " << a.real << " instead of " << e.real;
    }
  }
}

inline std::vector<Isa> supported_isas() {
  std::vector<Isa> found;
  for (const Isa isa : {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512}) {
    if (is_supported(isa)) found.push_back(isa);
  }
  return found;
}

inline std::vector<int64_t> elements_of(const std::vector<TestBuffer>& buffers) {
  std::vector<int64_t> elements;
  for (const TestBuffer& buffer : buffers) elements.push_back(buffer.elements());
  return elements;
}
inline std::vector<void*> addresses_of(std::vector<TestBuffer>& buffers) {
  std::vector<void*> addresses;
  for (TestBuffer& buffer : buffers) addresses.push_back(buffer.data());
  return addresses;
}

inline Status run_strips(const program::Kernel& kernel, std::vector<TestBuffer>& buffers,
                         const std::vector<int64_t>& scalars, Isa isa, ThreadPool& pool) {
  const std::vector<int64_t> elements = elements_of(buffers);
  INGOT_ASSIGN_OR_RETURN(const auto prepared, prepare_loop(kernel, isa));
  INGOT_ASSIGN_OR_RETURN(const auto bound, prepared->bind({scalars, elements}));
  return bound->run(addresses_of(buffers), pool);
}

inline Status run_scalar(const program::Kernel& kernel, std::vector<TestBuffer>& buffers,
                         const std::vector<int64_t>& scalars) {
  const std::vector<int64_t> elements = elements_of(buffers);
  const std::vector<void*> addresses = addresses_of(buffers);
  return scalar::run_kernel(kernel, {addresses, elements, scalars});
}

// Runs the kernel on copies of `buffers` in every way there is and compares with the scalar
// executor. Returns what that gave.
inline std::vector<TestBuffer> expect_same(const program::Kernel& kernel,
                                           const std::vector<TestBuffer>& buffers,
                                           const std::vector<int64_t>& scalars = {},
                                           Tolerance tolerance = {1e-6, 1e-6}) {
  std::vector<TestBuffer> expected = buffers;
  const Status wanted = run_scalar(kernel, expected, scalars);
  std::vector<std::vector<TestBuffer>> results;
  for (const Isa isa : supported_isas()) {
    for (int threads : {1, 3}) {
      ThreadPool pool(threads);
      std::vector<TestBuffer> actual = buffers;
      const Status status = run_strips(kernel, actual, scalars, isa, pool);
      const std::string what = std::string(to_string(isa)) + ", " + std::to_string(threads);
      EXPECT_EQ(status.ok(), wanted.ok()) << what << ": " << status.message() << wanted.message();
      EXPECT_EQ(status.id(), wanted.id()) << what;
      if (!status.ok() || !wanted.ok()) continue;
      for (size_t b = 0; b < actual.size(); ++b) {
        expect_equal(actual[b], expected[b], tolerance, what + ", buffer " + std::to_string(b));
      }
      results.push_back(std::move(actual));
    }
  }
  for (size_t r = 1; r < results.size(); ++r) {
    for (size_t b = 0; b < results[r].size(); ++b) {
      const auto bytes =
          static_cast<size_t>(results[r][b].elements() * size_of(results[r][b].dtype()));
      EXPECT_EQ(std::memcmp(results[r][b].data(), results[0][b].data(), bytes), 0)
          << "instruction sets or threads differ in buffer " << b;
    }
  }
  return expected;
}

}  // namespace ingot::runtime::cpu
