#include "ops/pointwise.h"

#include "ops/broadcast.h"
#include "ops/family.h"
#include "ops/promotion.h"

namespace ingot::ops {
namespace {

std::vector<TensorType> with_dtype(const Node& node, DType dtype) {
  return {{dtype, node.tensor("self")->type.sizes}};
}

std::vector<TensorType> binary_with_dtype(const Node& node, DType dtype) {
  return {{dtype, broadcast_sizes(node, {"self", "other"})}};
}

}  // namespace

std::string schema_full_name(std::string_view schema) {
  const size_t colons = schema.find("::");
  std::string name(schema.substr(0, colons));
  const std::string_view rest = schema.substr(colons + 2, schema.find('(') - colons - 2);
  name += '.';
  name += rest;
  if (rest.find('.') == rest.npos) name += ".default";
  return name;
}

std::vector<TensorType> infer_same(const Node& node) {
  return with_dtype(node, result_type(node, {"self"}));
}
std::vector<TensorType> infer_float(const Node& node) {
  return with_dtype(node, to_float_type(result_type(node, {"self"})));
}
std::vector<TensorType> infer_bool(const Node& node) { return with_dtype(node, DType::kBool); }

std::vector<TensorType> infer_binary(const Node& node) {
  return binary_with_dtype(node, result_type(node, {"self", "other"}));
}
std::vector<TensorType> infer_binary_float(const Node& node) {
  return binary_with_dtype(node, to_float_type(result_type(node, {"self", "other"})));
}
std::vector<TensorType> infer_binary_bool(const Node& node) {
  return binary_with_dtype(node, DType::kBool);
}

std::vector<int64_t> broadcast_sizes(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  std::vector<int64_t> result = a.size() >= b.size() ? a : b;
  const std::vector<int64_t>& shorter = a.size() >= b.size() ? b : a;
  const size_t shift = result.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    if (result[shift + i] == 1) result[shift + i] = shorter[i];
  }
  return result;
}

RefTensor expanded(const RefTensor& tensor, const std::vector<int64_t>& sizes) {
  RefTensor result{tensor.dtype, sizes, {}};
  const size_t shift = sizes.size() - tensor.sizes.size();
  std::vector<int64_t> at(tensor.sizes.size());
  const int64_t count = result.elements();
  for (int64_t position = 0; position < count; ++position) {
    int64_t rest = position;
    for (size_t i = sizes.size(); i-- > 0; rest /= sizes[i]) {
      if (i >= shift) at[i - shift] = tensor.sizes[i - shift] == 1 ? 0 : rest % sizes[i];
    }
    result.data.push_back(tensor.data[static_cast<size_t>(tensor.offset(at))]);
  }
  return result;
}

RefTensor map_reference(const RefArgs& args, const RefTensor& a, double (*f)(double)) {
  RefTensor result{args.result_dtype, a.sizes, a.data};
  for (double& x : result.data) x = f(x);
  return result;
}

RefTensor zip_reference(const RefArgs& args, const RefTensor& a, const RefTensor& b,
                        double (*f)(double, double)) {
  return zip3_reference(args, a, b, RefTensor{DType::kF64, {}, {0}},
                        [f](double x, double y, double) { return f(x, y); });
}

std::vector<Case> unary_cases(std::string_view schema, Fill fill, std::vector<DType> dtypes,
                              std::vector<CaseArg> more) {
  const std::string name = schema_full_name(schema);
  std::vector<DType> floats;
  for (DType d : dtypes) {
    if (is_float(d)) floats.push_back(d);
  }
  const auto with = [&more](TensorArg self) {
    std::vector<CaseArg> args = {std::move(self)};
    args.insert(args.end(), more.begin(), more.end());
    return args;
  };
  std::vector<Case> cases = {
      {.schema = name, .args = with({{3, 5}, fill}), .dtypes = dtypes, .dynamic = true},
      {.schema = name, .args = with({{0, 4}, fill}), .dtypes = {dtypes[0]}, .name = "empty"},
      {.schema = name, .args = with({{}, fill}), .dtypes = dtypes, .name = "scalar"},
  };
  if (!floats.empty()) {
    cases.push_back({.schema = name,
                     .args = with({{64}, Fill::kSpecial}),
                     .dtypes = floats,
                     .name = "special"});
  }
  return cases;
}

std::vector<DType> all_float_dtypes() {
  return {DType::kF32, DType::kF16, DType::kBF16, DType::kF64};
}
std::vector<DType> int_dtypes() {
  return {DType::kI64, DType::kI32, DType::kI16, DType::kI8, DType::kU8};
}
std::vector<DType> number_dtypes() {
  std::vector<DType> dtypes = all_float_dtypes();
  for (DType d : int_dtypes()) dtypes.push_back(d);
  return dtypes;
}
std::vector<DType> computable_dtypes() {
  std::vector<DType> dtypes = number_dtypes();
  dtypes.push_back(DType::kBool);
  return dtypes;
}

}  // namespace ingot::ops
