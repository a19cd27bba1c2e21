// Views of a part of a dimension: all become ingot.slice (and a reshape where the dimension goes).
#include "ops/broadcast.h"
#include "ops/op_def.h"
#include "ops/reference_view.h"

namespace ingot::ops {
namespace {

using Dims = std::vector<int64_t>;

size_t dim_of(const Node& node) {
  return normal_dim(node.constant("dim"), node.tensor("self")->rank());
}

// A position counted from either end, kept within [0, size].
sym::Expr clamped(const sym::Expr& position, const sym::Expr& size) {
  if (const auto value = position.as_const()) {
    if (*value == 0 || *value == INT64_MAX) return *value == 0 ? sym::Expr(0) : size;
    const sym::Expr wrapped = *value < 0 ? size + position : position;
    return *value < 0 ? sym::max(wrapped, 0) : sym::min(wrapped, size);
  }
  if (position == size) return size;
  return sym::min(sym::max(sym::select(sym::lt(position, 0), position + size, position), 0), size);
}

struct Bounds {
  sym::Expr start, end, step;
};

Bounds slice_bounds(const Node& node) {
  const sym::Expr size = node.tensor("self")->type.sizes[dim_of(node)];
  Bounds bounds{0, size, node.integer("step")};
  if (!ir::is_none(node.arg("start"))) bounds.start = clamped(node.integer("start"), size);
  if (!ir::is_none(node.arg("end"))) bounds.end = clamped(node.integer("end"), size);
  bounds.end = sym::max(bounds.start, bounds.end);
  return bounds;
}

std::vector<TensorType> infer_slice(const Node& node) {
  const Bounds bounds = slice_bounds(node);
  TensorType type = node.tensor("self")->type;
  type.sizes[dim_of(node)] = sym::ceil_div(bounds.end - bounds.start, bounds.step);
  return {type};
}

std::vector<Value*> decompose_slice(ir::Builder& b, const Node& node) {
  const Bounds bounds = slice_bounds(node);
  return {b.slice(node.tensor("self"), static_cast<int64_t>(dim_of(node)), bounds.start, bounds.end,
                  bounds.step)};
}

// Lengths of the parts that a split makes of its dimension.
Sizes part_lengths(const Node& node) {
  const sym::Expr size = node.tensor("self")->type.sizes[dim_of(node)];
  if (node.has_param("split_sizes")) return node.integers("split_sizes");
  const bool is_list =
      node.has_param("split_size") && std::holds_alternative<Sizes>(node.arg("split_size"));
  if (is_list) return node.integers("split_size");
  const auto total = size.as_const();
  if (!total) {
    throw CompileError(Diag::kUnsupportedCase,
                       "a split of a dynamic dimension into a number of parts that depends on it");
  }
  int64_t length = 1;
  if (node.has_param("chunks")) {
    const int64_t chunks = node.constant("chunks");
    length = std::max<int64_t>((*total + chunks - 1) / chunks, 1);
  } else if (node.has_param("split_size")) {
    length = std::max<int64_t>(node.constant("split_size"), 1);
  }
  Sizes lengths;
  for (int64_t start = 0; start < *total; start += length) {
    lengths.push_back(std::min(length, *total - start));
  }
  if (lengths.empty()) lengths.push_back(0);
  return lengths;
}

std::vector<TensorType> infer_split(const Node& node) {
  std::vector<TensorType> types;
  for (const sym::Expr& length : part_lengths(node)) {
    types.push_back(node.tensor("self")->type);
    types.back().sizes[dim_of(node)] = length;
  }
  return types;
}

std::vector<Value*> decompose_split(ir::Builder& b, const Node& node) {
  std::vector<Value*> parts;
  sym::Expr start = 0;
  for (const sym::Expr& length : part_lengths(node)) {
    parts.push_back(
        b.slice(node.tensor("self"), static_cast<int64_t>(dim_of(node)), start, start + length));
    start = start + length;
  }
  return parts;
}

Sizes without_dim(const Node& node) {
  Sizes sizes = node.tensor("self")->type.sizes;
  sizes.erase(sizes.begin() + static_cast<long>(dim_of(node)));
  return sizes;
}

std::vector<TensorType> infer_select(const Node& node) {
  return {{node.tensor("self")->dtype(), without_dim(node)}};
}

std::vector<Value*> decompose_select(ir::Builder& b, const Node& node) {
  Value* self = node.tensor("self");
  const sym::Expr size = self->type.sizes[dim_of(node)];
  sym::Expr index = node.integer("index");
  const auto value = index.as_const();
  if (value && *value < 0) index = index + size;
  Value* part = b.slice(self, static_cast<int64_t>(dim_of(node)), index, index + 1);
  return {b.reshape(part, without_dim(node))};
}

std::vector<TensorType> infer_unbind(const Node& node) {
  const auto count = node.tensor("self")->type.sizes[dim_of(node)].as_const();
  if (!count) throw CompileError(Diag::kUnsupportedCase, "unbind of a dynamic dimension");
  return std::vector<TensorType>(static_cast<size_t>(*count),
                                 {node.tensor("self")->dtype(), without_dim(node)});
}

std::vector<Value*> decompose_unbind(ir::Builder& b, const Node& node) {
  Value* self = node.tensor("self");
  std::vector<Value*> parts;
  const int64_t count = self->type.sizes[dim_of(node)].as_const().value_or(0);
  for (int64_t i = 0; i < count; ++i) {
    Value* part = b.slice(self, static_cast<int64_t>(dim_of(node)), i, i + 1);
    parts.push_back(b.reshape(part, without_dim(node)));
  }
  return parts;
}

std::vector<TensorType> infer_narrow(const Node& node) {
  TensorType type = node.tensor("self")->type;
  type.sizes[dim_of(node)] = node.integer("length");
  return {type};
}

std::vector<Value*> decompose_narrow(ir::Builder& b, const Node& node) {
  sym::Expr start = node.integer("start");
  const auto value = start.as_const();
  if (value && *value < 0) start = start + node.tensor("self")->type.sizes[dim_of(node)];
  return {b.slice(node.tensor("self"), static_cast<int64_t>(dim_of(node)), start,
                  start + node.integer("length"))};
}

size_t ref_dim(const RefArgs& args) {
  return normal_dim(args.integer("dim"), static_cast<int64_t>(args.tensor("self").sizes.size()));
}

std::vector<RefTensor> slice_reference(const RefArgs& args) {
  const RefTensor& self = args.tensor("self");
  const size_t dim = ref_dim(args);
  int64_t start = 0;
  if (args.has("start")) {
    start = args.integer("start");
    if (start < 0) start += self.sizes[dim];
    start = std::max<int64_t>(start, 0);
  }
  const int64_t step = args.names.back() == "step" ? args.integer("step") : 1;
  return {rearranged(self, args.result_sizes[0], [&](Dims index) {
    index[dim] = start + index[dim] * step;
    return index;
  })};
}

std::vector<RefTensor> split_reference(const RefArgs& args) {
  const RefTensor& self = args.tensor("self");
  const size_t dim = ref_dim(args);
  int64_t start = 0;
  std::vector<RefTensor> parts;
  for (const Dims& sizes : args.result_sizes) {
    parts.push_back(rearranged(self, sizes, [&](Dims index) {
      index[dim] += start;
      return index;
    }));
    start += sizes[dim];
  }
  return parts;
}

// One part per result, the dimension dropped; `first` is the position of the first.
std::vector<RefTensor> picked(const RefArgs& args, int64_t first) {
  const RefTensor& self = args.tensor("self");
  const size_t dim = ref_dim(args);
  std::vector<RefTensor> parts;
  for (const Dims& sizes : args.result_sizes) {
    parts.push_back(rearranged(self, sizes, [&](Dims index) {
      index.insert(index.begin() + static_cast<long>(dim), first);
      return index;
    }));
    ++first;
  }
  return parts;
}

std::vector<RefTensor> select_reference(const RefArgs& args) {
  const int64_t index = args.integer("index");
  return picked(args, index < 0 ? index + args.tensor("self").sizes[ref_dim(args)] : index);
}

Case make_case(std::string schema, std::vector<CaseArg> args, bool dynamic = false) {
  Case made{.schema = std::move(schema), .args = std::move(args)};
  made.dtypes = {DType::kF32, DType::kI64};
  made.dynamic = dynamic;
  return made;
}

constexpr std::string_view kSliceSchemas[] = {
    "aten::slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, "
    "SymInt step=1) -> Tensor(a)"};
constexpr std::string_view kSelectSchemas[] = {
    "aten::select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)"};
constexpr std::string_view kNarrowSchemas[] = {
    "aten::narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)"};
constexpr std::string_view kSplitSchemas[] = {
    "aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]",
    "aten::split.sizes(Tensor(a -> *) self, SymInt[] split_size, int dim=0) -> Tensor(a)[]",
    "aten::split_with_sizes(Tensor(a -> *) self, SymInt[] split_sizes, int dim=0) -> Tensor(a)[]",
    "aten::chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]"};
constexpr std::string_view kUnbindSchemas[] = {
    "aten::unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]"};

std::vector<Case> slice_cases() {
  return {make_case("aten.slice.Tensor", {TensorArg{{9, 4}}, int64_t{0}, int64_t{2}, int64_t{-1}}),
          make_case("aten.slice.Tensor",
                    {TensorArg{{9, 4}}, int64_t{0}, int64_t{-5}, int64_t{INT64_MAX}, int64_t{2}}),
          make_case("aten.slice.Tensor", {TensorArg{{9, 4}}, int64_t{1}, int64_t{3}, int64_t{2}}),
          make_case("aten.slice.Tensor", {TensorArg{{9, 4}}, int64_t{1}}, true)};
}
std::vector<Case> select_cases() {
  return {make_case("aten.select.int", {TensorArg{{3, 5}}, int64_t{1}, int64_t{-2}}, true),
          make_case("aten.select.int", {TensorArg{{3}}, int64_t{0}, int64_t{1}})};
}
std::vector<Case> narrow_cases() {
  return first_dynamic(
      {make_case("aten.narrow.default", {TensorArg{{3, 8}}, int64_t{1}, int64_t{2}, int64_t{5}})});
}
std::vector<Case> split_cases() {
  return {make_case("aten.split.Tensor", {TensorArg{{3, 10}}, int64_t{4}, int64_t{1}}),
          make_case("aten.split.sizes", {TensorArg{{3, 10}}, Dims{2, 8}, int64_t{-1}}),
          make_case("aten.split_with_sizes.default", {TensorArg{{6, 2}}, Dims{1, 2, 3}}, true),
          make_case("aten.chunk.default", {TensorArg{{2, 7}}, int64_t{3}, int64_t{1}})};
}
std::vector<Case> unbind_cases() {
  return {make_case("aten.unbind.int", {TensorArg{{3, 4}}}),
          make_case("aten.unbind.int", {TensorArg{{3, 4}}, int64_t{1}}),
          make_case("aten.unbind.int", {TensorArg{{4, 1}}, int64_t{1}}, true)};
}

constexpr OpDef make_part(std::string_view name, std::span<const std::string_view> schemas,
                          InferFn infer, DecomposeFn decompose, ReferenceFn reference,
                          CasesFn cases) {
  return {.name = name,
          .schemas = schemas,
          .kind = OpKind::kComposite,
          .infer = infer,
          .decompose = decompose,
          .reference = reference,
          .cases = cases};
}

constexpr OpDef kDefs[] = {
    make_part("narrow", kNarrowSchemas, infer_narrow, decompose_narrow, slice_reference,
              narrow_cases),
    make_part("select", kSelectSchemas, infer_select, decompose_select, select_reference,
              select_cases),
    make_part("slice", kSliceSchemas, infer_slice, decompose_slice, slice_reference, slice_cases),
    make_part("split", kSplitSchemas, infer_split, decompose_split, split_reference, split_cases),
    make_part(
        "unbind", kUnbindSchemas, infer_unbind, decompose_unbind,
        [](const RefArgs& args) { return picked(args, 0); }, unbind_cases),
};

}  // namespace

extern constexpr OpFamily k_slicing_views{kDefs};

}  // namespace ingot::ops
