#include "ops/pointwise.h"

#include <cmath>

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

double floor_division(double a, double b) {
  if (b == 0) return a / b;
  const double rest = std::fmod(a, b);
  const bool adjust = rest != 0 && (b < 0) != (rest < 0);
  return std::round((a - rest) / b) - (adjust ? 1 : 0);
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

namespace {

// Cases of a schema whose first two parameters are the operands.
class BinaryCases {
 public:
  BinaryCases(std::string_view schema, std::vector<CaseArg> more)
      : schema_(ir::parse_schema(schema)), more_(std::move(more)) {}

  void add(std::string name, CaseArg a, CaseArg b, std::vector<DType> dtypes,
           bool dynamic = false) {
    if (dtypes.empty()) return;
    std::vector<CaseArg> args = {std::move(a), std::move(b)};
    args.insert(args.end(), more_.begin(), more_.end());
    cases_.push_back({schema_.name, std::move(args), std::move(dtypes), std::move(name), dynamic});
  }
  bool is_number(size_t param) const { return schema_.params[param].kind == ir::ArgKind::kNumber; }
  std::vector<Case> take() { return std::move(cases_); }

 private:
  ir::Schema schema_;
  std::vector<CaseArg> more_;
  std::vector<Case> cases_;
};

}  // namespace

std::vector<Case> binary_cases(std::string_view schema, Fill fill_a, Fill fill_b,
                               std::vector<DType> dtypes, std::vector<CaseArg> more) {
  BinaryCases cases(schema, std::move(more));
  std::vector<DType> floats;
  for (DType d : dtypes) {
    if (is_float(d)) floats.push_back(d);
  }
  const int64_t integer = 2;
  const double real = fill_a == Fill::kUnit || fill_b == Fill::kUnit ? 0.5 : 1.5;
  const TensorArg a{{3, 5}, fill_a};
  const TensorArg b{{3, 5}, fill_b};
  if (cases.is_number(0)) {
    cases.add("int", integer, b, dtypes, true);
    cases.add("float", real, b, floats);
    return cases.take();
  }
  cases.add("wrapped_int", a, integer, dtypes, cases.is_number(1));
  cases.add("wrapped_float", a, real, floats);
  if (cases.is_number(1)) return cases.take();
  cases.add("", a, b, dtypes, true);
  cases.add("broadcast", TensorArg{{3, 1, 4}, fill_a}, TensorArg{{5, 1}, fill_b}, dtypes, true);
  cases.add("scalar", a, TensorArg{{}, fill_b}, dtypes);
  cases.add("empty", TensorArg{{0, 4}, fill_a}, TensorArg{{1, 4}, fill_b}, {dtypes[0]});
  cases.add("mixed", a, TensorArg{{5}, fill_b, true, DType::kI32}, dtypes);
  cases.add("special", TensorArg{{200}, Fill::kSpecial}, TensorArg{{200}, Fill::kSpecial}, floats);
  return cases.take();
}

std::vector<Case> binary_cases(std::span<const std::string_view> schemas, Fill fill_a, Fill fill_b,
                               std::vector<DType> dtypes, std::vector<CaseArg> more) {
  std::vector<Case> cases;
  for (std::string_view schema : schemas) {
    for (Case& one : binary_cases(schema, fill_a, fill_b, dtypes, more)) {
      cases.push_back(std::move(one));
    }
  }
  return cases;
}

std::vector<DType> float32_dtypes() { return {DType::kF32}; }
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
std::vector<DType> signed_dtypes() {
  std::vector<DType> dtypes = number_dtypes();
  std::erase(dtypes, DType::kU8);
  return dtypes;
}
std::vector<DType> computable_dtypes() {
  std::vector<DType> dtypes = number_dtypes();
  dtypes.push_back(DType::kBool);
  return dtypes;
}

}  // namespace ingot::ops
