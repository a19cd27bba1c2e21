// What pointwise operators share: result types, references and cases.
#pragma once

#include "ops/op_def.h"

namespace ingot::ops {

// Result types of operators with one operand, `self`: its sizes with its own dtype, the dtype of
// arithmetic that leaves the integers (f32 for integers and bools), or bool.
std::vector<TensorType> infer_same(const Node& node);
std::vector<TensorType> infer_float(const Node& node);
std::vector<TensorType> infer_bool(const Node& node);

// Result types of operators with operands `self` and `other`, which broadcast: the promoted dtype,
// its floating type, or bool.
std::vector<TensorType> infer_binary(const Node& node);
std::vector<TensorType> infer_binary_float(const Node& node);
std::vector<TensorType> infer_binary_bool(const Node& node);

// The broadcast sizes of concrete operands.
std::vector<int64_t> broadcast_sizes(const std::vector<int64_t>& a, const std::vector<int64_t>& b);
// `tensor` repeated to `sizes`, which it broadcasts to.
RefTensor expanded(const RefTensor& tensor, const std::vector<int64_t>& sizes);

// References: a function of one, two or three numbers at every element, operands broadcast.
RefTensor map_reference(const RefArgs& args, const RefTensor& a, double (*f)(double));
RefTensor zip_reference(const RefArgs& args, const RefTensor& a, const RefTensor& b,
                        double (*f)(double, double));
// Python's a // b in double precision.
double floor_division(double a, double b);
template <typename F>
RefTensor zip3_reference(const RefArgs& args, const RefTensor& a, const RefTensor& b,
                         const RefTensor& c, F f) {
  RefTensor result;
  result.dtype = args.result_dtype;
  result.sizes = broadcast_sizes(broadcast_sizes(a.sizes, b.sizes), c.sizes);
  const RefTensor x = expanded(a, result.sizes);
  const RefTensor y = expanded(b, result.sizes);
  const RefTensor z = expanded(c, result.sizes);
  for (size_t i = 0; i < x.data.size(); ++i) {
    result.data.push_back(f(x.data[i], y.data[i], z.data[i]));
  }
  return result;
}

// Shapes worth testing for one operand: dynamic, empty, 0-dimensional, special values (floats).
std::vector<Case> unary_cases(std::string_view schema, Fill fill, std::vector<DType> dtypes,
                              std::vector<CaseArg> more = {});

// The same for two operands, which also broadcast against each other. `mixed` adds operands of
// different dtypes. A Scalar in the schema gets numbers.
std::vector<Case> binary_cases(std::string_view schema, Fill fill_a, Fill fill_b,
                               std::vector<DType> dtypes, std::vector<CaseArg> more = {});
// Of each schema.
std::vector<Case> binary_cases(std::span<const std::string_view> schemas, Fill fill_a, Fill fill_b,
                               std::vector<DType> dtypes, std::vector<CaseArg> more = {});

// The dtypes of cases.
std::vector<DType> float32_dtypes();
std::vector<DType> all_float_dtypes();   // f64 too
std::vector<DType> int_dtypes();         // u8, i8, i16, i32, i64
std::vector<DType> signed_dtypes();      // floats and signed integers
std::vector<DType> number_dtypes();      // both of the above
std::vector<DType> computable_dtypes();  // and bool

}  // namespace ingot::ops
