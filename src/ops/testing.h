// What an operator brings for its tests: a double-precision reference and cases. The harness in
// tests/ops runs every operator x case x dtype on every device against the reference.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "support/dtype.h"

namespace ingot::ops {

// A tensor of the reference: row-major doubles (integers up to 2^53 and bools are exact in them).
struct RefTensor {
  DType dtype = DType::kF32;
  std::vector<int64_t> sizes;
  std::vector<double> data;

  int64_t elements() const;
  // Row-major position of an index.
  int64_t offset(std::span<const int64_t> index) const;
};

// How a case fills a tensor argument.
enum class Fill : uint8_t {
  kNormal,    // floats around 0; integers in [-10, 10]; bools both
  kPositive,  // floats in (0.1, 3); integers in [1, 10]
  kUnit,      // floats in (-0.95, 0.95)
  kSpecial,   // kNormal with NaN, infinities and zeros among them (floats only)
  kIndices,   // integers in [0, bound)
  kBools,
  kLarge,  // floats up to 60 in size
};

// One argument of a case, in the order of the schema. Left-out trailing arguments take defaults.
struct TensorArg {
  std::vector<int64_t> sizes;
  Fill fill = Fill::kNormal;
  // The dtype: of the case when absent (kIndices: i64, kBools: bool).
  bool has_dtype = false;
  DType dtype = DType::kF32;
  int64_t bound = 0;  // for kIndices
};
struct NoneArg {};
using CaseArg =
    std::variant<NoneArg, TensorArg, std::vector<TensorArg>, int64_t, std::vector<int64_t>, double,
                 std::vector<double>, bool, std::string, DType>;

struct Case {
  std::string schema = {};  // full operator name: "aten.softmax.int"
  std::vector<CaseArg> args = {};
  std::vector<DType> dtypes = {};  // the dtypes it runs in, one after the other
  std::string name = {};           // distinguishes cases in reports; may be empty
  // Runs a second time with dynamic sizes: every size above 1 of a tensor argument is a symbol
  // then, and so is every integer above 1 of the arguments named in `dynamic_args`; equal numbers
  // are the same symbol. If `dynamic_sizes` is not empty, only the numbers in it are.
  bool dynamic = false;
  std::vector<std::string> dynamic_args = {};
  std::vector<int64_t> dynamic_sizes = {};
};
using CasesFn = std::vector<Case> (*)();

// The cases with the first one dynamic.
std::vector<Case> first_dynamic(std::vector<Case> cases);

using RefArg =
    std::variant<NoneArg, RefTensor, std::vector<RefTensor>, int64_t, std::vector<int64_t>, double,
                 std::vector<double>, bool, std::string, DType>;

// The arguments of one concrete call, as the reference sees them, in the order of the schema with
// defaults filled in. Typed access; a missing or other argument is an InternalError.
struct RefArgs {
  std::vector<RefArg> args;
  std::vector<std::string> names;
  DType result_dtype = DType::kF32;                // of the first result
  std::vector<std::vector<int64_t>> result_sizes;  // of each result, as inferred

  const RefArg& arg(std::string_view name) const;
  bool has(std::string_view name) const;  // present and not none
  bool is_tensor(std::string_view name) const;
  const RefTensor& tensor(std::string_view name) const;
  const std::vector<RefTensor>& tensors(std::string_view name) const;  // a missing one: no data
  int64_t integer(std::string_view name) const;
  std::vector<int64_t> integers(std::string_view name) const;
  double number(std::string_view name) const;  // int, float or bool
  bool flag(std::string_view name) const;
  std::string text(std::string_view name) const;
  DType dtype_or(std::string_view name, DType otherwise) const;
  // A tensor slot that may hold a number, which becomes a 0-dimensional tensor.
  RefTensor tensor_or_number(std::string_view name) const;
};

// The results in double precision, from doubles that hold the rounded inputs exactly.
using ReferenceFn = std::vector<RefTensor> (*)(const RefArgs& args);

// Dtype lists that cases name.
inline std::vector<DType> float_dtypes() { return {DType::kF32, DType::kF16, DType::kBF16}; }

}  // namespace ingot::ops
