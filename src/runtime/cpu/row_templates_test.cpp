// Scans and sorts against the scalar executor.
#include "runtime/cpu/row_templates.h"

#include <cmath>
#include <random>

#include "program/expr_facts.h"
#include "program/validate_kernel.h"
#include "runtime/cpu/kernel_sketch.h"

namespace ingot::runtime::cpu {
namespace {

constexpr int64_t kRows = 7;

TestBuffer random_input(DType dtype, int64_t elements) {
  std::mt19937_64 random(static_cast<uint64_t>(elements));
  TestBuffer buffer(dtype, elements);
  for (int64_t i = 0; i < elements; ++i) {
    const auto k = static_cast<int64_t>(random() % 40);
    if (!is_float(dtype)) {
      buffer.set_integer(i, k % 7 - 3);
    } else if (k == 0) {
      buffer.set(i, NAN);
    } else if (k < 3) {
      buffer.set(i, k == 1 ? INFINITY : -INFINITY);
    } else {
      buffer.set(i, k < 6 ? -0.0 : static_cast<double>(k % 13) * 0.25 - 1.5);
    }
  }
  return buffer;
}

void expect_same_rows(const program::Kernel& kernel, std::vector<TestBuffer> buffers,
                      Tolerance tolerance) {
  program::ExprFactsCache facts;
  const Status valid = program::validate_kernel(kernel, facts);
  ASSERT_TRUE(valid.ok()) << valid.message();
  std::vector<TestBuffer> expected = buffers;
  ASSERT_TRUE(run_scalar(kernel, expected, {}).ok());
  const std::vector<int64_t> elements = elements_of(buffers);
  for (const Isa isa : supported_isas()) {
    for (const int threads : {1, 3}) {
      std::vector<TestBuffer> actual = buffers;
      const bool scan = kernel.kind == program::KernelKind::kScan;
      const auto bound =
          scan ? bind_scan(kernel, {{}, elements}, isa) : bind_sort(kernel, {{}, elements}, isa);
      ASSERT_TRUE(bound.ok()) << bound.status().message();
      ThreadPool pool(threads);
      ASSERT_TRUE((*bound)->run(addresses_of(actual), pool).ok());
      for (size_t b = 0; b < actual.size(); ++b) {
        expect_equal(actual[b], expected[b], tolerance, "buffer " + std::to_string(b));
      }
    }
  }
}

// Rows of an input whose scanned dimension is the outer one in memory.
program::Kernel scan_kernel(ReduceOp op, DType in, DType accumulator, int64_t extent,
                            bool log_sum_exp) {
  KernelSketch k("scan");
  program::Kernel& kernel = k.kernel();
  kernel.kind = program::KernelKind::kScan;
  kernel.scan.op = op;
  kernel.scan.log_sum_exp = log_sum_exp;
  kernel.scan.rows = {kRows};
  kernel.scan.extent = extent;
  k.parallel(kRows);
  k.parallel(extent);
  const uint32_t input = k.buffer(in, Access::kRead);
  const uint32_t out = k.buffer(accumulator, Access::kWrite);
  kernel.operands.push_back({input, 0, {1, kRows}});
  if (op == ReduceOp::kArgMin || op == ReduceOp::kArgMax) {
    const uint32_t positions = k.buffer(DType::kI64, Access::kWrite);
    kernel.operands.push_back({positions, 0, {extent, 1}});
  }
  k.store(out, axis(0) * extent + axis(1), k.accumulator(accumulator));
  return std::move(kernel);
}

TEST(Scan, GivesWhatTheScalarExecutorGives) {
  struct Case {
    ReduceOp op;
    DType in;
    DType accumulator;
    bool log_sum_exp = false;
  };
  const Case cases[] = {
      {ReduceOp::kSum, DType::kF32, DType::kF32},
      {ReduceOp::kSum, DType::kBool, DType::kI64},
      {ReduceOp::kSum, DType::kI64, DType::kI64},
      {ReduceOp::kSum, DType::kF16, DType::kF32},
      {ReduceOp::kProd, DType::kI32, DType::kI64},
      {ReduceOp::kProd, DType::kF64, DType::kF64},
      {ReduceOp::kMax, DType::kF32, DType::kF32},
      {ReduceOp::kMin, DType::kI8, DType::kI8},
      {ReduceOp::kArgMax, DType::kF32, DType::kF32},
      {ReduceOp::kArgMin, DType::kI32, DType::kI32},
      {ReduceOp::kArgMin, DType::kF64, DType::kF64},
      {ReduceOp::kSum, DType::kF32, DType::kF32, true},
      {ReduceOp::kSum, DType::kF64, DType::kF64, true},
  };
  for (const Case& c : cases) {
    for (const int64_t extent : {1, 30, 512, 1300}) {
      SCOPED_TRACE(std::string(program::to_string(c.op)) + " of " + std::string(to_string(c.in)));
      const program::Kernel kernel = scan_kernel(c.op, c.in, c.accumulator, extent, c.log_sum_exp);
      std::vector<TestBuffer> buffers;
      buffers.push_back(random_input(c.in, kRows * extent));
      buffers.emplace_back(c.accumulator, kRows * extent);
      if (kernel.operands.size() > 1) buffers.emplace_back(DType::kI64, kRows * extent);
      expect_same_rows(kernel, std::move(buffers), {1e-6, 0});
    }
  }
}

TEST(Sort, GivesWhatTheScalarExecutorGives) {
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16, DType::kF64, DType::kI64,
                            DType::kU8, DType::kBool}) {
    for (const int64_t extent : {1, 40, 1100}) {
      for (const bool descending : {false, true}) {
        for (const int64_t keep : {extent, (extent + 19) / 20, int64_t{0}}) {
          program::Kernel kernel;
          kernel.kind = program::KernelKind::kSort;
          kernel.sort.descending = descending;
          kernel.sort.rows = {kRows};
          kernel.sort.extent = extent;
          kernel.sort.keep = keep;
          kernel.buffers = {
              {dtype, Access::kRead}, {dtype, Access::kWrite}, {DType::kI64, Access::kWrite}};
          kernel.operands = {{0, 0, {1, kRows}}, {1, 0, {keep, 1}}, {2, 0, {1, kRows}}};
          std::vector<TestBuffer> buffers;
          buffers.push_back(random_input(dtype, kRows * extent));
          buffers.emplace_back(dtype, kRows * keep);
          buffers.emplace_back(DType::kI64, kRows * keep);
          SCOPED_TRACE(std::string(to_string(dtype)) + ", " + std::to_string(extent) + ", " +
                       std::to_string(keep));
          expect_same_rows(kernel, std::move(buffers), {});
        }
      }
    }
  }
}

TEST(Sort, RefusesOperandsOutsideTheirBuffers) {
  program::Kernel kernel;
  kernel.kind = program::KernelKind::kSort;
  kernel.sort.extent = 10;
  kernel.sort.keep = 10;
  kernel.buffers = {
      {DType::kF32, Access::kRead}, {DType::kF32, Access::kWrite}, {DType::kI64, Access::kWrite}};
  kernel.operands = {{0, 0, {1}}, {1, 0, {1}}, {2, 0, {1}}};
  const int64_t enough[] = {10, 10, 10};
  EXPECT_TRUE(bind_sort(kernel, {{}, enough}, Isa::kBaseline).ok());
  const int64_t short_positions[] = {10, 10, 9};
  const auto bound = bind_sort(kernel, {{}, short_positions}, Isa::kBaseline);
  ASSERT_FALSE(bound.ok());
  EXPECT_EQ(bound.status().code(), StatusCode::kInvalidData);
}

}  // namespace
}  // namespace ingot::runtime::cpu
