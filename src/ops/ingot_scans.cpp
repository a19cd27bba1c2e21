// The scan and sort templates, over the last dimension.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ops/broadcast.h"
#include "ops/op_def.h"
#include "ops/reference_view.h"

namespace ingot::ops {
namespace {

using Dims = std::vector<int64_t>;

constexpr std::string_view kScanSchemas[] = {"ingot::scan(Tensor self, str op) -> Tensor"};
constexpr std::string_view kExtremumSchemas[] = {
    "ingot::scan_extremum(Tensor self, str op) -> (Tensor values, Tensor positions)"};
constexpr std::string_view kSortSchemas[] = {
    "ingot::sort(Tensor self, bool descending, SymInt keep) -> (Tensor values, Tensor positions)"};

// Calls row(first element, length) for every row of the last dimension.
template <typename Row>
void for_each_row(const RefTensor& tensor, Row row) {
  const auto length = static_cast<size_t>(tensor.sizes.back());
  for (size_t start = 0; start + length <= tensor.data.size() && length > 0; start += length) {
    row(start, length);
  }
}

double combined(const std::string& op, double a, double b) {
  if (op == "prod") return a * b;
  if (op == "sum") return a + b;
  const double largest = std::max(a, b);
  if (std::isinf(largest)) return largest;
  return largest + std::log(std::exp(a - largest) + std::exp(b - largest));
}

std::vector<RefTensor> scan_reference(const RefArgs& args) {
  RefTensor result = args.tensor("self");
  result.dtype = args.result_dtype;
  for_each_row(result, [&](size_t start, size_t length) {
    for (size_t i = 1; i < length; ++i) {
      result.data[start + i] =
          combined(args.text("op"), result.data[start + i - 1], result.data[start + i]);
    }
  });
  return {result};
}

// Of equal elements the last one counts, as in PyTorch.
std::vector<RefTensor> extremum_reference(const RefArgs& args) {
  RefTensor values = args.tensor("self");
  RefTensor positions{DType::kI64, values.sizes, std::vector<double>(values.data.size(), 0)};
  const bool is_max = args.text("op") == "max";
  for_each_row(values, [&](size_t start, size_t length) {
    for (size_t i = 1; i < length; ++i) {
      const double best = values.data[start + i - 1];
      const double x = values.data[start + i];
      const bool wins = std::isnan(x) || (!std::isnan(best) && (is_max ? x >= best : x <= best));
      positions.data[start + i] = wins ? static_cast<double>(i) : positions.data[start + i - 1];
      if (!wins) values.data[start + i] = best;
    }
  });
  return {values, positions};
}

std::vector<RefTensor> sort_reference(const RefArgs& args) {
  const RefTensor& self = args.tensor("self");
  RefTensor values{args.result_dtype, args.result_sizes[0], {}};
  RefTensor positions{DType::kI64, args.result_sizes[0], {}};
  const bool descending = args.flag("descending");
  for_each_row(self, [&](size_t start, size_t length) {
    std::vector<size_t> order(length);
    std::iota(order.begin(), order.end(), size_t{0});
    const auto before = [&](double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; };
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      const double x = self.data[start + a];
      const double y = self.data[start + b];
      return descending ? before(y, x) : before(x, y);
    });
    for (int64_t i = 0; i < args.integer("keep"); ++i) {
      values.data.push_back(self.data[start + order[static_cast<size_t>(i)]]);
      positions.data.push_back(static_cast<double>(order[static_cast<size_t>(i)]));
    }
  });
  return {values, positions};
}

Case make_case(std::string schema, std::vector<CaseArg> args, std::vector<DType> dtypes) {
  return Case{.schema = std::move(schema),
              .args = std::move(args),
              .dtypes = std::move(dtypes),
              .dynamic = true};
}

constexpr OpDef kDefs[] = {
    {.name = "ingot_scan",
     .schemas = kScanSchemas,
     .kind = OpKind::kTemplate,
     .infer = [](const Node& node) -> std::vector<TensorType> {
       return {node.tensor("self")->type};
     },
     .reference = scan_reference,
     .cases =
         [] {
           return std::vector<Case>{
               make_case("ingot.scan.default",
                         {TensorArg{{3, 40}, Fill::kUnit}, std::string("sum")},
                         {DType::kF32, DType::kI64}),
               make_case("ingot.scan.default",
                         {TensorArg{{2, 3, 9}, Fill::kUnit}, std::string("prod")}, {DType::kF32}),
               make_case("ingot.scan.default",
                         {TensorArg{{5, 9}, Fill::kNormal}, std::string("logsumexp")},
                         {DType::kF32})};
         }},
    {.name = "ingot_scan_extremum",
     .schemas = kExtremumSchemas,
     .kind = OpKind::kTemplate,
     .infer = [](const Node& node) -> std::vector<TensorType> {
       return {node.tensor("self")->type, {DType::kI64, node.tensor("self")->type.sizes}};
     },
     .reference = extremum_reference,
     .cases =
         [] {
           return std::vector<Case>{
               make_case("ingot.scan_extremum.default", {TensorArg{{3, 20}}, std::string("max")},
                         {DType::kF32, DType::kI64}),
               make_case("ingot.scan_extremum.default", {TensorArg{{3, 20}}, std::string("min")},
                         {DType::kF32, DType::kI32})};
         }},
    {.name = "ingot_sort",
     .schemas = kSortSchemas,
     .kind = OpKind::kTemplate,
     .infer = [](const Node& node) -> std::vector<TensorType> {
       Sizes sizes = node.tensor("self")->type.sizes;
       sizes.back() = node.integer("keep");
       return {{node.tensor("self")->dtype(), sizes}, {DType::kI64, sizes}};
     },
     .reference = sort_reference,
     .cases =
         [] {
           return std::vector<Case>{Case{.schema = "ingot.sort.default",
                                         .args = {TensorArg{{3, 20}}, true, int64_t{5}},
                                         .dtypes = {DType::kF32, DType::kI64},
                                         .dynamic = true},
                                    Case{.schema = "ingot.sort.default",
                                         .args = {TensorArg{{2, 3, 7}}, false, int64_t{7}},
                                         .dtypes = {DType::kF32, DType::kI32}}};
         }},
};

}  // namespace

extern constexpr OpFamily k_ingot_scans{kDefs};

}  // namespace ingot::ops
